"""Keys of models: taken out of the environment or read once from standard input, and kept in memory only."""

import os
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import IO

from csro_core.errors import UsageError

LONGEST_KEY = 1_000
"""Most characters of a key."""

_VARIABLE_ENDS = ("API_KEY", "APIKEY", "_TOKEN", "_SECRET", "_SECRET_KEY", "_ACCESS_KEY", "_PASSWORD")


@dataclass(frozen=True)
class Credentials:
    """What a runner was given to open models with. Its `repr` tells nothing.

    Attributes:
        key: handed over by a person, None where none was.
        environment: the variables of the process as it was started, keys among them.
    """

    key: str | None = field(default=None, repr=False)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


NO_KEY = Credentials()
"""For models that need none."""


def take_credentials(
    environment: MutableMapping[str, str] = os.environ, source: IO[bytes] | None = None
) -> Credentials:
    """Takes every key out of the environment, so that no process that is started later has one.

    Args:
        environment: of this process; variables that look like a key are removed from it.
        source: where a key is read from, one line of it; None: no key is handed over.

    Returns:
        The key and the variables as they were.

    Raises:
        UsageError: the line is no key. The message does not repeat it.
    """
    credentials = Credentials(None if source is None else read_key(source), dict(environment))
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
