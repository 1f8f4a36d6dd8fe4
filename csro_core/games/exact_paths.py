"""Asking a policy along the paths of a game: an episode prescribes what a policy meets, and follows what it does.

Not a game that anybody plays for a score: it stands in no list, and every return is 0. It exists so that a policy is
tabulated by matches like any other, in the jail, an instance a path, many in lockstep.

An episode is a *plan*: for every sequence of own actions it says which information state comes next, as if chance and
the other player had a strategy without dice. The plans are made so that for a policy without dice either all of them
together meet every information state that it can bring about, and a plan never looks at the policy's own dice, so that
among the instances that arrive at an information state each action is taken as often as the policy would, given what
it has seen and done.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from csro_core.errors import UsageError
from csro_core.games.base import GameSpec, LockstepStage, Parameter, Turn
from csro_core.games.exact_tree import ExactTree, InformationState, exact_tree

NAME = "exact_paths"
NO_ACTION = 255


class Plans:
    """The plans for one player of a game.

    Attributes:
        count: how many there are.
    """

    def __init__(self, tree: ExactTree, player: int) -> None:
        """Counts how many plans each information state needs: as many as all that its worst action leads to."""
        self._states = tree.states[player]
        self._children = tree.children(player)
        self._needed = [1] * len(self._states)
        for number in range(len(self._states) - 1, -1, -1):
            state = self._states[number]
            sums = [self._sum(state.first + k) for k in range(len(state.actions))]
            self._needed[number] = max([1, *sums])
        self.count = self._sum(0)

    def next(self, sequence: int, place: int) -> tuple[int, int] | None:
        """Returns what follows a sequence.

        Args:
            sequence: own sequence so far.
            place: number of the plan among those that came here, >= 0.

        Returns:
            The information state and the plan's number among those that come there; None where the game is over.
        """
        total = self._sum(sequence)
        if total == 0:
            return None
        # Fewer plans may be needed after this action than have come here: the others start over.
        place %= total
        for child in self._children[sequence]:
            if place < self._needed[child]:
                return child, place
            place -= self._needed[child]
        return None

    def replay(self, plan: int, taken: Sequence[int]) -> list[int]:
        """Returns the sequences of an instance, one after each of its actions.

        Args:
            plan: number of the plan.
            taken: what it did, by place among the legal actions.
        """
        sequence, place, found = 0, plan, []
        for action in taken:
            state, place = self._expected(sequence, place)
            sequence = self._states[state].first + action
            found.append(sequence)
        return found

    def state_after(self, plan: int, taken: Sequence[int]) -> int:
        """Returns the information state at which an instance stands after its actions."""
        sequence, place = 0, plan
        for action in taken:
            state, place = self._expected(sequence, place)
            sequence = self._states[state].first + action
        return self._expected(sequence, place)[0]

    def _expected(self, sequence: int, place: int) -> tuple[int, int]:
        following = self.next(sequence, place)
        if following is None:
            raise ValueError(f"the game is over after sequence {sequence}")
        return following

    def _sum(self, sequence: int) -> int:
        return sum(self._needed[child] for child in self._children[sequence])


@lru_cache(maxsize=16)
def plans_of(tree: ExactTree, player: int) -> Plans:
    """Returns the plans for one player; the latest ones are remembered."""
    return Plans(tree, player)


def paths_spec(spec: GameSpec, player: int) -> GameSpec:
    """Returns the game in which a policy for `player` of an OpenSpiel game is asked along its paths."""
    return GameSpec(NAME, {"of": orjson.dumps(spec.to_json()).decode("utf-8"), "player": player})


def build(parameters: Mapping[str, Parameter]) -> "PathGame":
    """Returns the game of `paths_spec`.

    Raises:
        UsageError: the parameters are not those of `paths_spec`, or the game is too large.
    """
    of, player = parameters.get("of"), parameters.get("player")
    if not isinstance(of, str) or player not in (0, 1) or set(parameters) != {"of", "player"}:
        raise UsageError(f"{NAME} is not a game to play; it serves the command exploitability")
    spec = GameSpec.from_json(orjson.loads(of))
    return PathGame(GameSpec(NAME, dict(parameters)), exact_tree(spec), int(player))


class PathGame:
    """The game; satisfies the protocol `Game` (see there for what is not explained here)."""

    unit = "nothing"
    min_return = 0.0
    max_return = 0.0
    symmetric = False
    zero_sum = True
    lockstep: LockstepStage | None = None

    def __init__(self, spec: GameSpec, tree: ExactTree, player: int) -> None:
        """Keeps what is asked for.

        Args:
            spec: of this game.
            tree: the game whose paths these are.
            player: who is asked, 0 or 1.
        """
        self.spec = spec
        self.screening = spec
        self.tree = tree
        self.player = player
        self.title = f"paths of {tree.spec.name} for player {player}"

    @property
    def action_names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """There are none: the log holds places among the legal actions."""
        return (), ()

    def rules_text(self) -> str:
        """Returns one sentence; nobody writes policies for it."""
        return f"A policy for {self.tree.spec.name} is asked along prescribed paths."

    def observation_text(self) -> str:
        """Returns one sentence; the observations are those of the game itself."""
        return f"As in {self.tree.spec.name}."

    def first_observation(self, player: int) -> dict[str, Any]:
        """Returns an observation of the game itself; the first turn of an episode replaces every value of it."""
        states = self.tree.states[player]
        return dict(states[0].observation) if states else {"legal_actions": []}

    def new_episodes(self, seeds: Sequence[int]) -> "PathEpisodes":
        """Returns a batch; a seed names the plan, and the instance's own dice follow from the seed as always."""
        return PathEpisodes(self, seeds)


class PathEpisodes:
    """A batch of instances, each on its plan."""

    def __init__(self, game: PathGame, seeds: Sequence[int]) -> None:
        """Puts every instance at the first information state of plan `seed % plans`."""
        self._player = game.player
        self._states: tuple[InformationState, ...] = game.tree.states[game.player]
        self._plans = plans_of(game.tree, game.player)
        self._logs = [bytearray() for _ in seeds]
        self._at: dict[int, tuple[int, int]] = {}
        for episode, seed in enumerate(seeds):
            self._move(episode, 0, seed % max(1, self._plans.count))

    def pending(self) -> list[Turn]:
        """Returns the asked player in every episode that is not over."""
        return [
            Turn(episode, self._player, self._states[state].observation, {})
            for episode, (state, _) in self._at.items()
        ]

    def apply(self, actions: Sequence[int | None]) -> None:
        """Follows every instance; one that has failed is at its end."""
        for (episode, (number, place)), action in zip(list(self._at.items()), actions, strict=True):
            if action is None:
                del self._at[episode]
                continue
            state = self._states[number]
            taken = state.actions.index(action)
            pair = [NO_ACTION, NO_ACTION]
            pair[self._player] = taken
            self._logs[episode].extend(pair)
            self._move(episode, state.first + taken, place)

    def returns(self) -> NDArray[np.float64]:
        """Returns `[E, 2]` zeros."""
        return np.zeros((len(self._logs), 2), dtype=np.float64)

    def moves(self) -> list[bytes]:
        """Returns the places of the actions taken, two bytes (player 0, player 1) each; 255 for the other player."""
        return [bytes(log) for log in self._logs]

    def _move(self, episode: int, sequence: int, place: int) -> None:
        following = self._plans.next(sequence, place)
        if following is None:
            self._at.pop(episode, None)
        else:
            self._at[episode] = following
