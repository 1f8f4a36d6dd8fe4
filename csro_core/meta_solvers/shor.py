"""Meta-solvers `shor`, `shor-eval` and `shor-true-regret`: the solver that AlphaEvolve found for PSRO.

Source: arXiv 2602.16928, listing 6 (SHOR-PSRO); what is not said there is not here. Axes: `N_p` policies of player p.

What it computes is not an equilibrium: gains are centred by the plain mean over the policies instead of by the payoff
of the current mixture, so that what is summed up is no regret; without the softmax the fixed point plays each policy in
proportion to the positive part of its mean-centred payoff. `shor-true-regret` centres by the payoff of the mixture.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from csro_core.meta_solvers.base import Solution
from csro_core.meta_solvers.scaling import affordable_steps, fewer_note, solution_of, unit_payoffs
from csro_core.meta_solvers.verify import check_payoffs

Vector = NDArray[np.float64]
Pair = tuple[Vector, Vector]

ANNEALED = 75
"""Calls over which the training solver goes from its first to its last parameters."""

_FLAT = 1e-8  # gains below are not normalised
_EMPTY = 1e-12  # a sum of regrets below counts as none


@dataclass(frozen=True)
class ShorParameters:
    """Parameters of one call.

    Attributes:
        steps: T, of the inner loop, >= 1.
        blend: lambda, share of the softmax, in [0, 1].
        temperature: tau of the softmax, in the unit of the payoffs, > 0.
        diversity: bonus for policies of little weight, >= 0.
        momentum: beta of the optimism, >= 0.
        averaged: True where the average of the inner loop is returned, False for its last mixture.
        true_regret: True where gains are centred by the payoff of the mixture, False as published.
    """

    steps: int
    blend: float
    temperature: float
    diversity: float
    momentum: float
    averaged: bool
    true_regret: bool = False


def training_parameters(policies: int, call: int) -> ShorParameters:
    """Returns the published parameters of the training solver.

    Args:
        policies: of player 0, >= 1.
        call: 1, 2, …: which call of the solver it is; the annealing ends with the 75th.
    """
    share = min(1.0, call / ANNEALED)
    return ShorParameters(
        steps=min(1_000 + 20 * (policies - 1), 5_000),
        blend=_between(0.30, 0.05, share),
        temperature=_between(0.50, 0.01, share),
        diversity=_between(0.05, 0.001, share),
        momentum=0.5,
        averaged=True,
    )


def evaluation_parameters(policies: int) -> ShorParameters:
    """Returns the published parameters of the evaluation solver.

    Args:
        policies: of player 0, >= 1.
    """
    return ShorParameters(
        steps=min(8_000 + 50 * (policies - 1), 15_000),
        blend=0.01,
        temperature=0.001,
        diversity=0.0,
        momentum=0.2,
        averaged=False,
    )


def _between(first: float, last: float, share: float) -> float:
    return first * (1 - share) + last * share


def hybrid(payoffs: NDArray[np.float64], parameters: ShorParameters) -> Pair:
    """Returns the mixtures of the published inner loop, in the payoffs' own unit.

    The players move in order: player 1 answers what player 0 has just become. Late in the annealing the inner loop is
    chaotic: another order of the same additions changes the third digit of the answer.

    Args:
        payoffs: `[2, N_0, N_1]`.
        parameters: of this call.
    """
    own = payoffs[0], payoffs[1].T
    now = [np.full(table.shape[0], 1.0 / table.shape[0]) for table in own]
    regret, last, total = ([np.zeros_like(weights) for weights in now] for _ in range(3))
    ahead, bonus = 1 + parameters.momentum, parameters.diversity
    for _ in range(parameters.steps):
        for seat in (0, 1):
            payoff = own[seat] @ now[1 - seat]
            centre = now[seat] @ payoff if parameters.true_regret else payoff.sum() / payoff.size
            gain = payoff - centre
            push = ahead * gain - parameters.momentum * last[seat]
            if bonus:
                push += bonus * (1 - now[seat])
            largest = max(push.max(), -push.min())
            if largest > _FLAT:
                push /= largest
            regret[seat] = np.maximum(regret[seat] + push, 0.0)
            sum_of_regrets = regret[seat].sum()
            matched = regret[seat] / sum_of_regrets if sum_of_regrets > _EMPTY else 1.0 / payoff.size
            best = np.exp((payoff - payoff.max()) / parameters.temperature)
            now[seat] = (1 - parameters.blend) * matched + parameters.blend * (best / best.sum())
            last[seat] = gain
            total[seat] += now[seat]
    found = total if parameters.averaged else now
    return found[0] / found[0].sum(), found[1] / found[1].sum()


class _Shor:
    """What the variants share: payoffs scaled to [-1, 1], and one answer where there is one population.

    The published temperatures are in units of payoffs of about 1, so payoffs are scaled to [-1, 1] first; `hybrid`
    takes them as they are. The published loop gives the players of a symmetric game slightly different mixtures, since
    one moves after the other: where one population serves both seats their mean is used.
    """

    zero_sum_only = False

    def __init__(self, most_steps: int | None = None) -> None:
        """Keeps how many steps of the inner loop are made at most; None: as published."""
        self._most_steps = most_steps

    def parameters(self, policies: int) -> ShorParameters:
        """Returns the parameters for a meta-game whose larger population has so many policies."""
        raise NotImplementedError

    def solve(
        self, payoffs: NDArray[np.float64], stderr: NDArray[np.float64] | None = None, symmetric: bool = False
    ) -> Solution:
        """Returns the published mixtures (see `MetaSolver.solve`); general-sum payoffs are fine.

        Raises:
            ValueError: the payoffs are not finite or have the wrong shape.
        """
        check_payoffs(payoffs, stderr, symmetric)
        parameters = self.parameters(max(payoffs.shape[1:]))
        if self._most_steps is not None:
            parameters = replace(parameters, steps=min(parameters.steps, self._most_steps))
        steps = affordable_steps(payoffs, parameters.steps)
        row, column = hybrid(unit_payoffs(payoffs), replace(parameters, steps=steps))
        if symmetric:
            row = (row + column) / 2
            column = row.copy()
        return solution_of(payoffs, (row, column), fewer_note(steps, parameters.steps))


class ShorSolver(_Shor):
    """The training solver of SHOR-PSRO as published.

    It counts its calls; here the count is the size of the population, which is the same in the published loop (it
    starts from one policy and adds one a call), so that a resumed run goes on as if it had never stopped.
    """

    name = "shor"
    explanation = (
        "SHOR-PSRO's training solver as published: optimistic regrets blended with a softmax that cools down as the "
        "population grows; not an equilibrium; also for general-sum games"
    )

    def parameters(self, policies: int) -> ShorParameters:
        """Returns those of the call (see `_Shor.parameters`)."""
        return training_parameters(policies, policies)


class ShorEvalSolver(_Shor):
    """The evaluation solver of SHOR-PSRO as published: the last mixture of the inner loop, which may still cycle."""

    name = "shor-eval"
    explanation = (
        "SHOR-PSRO's evaluation solver as published: nearly no softmax, and the last mixture instead of the average, "
        "which may still be cycling; also for general-sum games"
    )

    def parameters(self, policies: int) -> ShorParameters:
        """Returns those of the call (see `_Shor.parameters`)."""
        return evaluation_parameters(policies)


class ShorTrueRegretSolver(_Shor):
    """The training solver of SHOR-PSRO with true regrets: our change, not published."""

    name = "shor-true-regret"
    explanation = (
        "SHOR-PSRO's training solver with one change of ours: gains are measured from the payoff of the mixture, so "
        "that they are regrets, and sigma comes nearer to an equilibrium"
    )

    def parameters(self, policies: int) -> ShorParameters:
        """Returns those of the call (see `_Shor.parameters`)."""
        return replace(training_parameters(policies, policies), true_regret=True)
