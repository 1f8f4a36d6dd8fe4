"""Repeated rock-paper-scissors: the game of the RoShamBo programming competitions, by default 1,000 throws.

Source: D. Billings, "The First International RoShamBo Programming Competition", ICGA Journal 23(1), 2000.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from csro_core.games.base import GameSpec, LockstepStage, Parameter
from csro_core.games.parameters import reject_unknown, whole_number
from csro_core.games.stage import StageGame

NAME = "repeated_rps"
DEFAULT_THROWS = 1_000
MAX_THROWS = 100_000
SCREENING_THROWS = 300
ACTION_NAMES = ("rock", "paper", "scissors")

_ROW_PAYOFFS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
PAYOFFS = np.stack([_ROW_PAYOFFS, -_ROW_PAYOFFS])
PAYOFFS.setflags(write=False)

FORFEIT_REWARD = np.array([[-1.0, 1.0], [1.0, -1.0]])
FORFEIT_REWARD.setflags(write=False)

_RULES = """\
Repeated rock-paper-scissors. Two players throw at the same time, {throws} times in a row.
0 is rock, 1 is paper, 2 is scissors: paper beats rock, scissors beats paper, rock beats scissors, so a throw x is
beaten by (x + 1) % 3. A won throw counts +1, a lost one -1, a tie 0. The return is the sum over the match, in
{unit}; the opponent gets the negative of it.
After every throw both players see both throws. Nothing is carried from one match to the next.
A player that fails (an exception, an action that is not legal, too much time or memory) forfeits: it loses that throw
and all later throws of the match, and nobody is asked again.
Throwing uniformly at random cannot be exploited and earns 0 against everybody: the point is to win more without
losing."""

_OBSERVATION = """\
obs is the player's own dict. It stays the same object for the whole match, and its lists grow in place.
obs["throw"]             number of this throw, from 0 to num_throws - 1
obs["num_throws"]        throws of the match, {throws}
obs["my_history"]        list of the player's own throws so far, oldest first; its length is obs["throw"]
obs["opponent_history"]  list of the opponent's throws so far, oldest first; as long as my_history
obs["player"]            seat, 0 or 1; both seats play by the same rules
obs["legal_actions"]     [0, 1, 2] at every throw: 0 rock, 1 paper, 2 scissors
The very first observation (both histories are empty):
{first}"""


def build(parameters: Mapping[str, Parameter]) -> StageGame:
    """Returns the game.

    Args:
        parameters: `num_throws`, 1 to 100,000 (default 1,000).

    Raises:
        UsageError: a parameter is unknown or out of range.
    """
    reject_unknown(NAME, parameters, ("num_throws",))
    throws = whole_number("num_throws", parameters.get("num_throws", DEFAULT_THROWS), 1, MAX_THROWS)
    first = _first_observation(throws, 0), _first_observation(throws, 1)
    unit = f"net throws per {throws:,}-throw match"
    spec = _spec(throws)
    return StageGame(
        spec=spec,
        title=f"repeated rock-paper-scissors ({throws:,} throw{'s' if throws > 1 else ''})",
        unit=unit,
        symmetric=True,
        action_names=(ACTION_NAMES, ACTION_NAMES),
        lockstep=LockstepStage(throws, PAYOFFS, FORFEIT_REWARD, "throw", "my_history", "opponent_history"),
        screening=_spec(SCREENING_THROWS) if throws > SCREENING_THROWS else spec,
        rules=_RULES.format(throws=f"{throws:,}", unit=unit),
        observation=_OBSERVATION.format(throws=f"{throws:,}", first=first[0]),
        first=first,
    )


def _spec(throws: int) -> GameSpec:
    return GameSpec(NAME, {} if throws == DEFAULT_THROWS else {"num_throws": throws})


def _first_observation(throws: int, player: int) -> dict[str, Any]:
    return {
        "throw": 0,
        "num_throws": throws,
        "my_history": [],
        "opponent_history": [],
        "player": player,
        "legal_actions": [0, 1, 2],
    }
