"""Meta-solver `nash`: an equilibrium of a zero-sum meta-game by linear programming."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, linprog

from csro_core.meta_solvers.base import Solution
from csro_core.meta_solvers.reduce import normalised, reduce_game, spread
from csro_core.meta_solvers.verify import check_payoffs, nash_conv

Method: TypeAlias = Literal["highs", "highs-ds", "highs-ipm"]

_ACCURACY = 1e-7  # relative NashConv up to which an answer counts as an equilibrium
_LARGE = 200  # dual simplex takes 15 s at 1,000 policies, the interior point method 5 s


@dataclass(frozen=True)
class Equilibrium:
    """An equilibrium of a zero-sum matrix.

    Attributes:
        row: `[N_0]` strategy of the row player.
        column: `[N_1]` strategy of the column player.
        lower: what `row` is sure to get.
        upper: what `column` is sure to concede at most; `upper - lower` is NashConv.
    """

    row: NDArray[np.float64]
    column: NDArray[np.float64]
    lower: float
    upper: float


def solve_matrix(matrix: NDArray[np.float64]) -> Equilibrium:
    """Returns an equilibrium of a zero-sum matrix game whose entries lie in [-1, 1].

    Tries the method that fits the size, verifies the answer against its own best responses, and tries the other
    method where that fails; the better answer is returned, however good it is.

    Args:
        matrix: `[N_0, N_1]` payoff to the row player.
    """
    methods: list[Method] = ["highs-ds", "highs-ipm"]
    if max(matrix.shape) > _LARGE:
        methods.reverse()
    best = _equilibrium(matrix, methods[0])
    if best.upper - best.lower > _ACCURACY:
        other = _equilibrium(matrix, methods[1])
        if other.upper - other.lower < best.upper - best.lower:
            best = other
    return best


def _equilibrium(matrix: NDArray[np.float64], method: Method) -> Equilibrium:
    """Returns the row player's answer and, from the multipliers of the same linear program, the column player's."""
    row, column = _maximin(matrix, method)
    found = _bounded(matrix, row, column)
    if found.upper - found.lower <= _ACCURACY:
        return found
    return _bounded(matrix, row, _maximin(-matrix.T, method)[0])


def _bounded(matrix: NDArray[np.float64], row: NDArray[np.float64], column: NDArray[np.float64]) -> Equilibrium:
    return Equilibrium(row, column, float((row @ matrix).min()), float((matrix @ column).max()))


def maximin_program(matrix: NDArray[np.float64], method: Method) -> OptimizeResult:
    """Returns scipy's answer to: x in the simplex that maximises v, where v <= (x^T matrix)_j for every column j.

    Args:
        matrix: `[N_0, N_1]` payoffs to the row player.
        method: of `linprog`.

    Returns:
        Its `x` is the N_0 weights with v after them, None where there is no answer.
    """
    rows, columns = matrix.shape
    return linprog(
        np.append(np.zeros(rows), -1.0),
        A_ub=np.hstack([-matrix.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[np.newaxis],
        b_eq=[1.0],
        bounds=[(0.0, None)] * rows + [(None, None)],
        method=method,
    )


def _maximin(matrix: NDArray[np.float64], method: Method) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns x in the simplex that maximises min_j (x^T matrix)_j, and the mixture over columns that holds it there.

    The second one has the multipliers of the constraints as weights. Both are uniform where there is no answer.
    """
    rows, columns = matrix.shape
    answer = maximin_program(matrix, method)
    if answer.x is None:
        return np.full(rows, 1.0 / rows), np.full(columns, 1.0 / columns)
    multipliers = -np.asarray(answer.ineqlin.marginals, dtype=np.float64)
    return normalised(np.asarray(answer.x[:rows], dtype=np.float64)), normalised(multipliers)


class NashSolver:
    """An equilibrium by linear programming (scipy's HiGHS).

    Where there are many equilibria the answer is a corner of their set, so it leaves out policies that it might as
    well use; `max-entropy-nash` does not. Policies with exactly equal payoffs count as one and share its weight.
    """

    name = "nash"
    explanation = (
        "an exact equilibrium by linear programming; picks one corner where there are many, and trusts noisy "
        "payoffs as if they were exact"
    )
    zero_sum_only = True

    def solve(
        self, payoffs: NDArray[np.float64], stderr: NDArray[np.float64] | None = None, symmetric: bool = False
    ) -> Solution:
        """Returns an equilibrium of a zero-sum meta-game (see `MetaSolver.solve`).

        Raises:
            ValueError: the payoffs are not finite, have the wrong shape, or are not zero-sum.
        """
        check_payoffs(payoffs, stderr, symmetric)
        game = reduce_game(payoffs, symmetric)
        found = solve_matrix(game.scaled.matrix)
        row = spread(found.row, game.groups[0])
        sigma = (row, row.copy() if symmetric else spread(found.column, game.groups[1]))
        conv = nash_conv(payoffs, sigma)
        exact = conv <= 10 * _ACCURACY * game.scaled.scale
        note = "" if exact else f"the linear program came out inexact: meta-game NashConv = {conv:.3g}"
        return Solution(sigma, float(sigma[0] @ payoffs[0] @ sigma[1]), conv, note=note)
