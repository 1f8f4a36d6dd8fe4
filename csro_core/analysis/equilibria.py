"""Equilibria of antisymmetric games, as the pictures need them: one that is unique, or its support only."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from csro_core.analysis.tiers import tiers
from csro_core.meta_solvers.max_entropy_nash import MaxEntropyNashSolver
from csro_core.meta_solvers.nash import NashSolver
from csro_core.meta_solvers.reduce import first_of_equal_rows

MAX_EXACT = 500
"""Above this size the support is that of one equilibrium: the program for the largest has twice the variables."""

MAX_EVEN = 100
"""Above this size the equilibrium is one of perhaps many: the most even one takes seconds, and a history needs many."""

_WEIGHT = 1e-6


def largest_support(matrix: NDArray[np.float64]) -> NDArray[np.intp]:
    """Returns the policies that have weight in some equilibrium, ascending.

    Up to `MAX_EXACT` policies by one linear program: maximise sum t under A (t + r) <= 0, 0 <= t <= 1, r >= 0. Any
    equilibrium can be stretched until all its weights are at least 1, so at the optimum t is 1 on the largest support
    and 0 elsewhere. Beyond, and where the program fails, the support of the equilibrium that `nash` finds.

    Args:
        matrix: `[N, N]` antisymmetric.
    """
    scale = float(np.abs(matrix).max())
    if scale == 0:
        return np.arange(matrix.shape[0])
    kept, groups = first_of_equal_rows(matrix)
    distinct = matrix[np.ix_(kept, kept)] / scale
    support = _by_program(distinct) if kept.size <= MAX_EXACT else None
    if support is None:
        support = equilibrium(distinct) > _WEIGHT
    found: NDArray[np.intp] = np.flatnonzero(support[groups])
    return found


def _by_program(matrix: NDArray[np.float64]) -> NDArray[np.bool_] | None:
    """Returns `[N]` whether a policy is in the largest support; None where the program gave no sound answer."""
    count = matrix.shape[0]
    answer = linprog(
        np.concatenate([-np.ones(count), np.zeros(count)]),
        A_ub=np.hstack([matrix, matrix]),
        b_ub=np.zeros(count),
        bounds=[(0.0, 1.0)] * count + [(0.0, None)] * count,
        method="highs-ds",
    )
    if answer.x is None:
        return None
    inside = np.asarray(answer.x[:count] > 0.5)
    weights = np.where(inside, answer.x[:count] + answer.x[count:], 0.0)
    # Where nothing is inside, or the stretched weights win something, tolerances have got the better of the program.
    sound = inside.any() and float((matrix @ weights).max()) <= 1e-6 * float(weights.sum())
    return inside if sound else None


def equilibrium(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns an equilibrium: the most even one up to `MAX_EVEN` policies, the one that `nash` finds beyond.

    Args:
        matrix: `[N, N]` antisymmetric.
    """
    tier = tiers(matrix)[0]
    part = matrix[np.ix_(tier, tier)]
    solver = MaxEntropyNashSolver() if tier.size <= MAX_EVEN else NashSolver()
    sigma = np.zeros(matrix.shape[0])
    sigma[tier] = solver.solve(np.stack([part, part.T]), None, True).sigma[0]
    return sigma
