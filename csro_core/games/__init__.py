"""The registry of games: a new game is one new file and one line in `GAMES`; OpenSpiel's others come by themselves."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from types import MappingProxyType

import orjson

from csro_core.errors import UsageError
from csro_core.games import exact_paths, matrix, openspiel, repeated_leduc, repeated_rps
from csro_core.games.base import Game, GameSpec, Parameter, SpecKey
from csro_core.games.openspiel_catalogue import CatalogueEntry, openspiel_catalogue

GAMES: Mapping[str, Callable[[Mapping[str, Parameter]], Game]] = MappingProxyType(
    {
        repeated_rps.NAME: repeated_rps.build,
        matrix.NAME: matrix.build,
        repeated_leduc.NAME: repeated_leduc.build,
        **{name: partial(openspiel.build, name) for name in openspiel.REGISTERED},
    }
)
"""Name of a game → what builds it from its parameters (and raises `UsageError` where they are wrong)."""

_NAMED = re.compile(r"\s*([A-Za-z0-9_-]+)\s*(?:\((.*)\)\s*)?", re.DOTALL)


def make_game(spec: GameSpec) -> Game:
    """Returns the game that a spec names; the same object for equal games, since games never change.

    The name is one of `GAMES` or a short name of the installed OpenSpiel (see `catalogue`).

    The `spec` of the returned game is canonical: a parameter that equals its default is dropped, so that
    `spec.key` is the identity of the game however it was asked for.

    Raises:
        UsageError: the name is unknown (the message has the nearest and the known ones), a parameter is unknown or
            wrong, or the game cannot be served; the message says why.
    """
    return _build(SpecKey(spec))


@lru_cache(maxsize=256)
def _build(asked: SpecKey) -> Game:
    name, parameters = asked.spec.name, asked.spec.parameters
    if name in GAMES:
        game = GAMES[name](parameters)
    elif name == exact_paths.NAME:  # in no list: it serves the tabulation of policies
        game = exact_paths.build(parameters)
    else:
        game = openspiel.build(name, parameters, tuple(GAMES))
    return game if SpecKey(game.spec) == asked else make_game(game.spec)


def list_games() -> list[Game]:
    """Returns every known game with its default parameters, in the order of the registry."""
    return [make_game(GameSpec(name)) for name in GAMES]


def catalogue() -> tuple[CatalogueEntry, ...]:
    """Returns every game of the installed OpenSpiel that `GAMES` does not hold: (name, title, reason it cannot serve).

    The reason is "" where the game can be played. Nothing is loaded, so this is quick and safe.
    """
    return tuple(entry for entry in openspiel_catalogue() if entry.name not in GAMES)


def parse_game(text: str) -> GameSpec:
    """Reads a game as it is written on the command line, and checks it.

    Args:
        text: a name, or a name with parameters: `repeated_rps(num_throws=300)`, `matrix(preset=biased_rps)`,
            `matrix(payoffs=[[0, 1], [-1, 0]])`, `goofspiel(num_cards=4)`. A value is JSON; anything else is taken
            as text.

    Returns:
        The canonical spec.

    Raises:
        UsageError: it cannot be read, or there is no such game.
    """
    named = _NAMED.fullmatch(text)
    if named is None:
        raise UsageError(f"a game is written NAME or NAME(parameter=value, ...), got {text!r}")
    name, inside = named.groups()
    parameters: dict[str, Parameter] = {}
    for part in _split(inside or ""):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not (key and equals and value):
            raise UsageError(f"a parameter of a game is written name=value, got {part.strip()!r} in {text!r}")
        if key in parameters:
            raise UsageError(f"parameter {key!r} is given twice in {text!r}")
        parameters[key] = _value(value)
    return make_game(GameSpec(name, parameters)).spec


def _split(inside: str) -> list[str]:
    """Returns the pieces between the commas that are neither inside brackets nor inside quotes."""
    if not inside.strip():
        return []
    parts = [""]
    depth = 0
    quoted = False
    for letter in inside:
        quoted ^= letter == '"'
        if not quoted:
            depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _value(text: str) -> Parameter:
    try:
        value: Parameter = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return value
