"""Meta-solver `max-entropy-nash`, the default: the most even meta-strategy that the noise cannot tell from Nash."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from csro_core.meta_solvers.base import Solution
from csro_core.meta_solvers.entropy import max_entropy
from csro_core.meta_solvers.nash import NashSolver, solve_matrix
from csro_core.meta_solvers.reduce import reduce_game, spread
from csro_core.meta_solvers.verify import check_payoffs, gains

Vector = NDArray[np.float64]
Pair = tuple[Vector, Vector]

LARGE = 60
"""Above this many policies the tolerance is made consistent with sigma less finely, for speed."""

_LEAST = 1e-9  # tolerance of exact payoffs, relative to their range
_WIDENED = 10.0  # exact payoffs can leave so little room that rounding needs a wider tolerance: up to 1e-6
_WIDEST = 1e-6
_ROUNDS = 8
_CONSISTENT = 1.05  # the tolerance and the standard error against sigma may differ by this factor
_CONSISTENT_LARGE = 1.25
_TRIMMED = 1e-6  # weights below are dropped where the tolerance still holds
_ROUNDING = 1e-10


@dataclass(frozen=True)
class _Bounds:
    """What each player can guarantee in the scaled game: 0 and 0 where it is antisymmetric."""

    lower: float
    upper: float


class MaxEntropyNashSolver:
    """The strategy of greatest entropy among the epsilon-equilibria of a zero-sum meta-game.

    epsilon is one standard error of the payoff against sigma: the root mean square over policies i of the standard
    error of u(i, sigma_-p), cells taken as independent. It depends on sigma, which depends on it, so the two are
    iterated until they agree within 5 %; above 60 policies 25 % have to do, and the note says so. Exact
    payoffs get 1e-9 of their range. Where there is one population every policy gains at most epsilon against
    sigma; where there are two, each sigma is allowed epsilon / 2 below the value of the game, which gives the same.
    Policies with exactly equal payoffs count as one and share its weight.

    Source: Balduzzi et al. 2018, Re-evaluating Evaluation (arXiv 1806.02643), section 3 (epsilon = 0).
    """

    name = "max-entropy-nash"
    explanation = (
        "the most even mixture that no policy beats by more than the noise of the payoffs: one answer, whatever "
        "the order of the policies, and duplicates share one weight"
    )
    zero_sum_only = True

    def solve(
        self, payoffs: NDArray[np.float64], stderr: NDArray[np.float64] | None = None, symmetric: bool = False
    ) -> Solution:
        """Returns the most even epsilon-equilibrium of a zero-sum meta-game (see `MetaSolver.solve`).

        Raises:
            ValueError: the payoffs are not finite, have the wrong shape, or are not zero-sum.
        """
        check_payoffs(payoffs, stderr, symmetric)
        game = reduce_game(payoffs, symmetric)
        scaled = game.scaled
        noise = np.zeros_like(scaled.matrix) if stderr is None else game.select(stderr[0]) / scaled.scale
        found = _search(scaled.matrix, noise, symmetric)
        if found is None:
            plain = NashSolver().solve(payoffs, stderr, symmetric)
            note = "the search for the greatest entropy did not converge; this is a plain Nash equilibrium"
            return replace(plain, epsilon=max(gains(payoffs, plain.sigma)), note=note)
        (row, column), tolerance = found
        sigma = (spread(row, game.groups[0]), spread(column, game.groups[1]))
        both = gains(payoffs, sigma)
        note = ""
        if max(row.size, column.size) > LARGE and stderr is not None:
            note = (
                f"more than {LARGE} policies, so a cheaper equivalent: epsilon agrees with the standard error "
                f"against sigma within 25 % instead of 5 %"
            )
        return Solution(
            sigma,
            float(sigma[0] @ payoffs[0] @ sigma[1]),
            sum(both),
            max(tolerance * scaled.scale, *both),
            note,
        )


def _search(matrix: Vector, noise: Vector, symmetric: bool) -> tuple[Pair, float] | None:
    """Returns the strategies and the tolerance granted, both for the scaled game; None where a solve failed."""
    if symmetric:
        bounds = _Bounds(0.0, 0.0)
    else:
        equilibrium = solve_matrix(matrix)
        bounds = _Bounds(equilibrium.lower, equilibrium.upper)
    uniform = tuple(np.full(size, 1.0 / size) for size in matrix.shape)
    tolerance = max(_LEAST, _noise_against(noise, (uniform[0], uniform[1])))
    close = _CONSISTENT if max(matrix.shape) <= LARGE else _CONSISTENT_LARGE
    for left in range(_ROUNDS - 1, -1, -1):
        pair = _most_even(matrix, bounds, tolerance, symmetric)
        while pair is None and tolerance * _WIDENED <= _WIDEST:
            tolerance *= _WIDENED
            pair = _most_even(matrix, bounds, tolerance, symmetric)
        if pair is None:
            return None
        wanted = max(_LEAST, _noise_against(noise, pair))
        agreed = max(wanted / tolerance, tolerance / wanted) <= close or max(wanted, tolerance) <= _WIDEST
        if agreed or left == 0:
            return pair, tolerance
        # More tolerance spreads sigma, which lowers its standard error: the geometric mean damps the swing.
        tolerance = float(np.sqrt(wanted * tolerance))
    return None


def _noise_against(noise: Vector, pair: Pair) -> float:
    """Returns the root mean square, over the policies of both players, of the standard error against the pair."""
    squares = noise**2
    by_policy = np.concatenate([squares @ pair[1] ** 2, pair[0] ** 2 @ squares])
    return float(np.sqrt(by_policy.mean()))


def _most_even(matrix: Vector, bounds: _Bounds, tolerance: float, symmetric: bool) -> Pair | None:
    if symmetric:
        strategy = max_entropy(matrix, np.full(matrix.shape[0], tolerance))
        if strategy is None:
            return None
        best = _trimmed(strategy, matrix, tolerance)
        return best, best
    allowed = tolerance / 2
    row = max_entropy(-matrix.T, np.full(matrix.shape[1], allowed - bounds.lower))
    column = max_entropy(matrix, np.full(matrix.shape[0], bounds.upper + allowed))
    if row is None or column is None:
        return None
    return _trimmed(row, -matrix.T, allowed - bounds.lower), _trimmed(column, matrix, bounds.upper + allowed)


def _trimmed(strategy: Vector, g: Vector, limit: float) -> Vector:
    """Returns the strategy without its tiny weights, or as it is where a constraint G x <= limit would break.

    The greatest entropy never makes a weight exactly 0; each weight that stays is an opponent to play against.
    """
    shorter = np.where(strategy < _TRIMMED, 0.0, strategy)
    shorter = shorter / shorter.sum()
    return shorter if float((g @ shorter).max()) <= limit + _ROUNDING else strategy
