"""Games that play one matrix for a fixed number of steps: the game, its episodes, and the rewards of a log.

Axes: `E` episodes, `T` steps of an episode, 2 players. Both players act at every step and then see each other's
action, so the whole game is its `LockstepStage`; repeated rock-paper-scissors and one-shot matrices are built on it.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csro_core.games.base import GameSpec, LockstepStage, Turn

NO_ACTION = 255
"""Byte of a log that stands for no action."""


@dataclass(frozen=True, eq=False)
class StageGame:
    """A game that is a `LockstepStage` and words; satisfies the protocol `Game` (see there for the attributes).

    Attributes:
        spec: name and parameters, canonical.
        title: a name for people.
        unit: unit of a return.
        symmetric: True where one population serves both seats.
        action_names: names of the actions of each player.
        lockstep: the rules in numbers.
        screening: a cheaper version for first screens.
        rules: text of `rules_text`.
        observation: text of `observation_text`.
        first: the first `obs` of player 0 and of player 1.
        zero_sum: True where the two returns add up to 0.
    """

    spec: GameSpec
    title: str
    unit: str
    symmetric: bool
    action_names: tuple[tuple[str, ...], tuple[str, ...]]
    lockstep: LockstepStage
    screening: GameSpec
    rules: str
    observation: str
    first: tuple[dict[str, Any], dict[str, Any]]
    zero_sum: bool = True

    @property
    def min_return(self) -> float:
        """Least possible return of a player."""
        return float(self.lockstep.payoffs.min()) * self.lockstep.num_steps

    @property
    def max_return(self) -> float:
        """Largest possible return of a player."""
        return float(self.lockstep.payoffs.max()) * self.lockstep.num_steps

    def rules_text(self) -> str:
        """Returns the rules in the exact words for people and prompts."""
        return self.rules

    def observation_text(self) -> str:
        """Returns what `obs` holds, with an example of the very first observation."""
        return self.observation

    def first_observation(self, player: int) -> dict[str, Any]:
        """Returns a fresh copy of the `obs` that `player` (0 or 1) sees at its first action."""
        return copy.deepcopy(self.first[player])

    def new_episodes(self, seeds: Sequence[int]) -> "StageEpisodes":
        """Returns a fresh batch, one episode a seed; these games have no chance moves, so only their number counts."""
        return StageEpisodes(self, len(seeds))


class StageEpisodes:
    """A batch of episodes of a `StageGame`: every live episode is at the same step.

    An episode in which a player forfeits ends at once: the rest is scored by the game's forfeit rule and nobody is
    asked again. Its log ends with the step of the forfeit, where the offender's byte is 255.
    """

    def __init__(self, game: StageGame, count: int) -> None:
        """Starts `count` episodes of `game`."""
        self._game = game
        self._stage = game.lockstep
        self._logs = [bytearray() for _ in range(count)]
        self._forfeits = [(False, False)] * count
        self._live = list(range(count))
        self._step = 0

    def pending(self) -> list[Turn]:
        """Returns both players of every live episode, in order of (episode, player); empty at the end."""
        return [Turn(episode, player, *self._news(episode, player)) for episode in self._live for player in (0, 1)]

    def apply(self, actions: Sequence[int | None]) -> None:
        """Plays one step in every live episode.

        Args:
            actions: one action per pending turn, in the same order; None: that player has forfeited.

        Raises:
            ValueError: there are too few or too many actions, or one is not an action of its player. Nothing has moved.
        """
        if len(actions) != 2 * len(self._live):
            raise ValueError(f"one action per pending turn is needed: {2 * len(self._live)}, got {len(actions)}")
        for position, action in enumerate(actions):
            self._check(action, position % 2)
        for position, episode in enumerate(self._live):
            pair = actions[2 * position], actions[2 * position + 1]
            self._logs[episode].extend(NO_ACTION if action is None else action for action in pair)
            self._forfeits[episode] = (pair[0] is None, pair[1] is None)
        self._step += 1
        over = self._step == self._stage.num_steps
        self._live = [] if over else [episode for episode in self._live if not any(self._forfeits[episode])]

    def returns(self) -> NDArray[np.float64]:
        """Returns `[E, 2]` episode returns.

        Raises:
            ValueError: some episode is not over.
        """
        if self._live:
            raise ValueError(f"returns are known when nothing is pending; {len(self._live)} episodes are not over")
        rewards = [
            step_rewards(self._stage, bytes(log), forfeits).sum(axis=0)
            for log, forfeits in zip(self._logs, self._forfeits, strict=True)
        ]
        return np.array(rewards, dtype=np.float64).reshape(-1, 2)

    def moves(self) -> list[bytes]:
        """Returns the logs so far: for each episode two bytes (player 0, player 1) a step, 255 = no action."""
        return [bytes(log) for log in self._logs]

    def _news(self, episode: int, player: int) -> tuple[dict[str, Any], dict[str, list[Any]]]:
        """Returns what `player` learns before this step: everything at first, then the last step."""
        if self._step == 0:
            return self._game.first_observation(player), {}
        last = self._logs[episode][-2:]
        grown = {self._stage.own_key: [last[player]], self._stage.opponent_key: [last[1 - player]]}
        assign = {} if self._stage.step_key is None else {self._stage.step_key: self._step}
        return assign, {key: items for key, items in grown.items() if key is not None}

    def _check(self, action: int | None, player: int) -> None:
        if action is None:
            return
        count = self._stage.payoffs.shape[1 + player]
        # bool is an int to isinstance, but True is not the name of an action.
        if type(action) is not int or not 0 <= action < count:
            raise ValueError(f"an action of player {player} is an int from 0 to {count - 1} or None, got {action!r}")


def step_rewards(
    stage: LockstepStage, log: bytes, forfeits: tuple[bool, bool] = (False, False)
) -> NDArray[np.float64]:
    """Returns the rewards of one episode step by step; their sum over the steps is the episode's return.

    Args:
        stage: what was played.
        log: two bytes (player 0, player 1) a step, 255 = no action. It may end early where somebody forfeited.
        forfeits: which players forfeited.

    Returns:
        `[T, 2]` reward to each player. From the first step at which a player's action is missing on, the forfeit
        rule counts; when both have forfeited the rest is worth 0.

    Raises:
        ValueError: the log is too long or of odd length, or it ends early and nobody forfeited.
    """
    steps = stage.num_steps
    if len(log) % 2 or len(log) > 2 * steps:
        raise ValueError(f"a log holds two bytes a step for at most {steps} steps, got {len(log)} bytes")
    actions = np.frombuffer(log, dtype=np.uint8).reshape(-1, 2)
    missing = (actions == NO_ACTION).any(axis=1)
    played = int(missing.argmax()) if missing.any() else len(actions)
    if played < steps and not any(forfeits):
        raise ValueError(f"a log without a forfeit has an action of each player at all {steps} steps, got {played}")
    rewards = np.zeros((steps, 2), dtype=np.float64)
    rewards[:played] = stage.payoffs[:, actions[:played, 0], actions[:played, 1]].T
    if forfeits != (True, True):
        # argmax of (False, True) is 1: the row of the player who forfeited. Unused where nobody did.
        rewards[played:] = stage.forfeit_reward[int(forfeits[1])]
    return rewards
