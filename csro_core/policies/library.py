"""The policies that ship with the product, as text. Nothing here executes one.

Uniform random is among them to play against, never as a start: "uniform random: exploitability 0, PopReturn 0; the
point is to win more without losing". It is an exact equilibrium of rock-paper-scissors: once in the population it keeps
the mass of sigma, every response gains nothing against it, and so it teaches nothing.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from csro_core.errors import UsageError

UNIFORM_NOTE = "uniform random: exploitability 0, PopReturn 0; the point is to win more without losing"
"""What a page says wherever a user meets the policy `uniform`."""

_REFERENCES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "repeated_rps": (
            "rock", "rotate", "biased", "beat_last", "copy_last", "beat_frequency", "win_stay_lose_shift", "sticky",
            "block", "markov1", "markov2", "markov3", "history_match", "iocaine_style", "uniform",
        ),
        "matrix": ("first_action", "pure_1", "pure_2", "maximin", "beat_uniform", "uniform"),
    }
)

_INITIAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "repeated_rps": _REFERENCES["repeated_rps"][:9],
        "matrix": ("first_action",),
    }
)


def reference_names(game_name: str) -> tuple[str, ...]:
    """Returns the names of the reference policies of a game, the simplest first.

    Args:
        game_name: a name of `csro_core.games.GAMES`.

    Raises:
        UsageError: there are none for this game; the message lists the games that have some.
    """
    return _of_game(_REFERENCES, game_name)


def default_initial(game_name: str) -> tuple[str, ...]:
    """Returns the names of the reference policies that a run starts from when nothing else is said.

    For repeated_rps nine simple starters; for matrix one pure action, so that PSRO grows the support by itself.
    Never `uniform` (see the docstring of this module).

    Args:
        game_name: a name of `csro_core.games.GAMES`.

    Raises:
        UsageError: there are none for this game; the message lists the games that have some.
    """
    return _of_game(_INITIAL, game_name)


def reference_text(name: str) -> str:
    """Returns the text of a reference policy.

    Args:
        name: a name that `reference_names` gives for some game.

    Raises:
        UsageError: there is no such policy; the message lists the known ones by game.
    """
    if not any(name in names for names in _REFERENCES.values()):
        known = "; ".join(f"for {game}: {', '.join(names)}" for game, names in _REFERENCES.items())
        raise UsageError(f"unknown reference policy {name!r}; known {known}")
    return _read(name)


@cache
def _read(name: str) -> str:
    return files("csro_core.policies.reference").joinpath(f"{name}.py").read_text(encoding="utf-8")


def _of_game(table: Mapping[str, tuple[str, ...]], game_name: str) -> tuple[str, ...]:
    if game_name not in table:
        raise UsageError(f"there are no reference policies for game {game_name!r}; there are for: {', '.join(table)}")
    return table[game_name]
