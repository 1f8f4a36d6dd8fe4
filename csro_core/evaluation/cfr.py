"""Counterfactual regret minimisation over the sequence form of a small game, and CFR+ by OpenSpiel's C++ solver.

The loop is here, what makes a variant is a `RegretRule` (`vad_cfr` has one). Updates alternate: player 0 moves on, then
player 1 against the new strategy, as in CFR+ (O. Tammelin, "Solving Large Imperfect Information Games Using CFR+",
arXiv 1407.5042, 2014).

Axes: `S_p` sequences and `I_p` information states of player p. Arrays over actions are `[S_p]`, the action's sequence
standing for the action; entry 0, the empty sequence, is no action.
"""

from collections.abc import Mapping
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from csro_core.evaluation.sequence_form import Floats, SequenceForm, Side, plan_of_behaviour
from csro_core.games.base import GameSpec
from csro_core.games.openspiel import load_openspiel
from csro_core.games.openspiel_names import pyspiel

Table: TypeAlias = Mapping[str, Mapping[int, float]]
"""Information state -> legal action -> chance."""


class RegretRule(Protocol):
    """What one player keeps between iterations of a variant of CFR. Both methods are called once an iteration."""

    def average_weights(self, iteration: int, regrets: Floats) -> Floats:
        """Returns `[I_p]` by how much the strategy of this iteration counts in the average, beside own reach.

        Args:
            iteration: t, from 0.
            regrets: `[S_p]` counterfactual regrets of this iteration.
        """
        ...

    def next_strategy(self, iteration: int, regrets: Floats) -> Floats:
        """Takes the regrets and returns `[S_p]` the strategy of the next iteration.

        Args:
            iteration: t, from 0.
            regrets: `[S_p]` counterfactual regrets of this iteration.
        """
        ...


class Actions:
    """Sums and shares over the actions of each information state of one player."""

    def __init__(self, side: Side) -> None:
        """Sorts nothing: the sequences of a state follow each other, state after state."""
        self.state_of: NDArray[np.int64] = side.state_of[1:]
        self.starts = np.flatnonzero(np.diff(self.state_of, prepend=-1))
        self._counts = np.bincount(self.state_of, minlength=side.states).astype(np.float64)

    def largest(self, values: Floats) -> Floats:
        """Returns `[I_p]` the largest of `[S_p]` values at each information state."""
        return np.asarray(np.maximum.reduceat(values[1:], self.starts), dtype=np.float64)

    def spread(self, values: Floats) -> Floats:
        """Returns `[S_p]` the value of each action's information state, from `[I_p]`."""
        return np.concatenate([[0.0], values[self.state_of]])

    def shares(self, weights: Floats) -> Floats:
        """Returns `[S_p]` weights >= 0 in proportion at each information state; even where all are 0."""
        totals = np.add.reduceat(weights[1:], self.starts)
        whole = totals[self.state_of]
        even = 1.0 / self._counts[self.state_of]
        return np.concatenate([[1.0], np.divide(weights[1:], whole, out=even, where=whole > 0)])


class CfrPlusRule:
    """CFR+: regrets never fall below 0, and iteration t counts t + 1 times."""

    def __init__(self, side: Side) -> None:
        """Starts with no regrets."""
        self._actions = Actions(side)
        self._regrets = np.zeros(side.size)
        self._states = side.states

    def average_weights(self, iteration: int, regrets: Floats) -> Floats:
        """Returns t + 1 for every information state."""
        return np.full(self._states, iteration + 1.0)

    def next_strategy(self, iteration: int, regrets: Floats) -> Floats:
        """Returns the strategy in proportion to the regrets."""
        self._regrets = np.maximum(self._regrets + regrets, 0.0)
        return self._actions.shares(self._regrets)


class CfrSolver:
    """One variant of CFR on one game."""

    def __init__(self, form: SequenceForm, rules: tuple[RegretRule, RegretRule]) -> None:
        """Starts from uniform strategies.

        Args:
            form: the game.
            rules: of player 0 and player 1, fresh.
        """
        self._form = form
        self._rules = rules
        self._actions = [Actions(side) for side in form.sides]
        self._strategies = [actions.shares(np.zeros(side.size)) for actions, side in self._parts()]
        self._averages = [np.zeros(side.size) for side in form.sides]
        self._iteration = 0

    def run(self, iterations: int) -> None:
        """Does so many more iterations."""
        for _ in range(iterations):
            for player in (0, 1):
                self._update(player)
            self._iteration += 1

    def average(self, player: int) -> Floats:
        """Returns `[S_p]` the average strategy; the current one as long as no iteration has counted in the average."""
        average = self._averages[player]
        return self._actions[player].shares(average) if average.any() else self._strategies[player]

    def _update(self, player: int) -> None:
        form, actions, strategy = self._form, self._actions[player], self._strategies[player]
        side = form.sides[player]
        opponent = plan_of_behaviour(form.sides[1 - player], self._strategies[1 - player])
        regrets = counterfactual_regrets(form, player, strategy, opponent)
        reach = plan_of_behaviour(side, strategy)
        weights = self._rules[player].average_weights(self._iteration, regrets)
        # The reach of an information state is that of the sequence that leads to it.
        self._averages[player] += actions.spread(weights * reach[side.parent_of]) * strategy
        self._strategies[player] = self._rules[player].next_strategy(self._iteration, regrets)

    def _parts(self) -> list[tuple[Actions, Side]]:
        return list(zip(self._actions, self._form.sides, strict=True))


def counterfactual_regrets(form: SequenceForm, player: int, strategy: Floats, opponent_plan: Floats) -> Floats:
    """Returns `[S_p]` what each action would have earned more than the strategy at its information state.

    Weighted by chance's and the opponent's reach, not by the player's own.

    Args:
        form: the game.
        player: whose regrets, 0 or 1.
        strategy: `[S_p]` its behaviour strategy.
        opponent_plan: realisation plan of the other player.
    """
    side = form.sides[player]
    values = form.against(player, opponent_plan)
    states = np.zeros(side.states)
    for level in reversed(side.levels):
        earned = values[level.sequences] * strategy[level.sequences]
        states[level.states] = np.add.reduceat(earned, level.starts)
        np.add.at(values, level.parents, states[level.states])
    regrets = values - np.concatenate([[0.0], states[side.state_of[1:]]])
    regrets[0] = 0.0
    return np.asarray(regrets, dtype=np.float64)


def tables_of(form: SequenceForm, solver: CfrSolver) -> tuple[Table, Table]:
    """Returns the average strategies of both players as tables."""
    tables = []
    for player, states in enumerate(form.tree.states):
        average = solver.average(player)
        tables.append(
            {
                state.key: {action: float(average[state.first + k]) for k, action in enumerate(state.actions)}
                for state in states
            }
        )
    return tables[0], tables[1]


def cfr_plus(spec: GameSpec, iterations: int) -> Table:
    """Returns the average strategy of CFR+ as OpenSpiel's C++ solver has it, both players in one table.

    Args:
        spec: a game of OpenSpiel in which players take turns; small, since nothing bounds the time here.
        iterations: >= 1.

    Raises:
        UsageError: there is no such game.
    """
    solver = pyspiel.CFRPlusSolver(load_openspiel(spec))
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    table = solver.tabular_average_policy().policy_table()
    return {state: {int(action): float(chance) for action, chance in chances} for state, chances in table.items()}
