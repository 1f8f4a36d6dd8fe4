"""One-shot two-player zero-sum matrix games: the classroom, where everything can be computed exactly.

`payoffs` is `[A_0, A_1]`, the payoff to the row player (player 0); the column player gets the negative.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csro_core.errors import UsageError
from csro_core.games.base import GameSpec, LockstepStage, Parameter
from csro_core.games.matrix_rows import Rows, checked_rows, rows_from_csv_text
from csro_core.games.parameters import reject_unknown
from csro_core.games.stage import StageGame

NAME = "matrix"
DEFAULT_PRESET = "rps"

PRESETS: Mapping[str, Rows] = MappingProxyType(
    {
        "rps": ((0.0, -1.0, 1.0), (1.0, 0.0, -1.0), (-1.0, 1.0, 0.0)),
        # Bosansky et al., "Algorithms for computing strategies in two-player simultaneous move games", Artificial
        # Intelligence 237, 2016, section 6.2. The only equilibrium is (1/16, 10/16, 5/16) for both players.
        "biased_rps": ((0.0, -0.25, 0.5), (0.25, 0.0, -0.05), (-0.5, 0.05, 0.0)),
        "matching_pennies": ((1.0, -1.0), (-1.0, 1.0)),
    }
)
"""Name → payoffs to the row player."""

_TITLES = {
    "rps": "rock-paper-scissors, one shot",
    "biased_rps": "biased rock-paper-scissors, one shot",
    "matching_pennies": "matching pennies, one shot",
}
_HANDS = ("rock", "paper", "scissors")
_ACTION_NAMES = {"rps": _HANDS, "biased_rps": _HANDS, "matching_pennies": ("heads", "tails")}

_SHOWN_ENTRIES = 400
"""A matrix with more entries is not written out in the rules: a prompt would be nothing but numbers."""

_RULES = """\
A one-shot zero-sum matrix game: {title}.
Both players choose an action at the same time, once, and the game is over.
Player 0 chooses a row and player 1 a column of this matrix; player 0 gets the entry, player 1 the negative of it:
{table}
Actions of player 0: {rows}. Actions of player 1: {columns}.
{seats}
The return is the payoff of the play. A policy may choose at random (import random): then its mean payoff counts.
A player that fails (an exception, an action that is not legal, too much time or memory) forfeits: it gets its own
worst payoff of the whole matrix and the opponent gets the negative of it."""

_SYMMETRIC = "The matrix is antisymmetric, so both seats play the same game, and policies sit in either seat."
_ASYMMETRIC = "The seats differ: look at obs[\"player\"]."

_OBSERVATION = """\
obs is the player's own dict; there is one observation, because the game is played once.
obs["player"]         seat: 0 chooses a row, 1 a column
obs["legal_actions"]  the player's actions: 0, 1, ... in order
obs["payoffs"]        payoffs to *this* player: obs["payoffs"][own action][opponent's action]. Rows are always the
                      player's own actions, so the same text works in both seats
The very first observation of player 0:
{first}"""


def build(parameters: Mapping[str, Parameter]) -> StageGame:
    """Returns the game.

    Args:
        parameters: `preset`, a name of `PRESETS` (default "rps"), or `payoffs`, rows of payoffs to the row player:
            1 to 200 rows and columns, finite. A matrix that equals a preset is that preset.

    Raises:
        UsageError: a parameter is unknown, both are given, or the matrix is ragged, empty, too large, or not of
            finite numbers; the message names the row and the column.
    """
    reject_unknown(NAME, parameters, ("preset", "payoffs"))
    if len(parameters) > 1:
        raise UsageError("game matrix takes a preset or payoffs, not both")
    if "payoffs" in parameters:
        rows = checked_rows(parameters["payoffs"])
        preset = next((name for name, known in PRESETS.items() if known == rows), None)
        return _game(rows, preset)
    chosen = parameters.get("preset", DEFAULT_PRESET)
    if not isinstance(chosen, str) or chosen not in PRESETS:
        raise UsageError(f"unknown preset {chosen!r} of game matrix; known presets: {', '.join(PRESETS)}")
    return _game(PRESETS[chosen], chosen)


def spec_from_rows(rows: Sequence[Sequence[float]]) -> GameSpec:
    """Returns the canonical spec of the zero-sum game with these payoffs to the row player.

    Args:
        rows: `[A_0][A_1]`, 1 to 200 rows and columns of finite numbers.

    Raises:
        UsageError: the matrix is ragged, empty, too large, or not of finite numbers.
    """
    return build({"payoffs": [list(row) for row in rows]}).spec


def spec_from_csv_text(text: str) -> GameSpec:
    """Returns the spec of a matrix that is written as text, one row a line.

    Every value is a payoff to the row player; for the form of the text see `matrix_rows.rows_from_csv_text`.

    Raises:
        UsageError: a value is not a finite number, or the matrix is ragged, empty or too large; the message names
            the line and the column.
    """
    return spec_from_rows(rows_from_csv_text(text))


def _game(rows: Rows, preset: str | None) -> StageGame:
    matrix = np.array(rows)
    payoffs = np.stack([matrix, -matrix]) + 0.0
    payoffs.setflags(write=False)
    symmetric = matrix.shape[0] == matrix.shape[1] and bool((matrix == -matrix.T).all())
    spec = GameSpec(NAME, _parameters(rows, preset))
    title = _TITLES[preset] if preset else f"{matrix.shape[0]} x {matrix.shape[1]} matrix game"
    names = _action_names(preset, matrix.shape[0]), _action_names(preset, matrix.shape[1])
    first = _first_observation(payoffs, 0), _first_observation(payoffs, 1)
    return StageGame(
        spec=spec,
        title=title,
        unit="payoff per play",
        symmetric=symmetric,
        action_names=names,
        lockstep=LockstepStage(1, payoffs, _forfeit_reward(payoffs)),
        screening=spec,
        rules=_RULES.format(
            title=title,
            table=_table(rows),
            rows=_listed(names[0]),
            columns=_listed(names[1]),
            seats=_SYMMETRIC if symmetric else _ASYMMETRIC,
        ),
        observation=_OBSERVATION.format(first=_example(first[0])),
        first=first,
    )


def _parameters(rows: Rows, preset: str | None) -> dict[str, Parameter]:
    if preset == DEFAULT_PRESET:
        return {}
    return {"preset": preset} if preset else {"payoffs": [list(row) for row in rows]}


def _action_names(preset: str | None, count: int) -> tuple[str, ...]:
    return _ACTION_NAMES[preset] if preset else tuple(str(action) for action in range(count))


def _forfeit_reward(payoffs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns `[2, 2]`: whoever forfeits (row) gets its own worst payoff, the other the negative of it."""
    worst = payoffs.min(axis=(1, 2))
    rewards = np.array([[worst[0], -worst[0]], [-worst[1], worst[1]]]) + 0.0
    rewards.setflags(write=False)
    return rewards


def _first_observation(payoffs: NDArray[np.float64], player: int) -> dict[str, Any]:
    own = payoffs[0] if player == 0 else payoffs[1].T
    return {"player": player, "legal_actions": list(range(own.shape[0])), "payoffs": own.tolist()}


def _table(rows: Rows) -> str:
    if len(rows) * len(rows[0]) > _SHOWN_ENTRIES:
        return f"({len(rows)} rows of {len(rows[0])} numbers; see obs[\"payoffs\"])"
    return "\n".join("  [" + ", ".join(f"{entry:.12g}" for entry in row) + "]" for row in rows)


def _listed(names: tuple[str, ...]) -> str:
    if len(names) > 3:
        return f"0 to {len(names) - 1}"
    return ", ".join(str(action) if name == str(action) else f"{action} {name}" for action, name in enumerate(names))


def _example(first: dict[str, Any]) -> str:
    rows = first["payoffs"]
    if len(rows) * len(rows[0]) <= _SHOWN_ENTRIES:
        return repr(first)
    shown = {**first, "payoffs": f"<{len(rows)} rows of {len(rows[0])} numbers>"}
    return repr(shown)
