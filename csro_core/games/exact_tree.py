"""The whole tree of a small OpenSpiel game in sequence form: information states, own sequences, weighted leaves.

A *sequence* of a player is what it has done so far: number 0 is "nothing yet", every other one an action at one of its
information states. With perfect recall an information state has exactly one sequence that leads to it, and a strategy
is one weight a sequence, its realisation plan (von Stengel 1996, "Efficient Computation of Behavior Strategies").
Where both players act at once the same holds without turning the game into one of turns.

An information state here is OpenSpiel's string together with the own sequence before it. Most strings hold that
sequence; a few forget (goofspiel with open cards), but a policy lives through the whole episode and need not.

Axes: `S_p` sequences of player p; `L` pairs of sequences that end a game.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csro_core.errors import UsageError
from csro_core.games import matrix
from csro_core.games.base import GameSpec, SpecKey
from csro_core.games.openspiel import load_openspiel
from csro_core.games.openspiel_names import TENSOR, checked_parameters, known_type, pyspiel
from csro_core.games.openspiel_words import written
from csro_core.seeds import generator

MAX_HISTORIES = 600_000
"""Histories of a game that is looked at whole; liars_dice with a die each of six sides has 294,883."""
MAX_INFORMATION_STATES = 60_000
"""Information states of both players together."""
MAX_ACTIONS = 250
"""Most actions at an information state, so that one of them fits into a byte."""

_PROBES = 40
_PROBE_STEPS = 400
_HOPELESS = 30.0
SMALLER = (
    "ask for a smaller one, such as kuhn_poker, leduc_poker, liars_dice or goofspiel(num_cards=4), or for what a "
    "policy earns against given opponents (play)"
)


@dataclass(frozen=True)
class InformationState:
    """What a player can know when it has to act.

    Attributes:
        key: OpenSpiel's information state string.
        actions: its legal actions.
        names: their names, aligned.
        parent: the player's sequence that leads here.
        first: the sequence of the first action; that of action k is `first + k`.
        depth: own moves before.
        observation: the `obs` that a policy sees here.
    """

    key: str
    actions: tuple[int, ...]
    names: tuple[str, ...]
    parent: int
    first: int
    depth: int
    observation: dict[str, Any]


@dataclass(frozen=True, eq=False)
class ExactTree:
    """A game as numbers.

    Attributes:
        spec: which game.
        states: information states of each player, parents before children.
        sequences: S_0 and S_1.
        ends: `[2, L]` the sequences of both players at each end.
        weights: `[2, L]` sum of chance times return to each player over the histories that end there.
        chances: `[L]` sum of chance over them.
        zero_sum: True where the returns add up to 0 everywhere.
    """

    spec: GameSpec
    states: tuple[tuple[InformationState, ...], tuple[InformationState, ...]]
    sequences: tuple[int, int]
    ends: NDArray[np.int64]
    weights: NDArray[np.float64]
    chances: NDArray[np.float64]
    zero_sum: bool

    def children(self, player: int) -> list[list[int]]:
        """Returns for each sequence of a player the information states that may come next."""
        found: list[list[int]] = [[] for _ in range(self.sequences[player])]
        for number, state in enumerate(self.states[player]):
            found[state.parent].append(number)
        return found


def exact_tree(spec: GameSpec) -> ExactTree:
    """Returns the tree of an OpenSpiel game, or of `matrix`; the latest ones are remembered.

    Args:
        spec: a game of two players.

    Raises:
        UsageError: the game is too large to be looked at whole, or does not say what is needed.
    """
    if spec.name == matrix.NAME:
        return _matrix_tree(SpecKey(spec))
    if spec.name in NO_EPISODE:
        raise UsageError(f"exact values need an episode that can be looked through whole; {NO_EPISODE[spec.name]}")
    known_type(spec.name)
    return _cached(SpecKey(GameSpec(spec.name, checked_parameters(spec.name, spec.parameters))))


NO_EPISODE = {
    "repeated_leduc": "repeated_leduc remembers all hands: ask for leduc_poker, its single hand",
    "repeated_rps": "repeated_rps remembers all throws: ask for matrix, its single throw",
}
"""Games of our own that are too long, and what would work."""


@lru_cache(maxsize=8)
def _matrix_tree(asked: SpecKey) -> ExactTree:
    game = matrix.build(asked.spec.parameters)
    payoffs = game.lockstep.payoffs
    rows, columns = payoffs.shape[1:]
    states = []
    for player, count in enumerate((rows, columns)):
        actions, names = tuple(range(count)), tuple(game.action_names[player])
        states.append((InformationState("", actions, names, 0, 1, 0, game.first_observation(player)),))
    ends = np.stack([np.repeat(np.arange(1, rows + 1), columns), np.tile(np.arange(1, columns + 1), rows)])
    weights = payoffs.reshape(2, -1).astype(np.float64)
    return ExactTree(
        spec=game.spec, states=(states[0], states[1]), sequences=(rows + 1, columns + 1), ends=ends, weights=weights,
        chances=np.ones(rows * columns), zero_sum=game.zero_sum,
    )  # fmt: skip


@lru_cache(maxsize=8)
def _cached(asked: SpecKey) -> ExactTree:
    name = asked.spec.name
    game = load_openspiel(asked.spec)
    kind = game.get_type()
    if game.num_players() != 2:
        raise UsageError(f"exact values need a game of two players, {name} has {game.num_players()}")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise UsageError(f"exact values need a game that lists its chance moves, {name} only draws them")
    if not kind.provides_information_state_string:
        raise UsageError(f"exact values need a game with information states, {name} has none")
    guess = estimated_histories(game)
    if guess > _HOPELESS * MAX_HISTORIES:
        raise _too_large(asked.spec, f"{_power(guess)} histories (estimated from {_PROBES} random games)")
    return _Builder(asked.spec, game).tree()


def estimated_histories(game: Any) -> float:
    """Returns an estimate of the number of histories (Knuth 1975, "Estimating the Efficiency of Backtrack Programs").

    Deep games are cut off, so that it is too small for them; infinity where it overflows.

    Args:
        game: a `pyspiel.Game`.
    """
    draw = generator("estimated histories")
    total = 0.0
    for _ in range(_PROBES):
        state, product = game.new_initial_state(), 1.0
        total += 1.0
        for _ in range(_PROBE_STEPS):
            if state.is_terminal():
                break
            choices = _choices(state)
            product *= len(choices)
            total += product
            _advance(state, choices[int(draw.integers(len(choices)))])
        if not math.isfinite(total):
            break
    return total / _PROBES


def _choices(state: Any) -> list[Any]:
    """Returns what can happen next: chance outcomes, actions, or joint actions."""
    if state.is_chance_node():
        return [action for action, _ in state.chance_outcomes()]
    if state.is_simultaneous_node():
        own, other = (list(state.legal_actions(player)) or [0] for player in (0, 1))
        return [[first, second] for first in own for second in other]
    return list(state.legal_actions())


def _advance(state: Any, choice: Any) -> None:
    if isinstance(choice, list):
        state.apply_actions(choice)
    else:
        state.apply_action(choice)


def _power(count: float) -> str:
    return "more than 10^300" if not math.isfinite(count) else f"about 10^{round(math.log10(count))}"


def _too_large(spec: GameSpec, what: str) -> UsageError:
    return UsageError(
        f"exact values need a game of at most {MAX_HISTORIES:,} histories and {MAX_INFORMATION_STATES:,} information "
        f"states; {spec.name} has {what}: {SMALLER}"
    )


class _Builder:
    """Walks a game once, in a fixed order."""

    def __init__(self, spec: GameSpec, game: Any) -> None:
        self._spec = spec
        self._shown = written(spec)
        self._game = game
        self._states: tuple[list[InformationState], list[InformationState]] = ([], [])
        self._numbers: tuple[dict[tuple[str, int], int], dict[tuple[str, int], int]] = ({}, {})
        self._next = [1, 1]
        # Own moves up to and with each sequence.
        self._depths: tuple[list[int], list[int]] = ([0], [0])
        # Chance, and chance times return to each player.
        self._ends: dict[tuple[int, int], list[float]] = {}
        self._histories = 0

    def tree(self) -> ExactTree:
        """Returns the tree.

        Raises:
            UsageError: it is too large.
        """
        # As in `openspiel.OpenSpielGame`: a constant sum is shared evenly.
        offset = (self._game.utility_sum() or 0.0) / 2
        zero_sum = True
        stack = [(self._game.new_initial_state(), 1.0, (0, 0))]
        while stack:
            state, chance, sequences = stack.pop()
            self._count()
            if state.is_terminal():
                first, second = (value - offset for value in state.returns())
                zero_sum = zero_sum and abs(first + second) < 1e-9
                end = self._ends.setdefault(sequences, [0.0, 0.0, 0.0])
                end[0] += chance
                end[1] += chance * first
                end[2] += chance * second
                continue
            stack.extend(reversed(list(self._next_of(state, chance, sequences))))
        sums = np.array(list(self._ends.values()), dtype=np.float64).reshape(-1, 3).T
        return ExactTree(
            spec=self._spec,
            states=(tuple(self._states[0]), tuple(self._states[1])),
            sequences=(self._next[0], self._next[1]),
            ends=np.array(list(self._ends), dtype=np.int64).reshape(-1, 2).T,
            weights=sums[1:],
            chances=sums[0],
            zero_sum=zero_sum,
        )

    def _count(self) -> None:
        self._histories += 1
        if self._histories > MAX_HISTORIES:
            raise _too_large(self._spec, "more histories")

    def _next_of(
        self, state: Any, chance: float, sequences: tuple[int, int]
    ) -> Iterator[tuple[Any, float, tuple[int, int]]]:
        """Gives what may follow a history, with chance and sequences."""
        if state.is_chance_node():
            for action, probability in state.chance_outcomes():
                yield state.child(action), chance * probability, sequences
        elif state.is_simultaneous_node():
            own, other = (self._moves(state, player, sequences[player]) for player in (0, 1))
            for first, own_sequence in own:
                for second, other_sequence in other:
                    after = state.clone()
                    after.apply_actions([first, second])
                    yield after, chance, (own_sequence, other_sequence)
        else:
            player = state.current_player()
            for action, sequence in self._moves(state, player, sequences[player]):
                both = (sequence, sequences[1]) if player == 0 else (sequences[0], sequence)
                yield state.child(action), chance, both

    def _moves(self, state: Any, player: int, parent: int) -> list[tuple[int, int]]:
        """Returns the (action, own sequence after it) of a player at a history."""
        if not state.legal_actions(player):
            # Both act at once, and this player has nothing to choose: nobody asks it.
            return [(0, parent)]
        key = state.information_state_string(player)
        known = self._numbers[player].get((key, parent))
        here = self._new_state(state, player, parent, key) if known is None else self._states[player][known]
        return [(action, here.first + k) for k, action in enumerate(here.actions)]

    def _new_state(self, state: Any, player: int, parent: int, key: str) -> InformationState:
        actions = tuple(state.legal_actions(player))
        names = [state.action_to_string(player, action) for action in actions]
        depth = self._depths[player][parent]
        if len(actions) > MAX_ACTIONS:
            raise UsageError(f"exact values need at most {MAX_ACTIONS} actions a move, here are {len(actions)}")
        observation = {
            "game": self._shown,
            "player": player,
            "legal_actions": list(actions),
            "action_names": names,
            "information_state": key,
            "move_number": depth,
        }
        if self._spec.parameters.get(TENSOR):
            observation["tensor"] = list(state.information_state_tensor(player))
        found = InformationState(key, actions, tuple(names), parent, self._next[player], depth, observation)
        self._numbers[player][key, parent] = len(self._states[player])
        self._states[player].append(found)
        self._next[player] += len(actions)
        self._depths[player].extend([depth + 1] * len(actions))
        if sum(map(len, self._states)) > MAX_INFORMATION_STATES:
            raise _too_large(self._spec, "more information states")
        return found
