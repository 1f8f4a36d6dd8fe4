"""Meta-solvers `regret-matching` and `regret-matching-plus`.

Axes: `N_p` policies of player p.
"""

import numpy as np
from numpy.typing import NDArray

from csro_core.meta_solvers.base import Solution
from csro_core.meta_solvers.scaling import affordable_steps, fewer_note, solution_of, unit_payoffs
from csro_core.meta_solvers.verify import check_payoffs, nash_conv

Vector = NDArray[np.float64]
Pair = tuple[Vector, Vector]

STEPS = 100_000
"""Steps at most (OpenSpiel, regret_matching.py: iterations)."""
EXPLORATION = 1e-6
"""Share of uniform in every step of regret matching (the same file: gamma)."""
FIRST_REGRET = 1e-6
"""What every regret starts at (the same file)."""
CLOSE = 1e-4
"""NashConv of the average, in payoffs scaled to [-1, 1], at which both stop early."""

_LOOK = 1_000  # steps between two looks at NashConv


class RegretMatchingSolver:
    """The average of two players who play in proportion to how much they regret not having played each policy.

        R <- R + u(sigma_-p) - sigma_p . u(sigma_-p),   sigma_p ~ max(0, R) mixed with 1e-6 uniform

    Both players move at once; all steps count alike. In a zero-sum game the average goes to an equilibrium; in
    others only to the set of coarse correlated equilibria, and what is returned are the marginals.

    Sources: Hart and Mas-Colell 2000 (Econometrica 68); parameters of OpenSpiel's regret_matching.py.
    """

    name = "regret-matching"
    explanation = (
        "plays each policy in proportion to the regret of not having played it, and takes the average; comes near an "
        "equilibrium of zero-sum games, also for general-sum games"
    )
    zero_sum_only = False

    def __init__(self, steps: int = STEPS) -> None:
        """Keeps how many steps are made at most, >= 1."""
        self._steps = steps

    def solve(
        self, payoffs: NDArray[np.float64], stderr: NDArray[np.float64] | None = None, symmetric: bool = False
    ) -> Solution:
        """Returns the average play (see `MetaSolver.solve`); general-sum payoffs are fine.

        Raises:
            ValueError: the payoffs are not finite or have the wrong shape.
        """
        check_payoffs(payoffs, stderr, symmetric)
        steps = affordable_steps(payoffs, self._steps)
        sigma = regret_matching(unit_payoffs(payoffs), _uniform(payoffs), steps, symmetric)
        return solution_of(payoffs, sigma, fewer_note(steps, self._steps))


class RegretMatchingPlusSolver:
    """Regret matching with regrets that never sink below 0, and later steps that count more.

        R <- max(0, R + u(sigma_-p) - sigma_p . u(sigma_-p)),   step t has weight t

    The players take turns: player 1 answers what player 0 has just become. Where one population serves both seats of
    a zero-sum game the two averages differ a little, and their mean is used; in a general-sum game it moves as one.
    Much faster than `regret-matching`, with the same limits.

    Source: Tammelin 2014, Solving Large Imperfect Information Games Using CFR+ (arXiv 1407.5042), section 3.
    """

    name = "regret-matching-plus"
    explanation = (
        "regret matching that forgets negative regrets and counts later steps more: the same equilibria with far "
        "fewer steps; also for general-sum games"
    )
    zero_sum_only = False

    def __init__(self, steps: int = STEPS) -> None:
        """Keeps how many steps are made at most, >= 1."""
        self._steps = steps

    def solve(
        self, payoffs: NDArray[np.float64], stderr: NDArray[np.float64] | None = None, symmetric: bool = False
    ) -> Solution:
        """Returns the weighted average play (see `MetaSolver.solve`); general-sum payoffs are fine.

        Raises:
            ValueError: the payoffs are not finite or have the wrong shape.
        """
        check_payoffs(payoffs, stderr, symmetric)
        steps = affordable_steps(payoffs, self._steps)
        scaled = unit_payoffs(payoffs)
        # Mixing two equilibria gives another one in a zero-sum game only.
        turns = not symmetric or bool((np.abs(scaled[0] + scaled[1]) <= CLOSE).all())
        row, column = regret_matching_plus(scaled, steps, one_population=not turns)
        if symmetric and turns:
            row = (row + column) / 2
            column = row.copy()
        sigma = (row, column)
        return solution_of(payoffs, sigma, fewer_note(steps, self._steps))


def regret_matching(payoffs: NDArray[np.float64], start: Pair, steps: int, symmetric: bool = False) -> Pair:
    """Returns the average play of regret matching.

    Args:
        payoffs: `[2, N_0, N_1]`.
        start: `[N_0]` and `[N_1]` what both play first, distributions.
        steps: >= 1, at most; fewer where NashConv of the average has come down to `CLOSE`.
        symmetric: True where one population serves both seats; the players then stay equal, and one is computed.
    """
    own = np.ascontiguousarray(payoffs[0]), np.ascontiguousarray(payoffs[1].T)
    seats = (0,) if symmetric else (0, 1)
    now = [np.array(weights, dtype=np.float64) for weights in start]
    regret = [np.full(weights.size, FIRST_REGRET) for weights in now]
    total = [np.zeros_like(weights) for weights in now]
    for step in range(1, steps + 1):
        against = [own[seat] @ now[seat if symmetric else 1 - seat] for seat in seats]
        for seat in seats:
            total[seat] += now[seat]
            regret[seat] += against[seat] - now[seat] @ against[seat]
            matched = _matched(np.maximum(regret[seat], 0.0))
            now[seat] = (1 - EXPLORATION) * matched + EXPLORATION / matched.size
        if step % _LOOK == 0 and _is_close(payoffs, _average(total, seats)):
            break
    return _average(total, seats)


def regret_matching_plus(payoffs: NDArray[np.float64], steps: int, one_population: bool = False) -> Pair:
    """Returns the linearly weighted average play of regret matching+, from uniform.

    Args:
        payoffs: `[2, N_0, N_1]`.
        steps: >= 1, at most; fewer where NashConv of the average has come down to `CLOSE`.
        one_population: True where both seats move as one.
    """
    own = np.ascontiguousarray(payoffs[0]), np.ascontiguousarray(payoffs[1].T)
    seats = (0,) if one_population else (0, 1)
    now = list(_uniform(payoffs))
    regret = [np.zeros(weights.size) for weights in now]
    total = [np.zeros_like(weights) for weights in now]
    for step in range(1, steps + 1):
        for seat in seats:
            against = own[seat] @ now[seat if one_population else 1 - seat]
            regret[seat] = np.maximum(regret[seat] + against - now[seat] @ against, 0.0)
            now[seat] = _matched(regret[seat])
            total[seat] += step * now[seat]
        if step % _LOOK == 0 and _is_close(payoffs, _average(total, seats)):
            break
    return _average(total, seats)


def _matched(regret: Vector) -> Vector:
    """Returns the mixture in proportion to regrets that are not negative, uniform where there are none."""
    total = regret.sum()
    return regret / total if total > 0 else np.full(regret.size, 1.0 / regret.size)


def _average(total: list[Vector], seats: tuple[int, ...]) -> Pair:
    found = [total[seat] / total[seat].sum() for seat in seats]
    return found[0], found[-1].copy()


def _is_close(payoffs: NDArray[np.float64], sigma: Pair) -> bool:
    return nash_conv(payoffs, sigma) <= CLOSE


def _uniform(payoffs: NDArray[np.float64]) -> Pair:
    _, rows, columns = payoffs.shape
    return np.full(rows, 1.0 / rows), np.full(columns, 1.0 / columns)
