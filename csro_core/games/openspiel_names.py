"""Names and parameters of OpenSpiel's games: what a spec may say, before anything of the game is built.

Nothing here loads a game, so nothing can go wrong in C++.
"""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import orjson

from csro_core.errors import UsageError
from csro_core.games.base import GameSpec, Parameter

try:
    import pyspiel as pyspiel  # the other modules take it from here
except ImportError:  # No wheel on this platform (requirements.txt says where); everything else works without it.
    pyspiel = None

TENSOR = "tensor"
"""Our own parameter: whether an observation holds the tensor of the information state too."""

NOT_INSTALLED = (
    "OpenSpiel is not installed, and this game is one of its: install open-spiel "
    "(Linux, Windows, or a Mac with Apple silicon)"
)

_MOST_TEXT = 2_000
_MOST_SHOWN = 80
_NUMBER_LIKE = re.compile(r"=([-+.0-9]+)(?=[,)])")
_NUMBER = re.compile(r"[-+]?(?:[0-9]{1,9}|[0-9]+\.[0-9]*|\.[0-9]+)")
_FOLLOWS_ANOTHER = frozenset({"num_cols", "num_rows"})
"""Parameters whose real default is another parameter (`board_size`), so that the written default means something."""


@lru_cache(maxsize=1)
def registered_types() -> Mapping[str, Any]:
    """Returns short name → `pyspiel.GameType` of every game of the installed version; empty where there is none."""
    if pyspiel is None:
        return MappingProxyType({})
    return MappingProxyType({kind.short_name: kind for kind in pyspiel.registered_games()})


def known_type(name: str, known: tuple[str, ...] = ()) -> Any:
    """Returns the `pyspiel.GameType` of a short name.

    Args:
        name: the short name.
        known: names of other games, for the suggestions.

    Raises:
        UsageError: OpenSpiel has no such game (the message holds the nearest names), or is not installed.
    """
    types = registered_types()
    if name in types:
        return types[name]
    near = get_close_matches(name[:_MOST_SHOWN], [*known, *(one for one in types if one not in known)], n=3, cutoff=0.6)
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    also = f"known games: {', '.join(known)}; " if known else ""
    if not types:
        raise UsageError(f"unknown game {name[:_MOST_SHOWN]!r}; {also}{meant}{NOT_INSTALLED}")
    raise UsageError(
        f"unknown game {name[:_MOST_SHOWN]!r}; {meant}{also}and {len(types)} of OpenSpiel: "
        "`games --all --search TEXT` lists them"
    )


def checked_parameters(name: str, given: Mapping[str, Parameter]) -> dict[str, Parameter]:
    """Returns the parameters of an OpenSpiel game in the types that it wants, without those that change nothing.

    Args:
        name: short name of the game.
        given: JSON values, or text as on the command line.

    Raises:
        UsageError: a parameter is unknown, has the wrong type, or names a file.
    """
    kind = registered_types()[name]
    known = kind.parameter_specification
    checked: dict[str, Parameter] = {}
    for key, value in given.items():
        if key == TENSOR:
            if type(value) is not bool:
                raise UsageError(f"{TENSOR} must be true or false, got {value!r}")
            if value:
                checked[key] = True
            continue
        if key not in known:
            near = get_close_matches(key[:_MOST_SHOWN], list(known), n=1)
            meant = f" (did you mean {near[0]}?)" if near else ""
            has = ", ".join([*known, TENSOR])
            raise UsageError(f"game {name} has no parameter {key[:_MOST_SHOWN]!r}{meant}; it has: {has}")
        wanted = _converted(name, key, value, known[key])
        # Where a game does not load without parameters, the "defaults" of the mandatory ones are placeholders.
        if not kind.default_loadable or wanted != _plain(known[key]) or key in _FOLLOWS_ANOTHER:
            checked[key] = wanted
    return checked


def pyspiel_parameters(spec: GameSpec) -> dict[str, Any]:
    """Returns the parameters as `pyspiel.load_game` wants them: a game in a parameter becomes a dict.

    Raises:
        UsageError: such a game is unknown, has no name, or its parameters are wrong.
    """
    known = registered_types()[spec.name].parameter_specification
    ready: dict[str, Any] = {}
    for key, value in spec.parameters.items():
        if key != TENSOR:
            ready[key] = inner_game(spec.name, key, str(value)) if isinstance(known[key], dict) else value
    return ready


def inner_game(name: str, key: str, text: str) -> dict[str, Any]:
    """Returns a game that is a parameter of another, such as `matrix_mp()`, as a dict with its "name".

    Raises:
        UsageError: it is unknown, or a parameter of it is, or OpenSpiel cannot read the text.
    """
    wrong = f"{key} of game {name} must be a game such as tic_tac_toe(), got {text!r}"
    if text.count("(") != text.count(")") or not text.strip():
        raise UsageError(wrong)
    for value in _NUMBER_LIKE.findall(text):
        # OpenSpiel throws on these, and writes on standard error itself.
        if not _NUMBER.fullmatch(value):
            raise UsageError(f"{wrong}: {value} is no number that it can read")
    try:
        read: dict[str, Any] = dict(pyspiel.game_parameters_from_string(text.strip()))
    except RuntimeError as error:  # A `pyspiel.SpielError`: brackets in odd places.
        raise UsageError(wrong) from error
    if read.get("name") != text.strip().split("(", 1)[0]:
        raise UsageError(f"{wrong}: \"name\" is no parameter")
    _check_inner(read)
    return read


def _check_inner(read: Mapping[str, Any]) -> None:
    """Checks names and parameters of a game that is a parameter, and of games inside it.

    Raises:
        UsageError: one is unknown, or names a file.
    """
    name = str(read.get("name", ""))
    kind = known_type(name)
    for key, value in read.items():
        if key == "name":
            continue
        if key not in kind.parameter_specification:
            has = ", ".join(kind.parameter_specification) or "none"
            raise UsageError(f"game {name} has no parameter {key[:_MOST_SHOWN]!r}; it has: {has}")
        _refuse_files(name, key, value)
        if isinstance(value, dict):
            _check_inner(value)


def _converted(name: str, key: str, value: Parameter, default: Any) -> Parameter:
    """Returns the value in the type of its default.

    Raises:
        UsageError: it cannot be.
    """
    _refuse_files(name, key, value)
    text = value if isinstance(value, str) else orjson.dumps(value).decode("utf-8")
    if len(text) > _MOST_TEXT or not text.isprintable():
        raise UsageError(f"{key} of game {name} must be at most {_MOST_TEXT} printable characters, got {text[:40]!r}…")
    if isinstance(default, bool):
        if type(value) is not bool:
            raise UsageError(f"{key} of game {name} must be true or false, got {value!r}")
        return value
    if isinstance(default, int):
        if type(value) is not int or not -(2**31) <= value < 2**31:
            raise UsageError(f"{key} of game {name} must be a whole number, got {value!r}")
        return value
    if isinstance(default, float):
        if type(value) not in (int, float):
            raise UsageError(f"{key} of game {name} must be a number, got {value!r}")
        return float(value)  # type: ignore[arg-type]
    if isinstance(default, dict):
        inner_game(name, key, text)
    return text


def _plain(default: Any) -> Any:
    return default if isinstance(default, bool | int | float | str) else None


def _refuse_files(name: str, key: str, value: Any) -> None:
    # A run that somebody else wrote must not make this machine read its files.
    if value and ("file" in key or key.endswith("_root")):
        raise UsageError(f"{key} of game {name} names a file, and games that read files cannot be played here")
