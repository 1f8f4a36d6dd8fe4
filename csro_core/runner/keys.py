"""Keys of models: taken out of the environment or read once from standard input, and kept in memory only."""

import os
from collections.abc import Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from typing import IO

from csro_core.errors import UsageError
from csro_core.models.names import parse_name, provider_of, usual_url
from csro_core.models.prices import default_gemini

LONGEST_KEY = 1_000
"""Most characters of a key."""

MOST_KEYS = 32
"""Most keys that are read by provider."""

_LONGEST_PROVIDER = 1_000

_VARIABLE_ENDS = ("API_KEY", "APIKEY", "_TOKEN", "_SECRET", "_SECRET_KEY", "_ACCESS_KEY", "_PASSWORD")


@dataclass(frozen=True)
class Credentials:
    """What a runner was given to open models with. Its `repr` tells nothing.

    Attributes:
        key: handed over by a person, None where none was.
        environment: the variables of the process as it was started, keys among them.
        keys: provider (see `models.names.provider_of`) → key, where a person has handed over several.
    """

    key: str | None = field(default=None, repr=False)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)


NO_KEY = Credentials()
"""For models that need none."""


def take_credentials(
    environment: MutableMapping[str, str] = os.environ, source: IO[bytes] | None = None, several: bool = False
) -> Credentials:
    """Takes every key out of the environment, so that no process that is started later has one.

    Args:
        environment: of this process; variables that look like a key are removed from it.
        source: where a key is read from, one line of it; None: no key is handed over.
        several: True: `source` has lines of providers and keys, see `read_keys`.

    Returns:
        The key or keys, and the variables as they were.

    Raises:
        UsageError: a line is no key. The message does not repeat it.
    """
    key = None if source is None or several else read_key(source)
    keys = {} if source is None or not several else read_keys(source)
    credentials = Credentials(key, dict(environment), keys)
    for name in [name for name in environment if is_secret(name)]:
        del environment[name]
    return credentials


def is_secret(variable: str) -> bool:
    """Returns whether an environment variable holds a key, by its name."""
    return variable.upper().endswith(_VARIABLE_ENDS)


def read_key(source: IO[bytes]) -> str | None:
    """Returns the key in the first line, None where the line is empty. Nothing is read beyond a bounded line.

    Raises:
        UsageError: it is no key. The message does not repeat it.
    """
    return checked_key(source.readline(LONGEST_KEY + 2).decode("ascii", "replace"))


def read_keys(source: IO[bytes]) -> dict[str, str]:
    """Returns keys by provider: lines of "gemini KEY" or "BASE_URL KEY", up to an empty line or the end.

    Raises:
        UsageError: a line is not of that form, or there are too many. The message repeats nothing of it.
    """
    keys: dict[str, str] = {}
    while line := source.readline(_LONGEST_PROVIDER + LONGEST_KEY + 2).decode("ascii", "replace").strip():
        provider, _, text = line.partition(" ")
        try:
            named = provider if provider == "gemini" else usual_url(provider)
            key = checked_key(text)
        except UsageError:
            key = None
        if key is None or len(keys) == MOST_KEYS:
            # Not from the error above: whoever has swapped the two words has a key where the provider belongs.
            raise UsageError(
                f"each of at most {MOST_KEYS} lines must be 'gemini KEY' or 'BASE_URL KEY', such as "
                f"'https://openrouter.ai/api/v1 KEY'; line {len(keys) + 1} is not (and is not shown here)"
            ) from None
        keys[named] = key
    return keys


def for_models(credentials: Credentials, models: Iterable[str]) -> Credentials:
    """Returns the credentials with every key at the provider that it is for, so that no other one ever gets it.

    Args:
        credentials: as they were taken.
        models: names of all models that are to be opened with them.

    Raises:
        UsageError: there is one key, and the models are of several providers; or a key is for none of them.
    """
    providers = sorted({provider_of(parse_name(model, default_gemini())) for model in models} - {""})
    names = ", ".join(providers) or "none that takes a key"
    unknown = [provider for provider in credentials.keys if provider not in providers]
    if unknown:
        raise UsageError(f"a key was given for {unknown[0]}, and the models are of {names}: give keys for these alone")
    if credentials.key is None:
        return credentials
    if len(providers) > 1:
        raise UsageError(
            f"one key was given, and the models are of several providers, {names}: give one line 'PROVIDER KEY' for "
            "each with --keys-on-stdin"
        )
    return replace(credentials, key=None, keys=dict.fromkeys(providers, credentials.key))


def checked_key(text: str) -> str | None:
    """Returns a key without the space around it, None where there is nothing else.

    Raises:
        UsageError: it is no key. The message does not repeat it.
    """
    key = text.strip()
    if not key:
        return None
    if len(key) > LONGEST_KEY or not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError(
            f"a key must be one line of at most {LONGEST_KEY} printable ASCII characters without spaces; "
            "what was given is not (and is not shown here)"
        )
    return key
