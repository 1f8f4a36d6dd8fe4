"""Which games of OpenSpiel can be served, and why others cannot.

Some reasons are in the type of a game, which is known without loading it; the others need the game itself. The
catalogue does not load anything: what loading would tell is in the tables `_ACTIONS`, `_STEPS` and `_PLAYERS`,
measured with OpenSpiel 2.0.2 and compared with the installed version by a test.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from csro_core.games.openspiel_names import pyspiel, registered_types

MOST_ACTIONS = 254
"""An action is one byte of the log, and 255 stands for none."""

MOST_STEPS = 5_000
"""Longest episode, in moves: a longer one is a program of a different kind."""

OWN_CHANCE = "it draws its chance moves by itself, so that episodes cannot be repeated from a seed"

SEALED: Mapping[str, str] = MappingProxyType(
    {
        "efg_game": "it reads the game from a file; write a matrix with matrix(payoffs=…) instead",
        "nfg_game": "it reads the game from a file; write a matrix with matrix(payoffs=…) instead",
        "repeated_leduc_poker": (
            "its information states show a folded opponent's card and forget past hands; play repeated_leduc"
        ),
        "quoridor": "OpenSpiel warns of known faults in it, and it has 289 distinct actions (at most 254 fit)",
    }
)
"""Games that are refused whatever their parameters, and why."""

_ACTIONS: Mapping[str, int] = MappingProxyType(
    {
        "antichess": 4_864, "backgammon": 1_352, "banqi": 1_056, "battleship": 300, "breakthrough": 768,
        "checkers": 512, "chess": 4_674, "chinese_checkers": 727, "crazyhouse": 4_994, "cribbage": 2_757,
        "einstein_wurfelt_nicht": 300, "go": 362, "hive": 5_489, "kriegspiel": 4_674, "lines_of_action": 8_192,
        "nine_mens_morris": 600, "pentago": 288, "shogi": 13_689, "xiangqi": 8_100, "y": 361,
    }
)  # fmt: skip
_STEPS: Mapping[str, int] = MappingProxyType({"cursor_go": 72_922})
_PLAYERS: Mapping[str, int] = MappingProxyType({"pathfinding": 1})
"""Distinct actions, moves and players of games that are refused for these with their default parameters."""


def reason_of_type(kind: Any) -> str:
    """Returns why no game of this type can serve, "" where nothing in the type speaks against it.

    Args:
        kind: a `pyspiel.GameType`, of a registered or of a loaded game.
    """
    if kind.short_name in SEALED:
        return SEALED[kind.short_name]
    if kind.max_num_players < 2:
        return "it has one player; games here have two"
    if kind.min_num_players > 2:
        return f"it needs at least {kind.min_num_players} players; games here have two"
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        return "it is a mean-field game; games here have two players"
    if not kind.default_loadable:
        return ""  # A wrapper: everything else depends on the game inside.
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        return OWN_CHANCE
    perfect = kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
    if not kind.provides_information_state_string and not (perfect and kind.provides_observation_string):
        return "it has no text of the information state, so a policy would not know what it has seen"
    return ""


def reason_of_game(game: Any) -> str:
    """Returns why a loaded game cannot serve, with what would work; "" where it can.

    Args:
        game: a `pyspiel.Game`.
    """
    kind = game.get_type()
    players = game.num_players()
    if players != 2:
        return _other_players(kind, players)
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        return OWN_CHANCE
    return (
        reason_of_type(kind)
        or _too_many_actions(kind, game.num_distinct_actions())
        or _too_many_steps(kind, game.max_game_length())
    )


def catalogue_reason(name: str) -> str:
    """Returns why a registered OpenSpiel game cannot serve with its default parameters; loads nothing."""
    kind = registered_types()[name]
    reason = reason_of_type(kind)
    if reason:
        return reason
    if not kind.default_loadable:
        example = example_of_wrapper(kind)
        return f"it needs parameters: for example {example}" if example else "it needs parameters of its own"
    if name in _PLAYERS:
        return _other_players(kind, _PLAYERS[name])
    return _too_many_actions(kind, _ACTIONS.get(name, 1)) or _too_many_steps(kind, _STEPS.get(name, 1))


def _other_players(kind: Any, players: int) -> str:
    hint = "; players=2 may work" if "players" in kind.parameter_specification and kind.max_num_players >= 2 else ""
    return f"it has {players} player{'' if players == 1 else 's'} as it stands; games here have two{hint}"


def _too_many_actions(kind: Any, actions: int) -> str:
    if 1 <= actions <= MOST_ACTIONS:
        return ""
    return f"it has {actions:,} distinct actions, and games here have 1 to {MOST_ACTIONS}{_smaller(kind)}"


def _too_many_steps(kind: Any, steps: int) -> str:
    if 1 <= steps <= MOST_STEPS:
        return ""
    return f"an episode may have {steps:,} moves, and games here have 1 to {MOST_STEPS:,}{_smaller(kind)}"


def _smaller(kind: Any) -> str:
    """Returns which parameters may make a game smaller."""
    words = ("board_", "size", "horizon", "length", "rows", "columns", "width", "height", "coins", "fields")
    sizes = [name for name in kind.parameter_specification if any(word in name for word in words)]
    return f"; smaller ones may work: {', '.join(sizes[:3])}" if sizes else ""


def example_of_wrapper(kind: Any) -> str:
    """Returns how a game is written that needs another game or a number, "" where it needs nothing."""
    if kind.default_loadable:
        return ""
    if kind.short_name == "repeated_game":
        return "repeated_game(stage_game=matrix_mp(),num_repetitions=10)"
    inner = next((key for key, value in kind.parameter_specification.items() if isinstance(value, dict)), None)
    if inner == "game":
        stage = "goofspiel(num_cards=3)" if kind.short_name == "turn_based_simultaneous_game" else "tic_tac_toe()"
        return f"{kind.short_name}(game={stage})"
    return ""
