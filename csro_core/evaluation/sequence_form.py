"""Strategies of a small game as realisation plans, and what they earn: arrays over the sequences of a `ExactTree`.

Axes: `S_p` sequences and `I_p` information states of player p. A realisation plan gives each sequence the product of
the player's own probabilities along it (von Stengel 1996). Plans are what mixes: a mixture of policies earns what the
mixture of their plans earns, and as a behaviour strategy it acts at an information state by own reach.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from csro_core.games.exact_tree import ExactTree

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Level:
    """The information states at which a player has made equally many moves.

    Attributes:
        states: their numbers.
        sequences: the sequences of their actions, state by state.
        starts: where each state's sequences begin in `sequences`.
        counts: actions of each state.
        parents: sequence that leads to each state.
    """

    states: Numbers
    sequences: Numbers
    starts: Numbers
    counts: Numbers
    parents: Numbers


@dataclass(frozen=True, eq=False)
class Side:
    """One player's part.

    Attributes:
        size: S_p.
        states: I_p.
        state_of: `[S_p]` the information state of each sequence; -1 for the empty one.
        parent_of: `[I_p]` the sequence that leads to each information state.
        levels: information states by own moves before, fewest first.
    """

    size: int
    states: int
    state_of: Numbers
    parent_of: Numbers
    levels: tuple[Level, ...]


@dataclass(frozen=True, eq=False)
class SequenceForm:
    """A game in sequence form.

    Attributes:
        tree: the game.
        sides: both players.
        payoffs: for each player the `[S_0, S_1]` matrix of its returns, weighted by chance.
        chances: `[S_0, S_1]` chance's weight of the ends themselves.
    """

    tree: ExactTree
    sides: tuple[Side, Side]
    payoffs: tuple[csr_array, csr_array]
    chances: csr_array

    def against(self, player: int, opponent_plan: Floats) -> Floats:
        """Returns `[S_p]` what each own sequence earns where games end with it, against the other player's plan."""
        matrix = self.payoffs[player]
        return np.asarray(matrix @ opponent_plan if player == 0 else matrix.T @ opponent_plan, dtype=np.float64)

    def reach(self, player: int, opponent_plan: Floats) -> Floats:
        """Returns `[I_p]` how often chance and the other player come to each information state of a player."""
        matrix, side = self.chances, self.sides[player]
        sequences = np.asarray(matrix @ opponent_plan if player == 0 else matrix.T @ opponent_plan, dtype=np.float64)
        states = np.zeros(side.states)
        for level in reversed(side.levels):
            # Whatever the player does, the game ends: every action carries the whole weight on.
            states[level.states] = np.maximum.reduceat(sequences[level.sequences], level.starts)
            np.add.at(sequences, level.parents, states[level.states])
        return states

    def value(self, player: int, plans: tuple[Floats, Floats]) -> float:
        """Returns what a player earns when both follow their plans."""
        return float(plans[player] @ self.against(player, plans[1 - player]))


@lru_cache(maxsize=8)
def sequence_form(tree: ExactTree) -> SequenceForm:
    """Returns a game in sequence form; the latest ones are remembered."""
    shape = tree.sequences
    at = (tree.ends[0], tree.ends[1])
    payoffs = [csr_array((tree.weights[player], at), shape=shape, dtype=np.float64) for player in (0, 1)]
    chances = csr_array((tree.chances, at), shape=shape, dtype=np.float64)
    return SequenceForm(tree, (_side(tree, 0), _side(tree, 1)), (payoffs[0], payoffs[1]), chances)


def _side(tree: ExactTree, player: int) -> Side:
    states, size = tree.states[player], tree.sequences[player]
    state_of = np.full(size, -1, dtype=np.int64)
    for number, state in enumerate(states):
        state_of[state.first : state.first + len(state.actions)] = number
    levels = []
    for depth in range(1 + max((state.depth for state in states), default=-1)):
        members = [number for number, state in enumerate(states) if state.depth == depth]
        counts = np.array([len(states[number].actions) for number in members], dtype=np.int64)
        levels.append(
            Level(
                states=np.array(members, dtype=np.int64),
                sequences=np.concatenate(
                    [np.arange(states[n].first, states[n].first + len(states[n].actions)) for n in members]
                ),
                starts=np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64),
                counts=counts,
                parents=np.array([states[number].parent for number in members], dtype=np.int64),
            )
        )
    parent_of = np.array([state.parent for state in states], dtype=np.int64)
    return Side(size, len(states), state_of, parent_of, tuple(levels))


def plan_from_counts(side: Side, counts: Floats) -> Floats:
    """Returns the plan of a policy that was seen to act.

    Args:
        side: the player.
        counts: `[S_p]` how often each sequence's last action was taken, by whom had come to its information state.

    Returns:
        `[S_p]` the realisation plan. Where nobody ever came it acts evenly, with weight 0 unless it may come there.
    """
    plan = np.zeros(side.size)
    plan[0] = 1.0
    for level in side.levels:
        taken = counts[level.sequences]
        totals = np.repeat(np.add.reduceat(taken, level.starts), level.counts)
        even = 1.0 / np.repeat(level.counts, level.counts)
        shares = np.divide(taken, totals, out=even, where=totals > 0)
        plan[level.sequences] = np.repeat(plan[level.parents], level.counts) * shares
    return plan


def behaviour(side: Side, plan: Floats) -> Floats:
    """Returns `[S_p]` the probability of each action at its information state; even where the plan never comes.

    Args:
        side: the player.
        plan: `[S_p]` a realisation plan, such as a mixture of several: the strategy that mixes by own reach.
    """
    shares = np.ones(side.size)
    for level in side.levels:
        reach = np.repeat(plan[level.parents], level.counts)
        even = 1.0 / np.repeat(level.counts, level.counts)
        shares[level.sequences] = np.divide(plan[level.sequences], reach, out=even, where=reach > 0)
    return shares


def plan_of_behaviour(side: Side, probabilities: Floats) -> Floats:
    """Returns `[S_p]` the realisation plan of a behaviour strategy `[S_p]` (see `behaviour`)."""
    plan = np.ones(side.size)
    for level in side.levels:
        plan[level.sequences] = np.repeat(plan[level.parents], level.counts) * probabilities[level.sequences]
    return plan
