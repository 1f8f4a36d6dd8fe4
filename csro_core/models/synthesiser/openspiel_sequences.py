"""A small game as arrays, and what can be computed on it: plans, best responses, responses that stay safe.

Numbers of sequences are those of `games.exact_tree`. A strategy is `[S]` odds of the last action of every sequence
("behaviour", 1 at the empty sequence 0) or their products along the sequence ("plan"); payoffs are bilinear in plans
(D. Koller, N. Megiddo and B. von Stengel, STOC 1994).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from csro_core.errors import UsageError
from csro_core.games.base import GameSpec, SpecKey
from csro_core.games.exact_tree import estimated_histories, exact_tree
from csro_core.games.openspiel import load_openspiel
from csro_core.models.synthesiser.openspiel_genome import Situation

Vector: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.intp]

MAX_HISTORIES = 40_000
"""Histories above which a game is not unfolded here: that takes about half a second, once a process."""


@dataclass(frozen=True, eq=False)
class Level:
    """The decisions of a player after equally many own actions.

    Attributes:
        parents: `[d]` the sequence that leads to each.
        sequences: `[s]` their actions as sequences, decision by decision.
        starts: `[d]` where the actions of each begin in `sequences`.
        owners: `[s]` the place in this level that an action belongs to.
        equal: `[s]` one over the number of actions of its decision.
    """

    parents: Places
    sequences: Places
    starts: Places
    owners: Places
    equal: Vector

    def sums(self, values: Vector) -> Vector:
        """Returns `[d]` sums of `[s]` values over the actions of each decision."""
        return np.asarray(np.add.reduceat(values, self.starts))


@dataclass(frozen=True, eq=False)
class Seat:
    """A player's decisions.

    Attributes:
        situations: what it sees at each.
        parents: `[D]` the sequence that leads to each.
        first: `[D]` the sequence of the first legal action of each; the others follow it.
        size: number of sequences S.
        levels: the decisions by number of own actions before, fewest first.
    """

    situations: tuple[Situation, ...]
    parents: Places
    first: Places
    size: int
    levels: tuple[Level, ...]

    def plan(self, behaviour: Vector) -> Vector:
        """Returns `[S]` the plan of a behaviour."""
        plan = np.ones(self.size)
        for level in self.levels:
            plan[level.sequences] = plan[level.parents][level.owners] * behaviour[level.sequences]
        return plan

    def behaviour(self, plan: Vector) -> Vector:
        """Returns `[S]` a behaviour with this plan, uniform where the plan never comes."""
        behaviour = np.ones(self.size)
        for level in self.levels:
            totals = level.sums(plan[level.sequences])[level.owners]
            odds = np.divide(plan[level.sequences], totals, out=level.equal.copy(), where=totals > 1e-12)
            behaviour[level.sequences] = odds
        return behaviour

    def values(self, collected: Vector, choose: Callable[[Level, Vector], Vector]) -> Vector:
        """Returns `[S]` what every action is worth, counting what comes later.

        Args:
            collected: `[S]` what each sequence collects at ends that follow it directly.
            choose: a level and `[s]` the values of its actions → `[d]` the values of its decisions.
        """
        worth = collected.copy()
        for level in reversed(self.levels):
            np.add.at(worth, level.parents, choose(level, worth[level.sequences]))
        return worth


@dataclass(frozen=True, eq=False)
class Sequences:
    """A two-player game in sequence form.

    Attributes:
        seats: the players.
        payoffs: `[S_0, S_1]` to each player, times the odds of chance.
        stakes: `[S_0, S_1]` the size of payoffs, times the odds of chance.
        zero_sum: True where the returns add up to 0.
    """

    seats: tuple[Seat, Seat]
    payoffs: tuple[csr_matrix, csr_matrix]
    stakes: csr_matrix
    zero_sum: bool

    def collected(self, player: int, plan: Vector) -> Vector:
        """Returns `[S]` what each sequence of a player collects where the other one follows a plan."""
        matrix = self.payoffs[player]
        return np.asarray(matrix @ plan if player == 0 else matrix.T @ plan)

    def at_stake(self, player: int, plan: Vector) -> Vector:
        """Returns `[S]` the size of what is at stake after each action of a player who goes on at random."""
        direct = np.asarray(self.stakes @ plan if player == 0 else self.stakes.T @ plan)
        return self.seats[player].values(direct, _at_random)


def sequences_of(spec: GameSpec) -> Sequences | None:
    """Returns a small game in sequence form; None for a large one, or one whose players forget."""
    return _sequences(SpecKey(spec))


def _is_large(game: Any) -> bool:
    """Returns True for a game of more than `MAX_HISTORIES` histories: it counts, since estimates may be far off."""
    if estimated_histories(game) > 20 * MAX_HISTORIES:
        return True
    left = MAX_HISTORIES
    stack = [game.new_initial_state()]
    while stack and left > 0:
        state = stack.pop()
        left -= 1
        if state.is_chance_node():
            stack.extend(state.child(action) for action, _ in state.chance_outcomes())
        elif state.is_simultaneous_node():
            for own in state.legal_actions(0) or [0]:
                for other in state.legal_actions(1) or [0]:
                    after = state.clone()
                    after.apply_actions([own, other])
                    stack.append(after)
        elif not state.is_terminal():
            stack.extend(state.child(action) for action in state.legal_actions())
    return left == 0


@lru_cache(maxsize=8)
def _sequences(named: SpecKey) -> Sequences | None:
    try:
        if _is_large(load_openspiel(named.spec)):
            return None
        tree = exact_tree(named.spec)
    except UsageError:
        return None
    seats = []
    for player in (0, 1):
        states = tree.states[player]
        situations = tuple(situation_of(state.observation) for state in states)
        parents = np.array([state.parent for state in states], dtype=np.intp)
        first = np.array([state.first for state in states], dtype=np.intp)
        levels = _levels(situations, parents, first)
        seats.append(Seat(situations, parents, first, tree.sequences[player], levels))
    places = (tree.ends[0], tree.ends[1])
    matrices = [csr_matrix((weights, places), shape=tree.sequences) for weights in tree.weights]
    stakes = csr_matrix((np.abs(tree.weights).sum(axis=0) + 0.01 * tree.chances, places), shape=tree.sequences)
    return Sequences((seats[0], seats[1]), (matrices[0], matrices[1]), stakes, tree.zero_sum)


def situation_of(obs: Mapping[str, Any]) -> Situation:
    """Returns an observation of an OpenSpiel game as a situation."""
    legal, names = tuple(obs["legal_actions"]), tuple(obs["action_names"])
    return Situation(str(obs["information_state"]), legal, names, int(obs["move_number"]), int(obs["player"]))


def _levels(situations: tuple[Situation, ...], parents: Places, first: Places) -> tuple[Level, ...]:
    moves = np.array([situation.move for situation in situations], dtype=np.intp)
    counts = np.array([len(situation.legal) for situation in situations], dtype=np.intp)
    levels = []
    for move in sorted(set(moves.tolist())):
        decisions = np.flatnonzero(moves == move)
        sizes = counts[decisions]
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
        owners = np.repeat(np.arange(len(decisions)), sizes)
        sequences = first[decisions][owners] + np.arange(int(sizes.sum())) - starts[owners]
        levels.append(Level(parents[decisions], sequences, starts, owners, 1 / sizes[owners]))
    return tuple(levels)


def uniform(seat: Seat) -> Vector:
    """Returns `[S]` the behaviour that is random everywhere."""
    behaviour = np.ones(seat.size)
    for level in seat.levels:
        behaviour[level.sequences] = level.equal
    return behaviour


def _at_random(level: Level, values: Vector) -> Vector:
    return level.sums(values * level.equal)


def _at_best(level: Level, values: Vector) -> Vector:
    return np.asarray(np.maximum.reduceat(values, level.starts))


def best_response(game: Sequences, player: int, plan: Vector) -> tuple[Vector, Vector]:
    """Returns `[S]` the pure best behaviour against the other one's plan, and `[S]` what every action is worth."""
    seat = game.seats[player]
    worth = seat.values(game.collected(player, plan), _at_best)
    behaviour = np.zeros(seat.size)
    behaviour[0] = 1.0
    for level in seat.levels:
        values = worth[level.sequences]
        best = values >= _at_best(level, values)[level.owners] - 1e-12
        # The first of equals.
        before: Places = np.cumsum(best) - best
        behaviour[level.sequences] = best & (before == before[level.starts][level.owners])
    return behaviour, worth


def safe_response(game: Sequences, player: int, plan: Vector, trust: float, rounds: int) -> Vector:
    """Returns `[S]` a good behaviour in the game where the other one follows a plan most of the time.

    A restricted Nash response (M. Johanson, M. Zinkevich and M. Bowling, "Computing robust counter-strategies", NIPS
    2007): with odds `trust` the opponent follows the plan, else it does what is best for itself. 0 gives an
    equilibrium of the game, 1 a best response. By CFR+ (O. Tammelin, arXiv 1407.5042), linear averages.

    Args:
        game: the game.
        player: who responds.
        plan: `[S]` of the other one.
        trust: from 0 to 1.
        rounds: of CFR+, >= 1.
    """
    other = 1 - player
    regrets = [np.zeros(seat.size) for seat in game.seats]
    total = np.zeros(game.seats[player].size)
    plans = [seat.plan(uniform(seat)) for seat in game.seats]
    for number in range(1, rounds + 1):
        for turn in (player, other):
            met = plans[1 - turn]
            if turn == player:
                met = trust * plan + (1 - trust) * met
            _learn(game.seats[turn], game.collected(turn, met), regrets[turn])
            plans[turn] = game.seats[turn].plan(_matched(game.seats[turn], regrets[turn]))
        total += number * plans[player]
    return game.seats[player].behaviour(total)


def _matched(seat: Seat, regrets: Vector) -> Vector:
    """Returns `[S]` the behaviour in proportion to positive regrets, uniform where there are none."""
    behaviour = np.ones(seat.size)
    for level in seat.levels:
        own = regrets[level.sequences]
        totals = level.sums(own)[level.owners]
        behaviour[level.sequences] = np.divide(own, totals, out=level.equal.copy(), where=totals > 0)
    return behaviour


def _learn(seat: Seat, collected: Vector, regrets: Vector) -> None:
    """Adds to the regrets in place what each action would have earned more than was earned."""
    behaviour = _matched(seat, regrets)
    worth = collected.copy()
    for level in reversed(seat.levels):
        values = worth[level.sequences]
        earned = level.sums(behaviour[level.sequences] * values)
        np.add.at(worth, level.parents, earned)
        regrets[level.sequences] = np.maximum(regrets[level.sequences] + values - earned[level.owners], 0.0)
