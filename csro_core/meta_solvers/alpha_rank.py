"""Meta-solvers `alpha-rank` and `alpha-rank-finite`: how often evolution is found at each policy.

Axes: `N_p` policies of player p; `S` pure profiles: one policy each where one population serves both seats, pairs in
the order (0, 0), (0, 1), … where there are two.

Source: Omidshafiei et al. 2019, alpha-Rank: Multi-Agent Evaluation by Evolution (Scientific Reports 9, 9937; arXiv
1903.01373): a chain over pure profiles whose steps are single mutants that take over a population of m.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from csro_core.meta_solvers.alpha_rank_large import large_stationary
from csro_core.meta_solvers.base import Solution
from csro_core.meta_solvers.chains import stationary_distribution
from csro_core.meta_solvers.scaling import solution_of, unit_payoffs
from csro_core.meta_solvers.verify import check_payoffs

Matrix = NDArray[np.float64]

POPULATION = 50
"""m, individuals of a population (OpenSpiel, egt/alpharank.py)."""
EPSILON = 0.01
"""Chance of a step for the worse, 1 - EPSILON for the better, at infinite alpha (the same file: inf_alpha_eps)."""
FINITE_ALPHA = 10.0
"""alpha of `alpha-rank-finite` for payoffs scaled to [-1, 1]: a gain of a tenth nearly always takes over."""
MOST_PROFILES = 2_500
"""Profiles at most: the chain is a dense table of their square."""
MOST_LARGE_PROFILES = 40_000
"""Profiles at most of the solvers for two populations, which go over to sweeps above `MOST_PROFILES`."""

_TIE = 1e-9  # gaps below, relative to the largest payoff, are ties


@dataclass(frozen=True)
class ResponseGraph:
    """The chain of evolution over pure profiles.

    Attributes:
        profiles: S of them: (i,) where one population serves both seats, else (i, j).
        transition: `[S, S]` probabilities to go from row to column; rows sum to 1.
        stationary: `[S]` how often the chain is at each profile in the long run.
        fixation: `[S, S]` chance that the column's mutant takes over from the row, divided by that of a neutral
            mutant: > 1 where it is favoured; 0.0 on the diagonal and between profiles that differ in both players.
    """

    profiles: tuple[tuple[int, ...], ...]
    transition: Matrix
    stationary: NDArray[np.float64]
    fixation: Matrix


def response_graph(
    payoffs: NDArray[np.float64],
    symmetric: bool,
    alpha: float,
    population_size: int = POPULATION,
    selection: Literal["local", "finite"] = "local",
) -> ResponseGraph:
    """Returns the chain of evolution and where it spends its time.

    Args:
        payoffs: `[2, N_0, N_1]`, in their own unit.
        symmetric: True for one population whose individuals play each other, False for one population a player.
        alpha: selection intensity in 1 / unit of the payoffs, >= 0; `math.inf`: steps for the better have chance
            1 - EPSILON, ties 1/2, steps for the worse EPSILON, each times 1 / (number of mutants); no population size.
        population_size: m >= 2.
        selection: "local": a mutant is compared with one resident at a time, so that the gap of payoffs decides (the
            paper's multi-population model); "finite": by mean payoffs in the mixed population of m, symmetric and
            finite alpha only (the paper's single-population model; Han et al. 2013).

    Raises:
        ValueError: the payoffs are not finite, have the wrong shape, or too many profiles; alpha or m do not fit.
    """
    check_payoffs(payoffs, None, symmetric)
    if not alpha >= 0 or population_size < 2:
        raise ValueError(f"alpha must be >= 0 and the population >= 2, got {alpha} and {population_size}")
    if selection == "finite" and (not symmetric or math.isinf(alpha)):
        raise ValueError("selection in a finite population needs one population and a finite alpha")
    _, rows, columns = payoffs.shape
    count = rows if symmetric else rows * columns
    if count > MOST_PROFILES:
        raise ValueError(
            f"alpha-rank must have at most {MOST_PROFILES:,} profiles, got {count:,}: "
            f"their transitions would not fit into memory; choose fewer policies"
        )
    if selection == "finite":
        neighbours = ~np.eye(count, dtype=np.bool_)
        log_fixation = _log_fixation_finite(payoffs[0], alpha, population_size)
    else:
        gaps, neighbours = _gaps(payoffs, symmetric)
        log_fixation = _log_fixation(gaps, alpha, population_size, _TIE * float(np.abs(payoffs).max()))
    neutral = 0.5 if math.isinf(alpha) else 1.0 / population_size
    log_fixation = np.where(neighbours, log_fixation, -np.inf)
    mutants = max(rows - 1 if symmetric else rows + columns - 2, 1)
    with np.errstate(under="ignore"):
        fixation = np.exp(log_fixation)
    transition = fixation / mutants
    np.fill_diagonal(transition, 1.0 - transition.sum(axis=1))
    profiles = tuple((i,) for i in range(rows)) if symmetric else tuple(np.ndindex(rows, columns))
    return ResponseGraph(profiles, transition, stationary_distribution(log_fixation), fixation / neutral)


def sweep(payoffs: NDArray[np.float64], symmetric: bool, alphas: Sequence[float]) -> Matrix:
    """Returns `[A, S]` the stationary distribution for each alpha (see `response_graph`).

    Raises:
        ValueError: as `response_graph`.
    """
    return np.stack([response_graph(payoffs, symmetric, alpha).stationary for alpha in alphas])


def _gaps(payoffs: NDArray[np.float64], symmetric: bool) -> tuple[Matrix, NDArray[np.bool_]]:
    """Returns `[S, S]` what the column's mutant has over the row's resident, and which are one mutant apart."""
    if symmetric:
        return payoffs[0].T - payoffs[0], ~np.eye(payoffs.shape[1], dtype=np.bool_)
    _, rows, columns = payoffs.shape
    row, column = (part.ravel() for part in np.indices((rows, columns)))
    same_row, same_column = row[:, np.newaxis] == row, column[:, np.newaxis] == column
    one, two = payoffs[0].ravel(), payoffs[1].ravel()
    gaps = np.where(same_column, one - one[:, np.newaxis], two - two[:, np.newaxis])
    return gaps, same_row ^ same_column


def _rates(payoffs: NDArray[np.float64], alpha: float) -> tuple[Matrix, Matrix]:
    """Returns `[N_1, N_0, N_0]` and `[N_0, N_1, N_1]` chances that a mutant takes over, of each player's steps."""
    tie = _TIE * float(np.abs(payoffs).max())
    found = []
    for own in (payoffs[0].T, payoffs[1]):
        gaps = own[:, np.newaxis, :] - own[:, :, np.newaxis]
        with np.errstate(under="ignore"):
            found.append(np.exp(_log_fixation(gaps, alpha, POPULATION, tie)))
    return found[0], found[1]


def _log_fixation(gaps: Matrix, alpha: float, population_size: int, tie: float) -> Matrix:
    """Returns the logarithm of (1 - e^-u) / (1 - e^-mu) with u = alpha * gap, 1 / m where u = 0.

    By expm1 and in a form for u > 0 only: for u < 0 numerator and denominator are multiplied by e^u and e^mu.
    """
    if math.isinf(alpha):
        better = np.where(gaps > tie, math.log1p(-EPSILON), math.log(EPSILON))
        return np.where(np.abs(gaps) <= tie, math.log(0.5), better)
    u = np.abs(gaps) * alpha
    safe = np.where(u > 0, u, 1.0)
    with np.errstate(under="ignore"):
        ratio = np.log(-np.expm1(-safe)) - np.log(-np.expm1(-population_size * safe))
    favoured = np.where(u > 0, ratio, -math.log(population_size))
    return np.where(gaps < 0, favoured - (population_size - 1) * u, favoured)


def _log_fixation_finite(matrix: Matrix, alpha: float, population_size: int) -> Matrix:
    """Returns `[N, N]` logarithms of the chance that one mutant r (column) takes over from m - 1 residents s (row).

    rho = 1 / (1 + sum_{l=1}^{m-1} prod_{k=1}^{l} e^{-alpha (f_r(k) - f_s(m-k))}), f the mean payoff of k mutants and
    of m - k residents when everybody meets everybody else once (Traulsen et al. 2006; Han et al. 2013).
    """
    others = population_size - 1
    own = np.diag(matrix)
    exponent = np.zeros_like(matrix)
    total = np.zeros_like(matrix)
    for k in range(1, population_size):
        mutant = ((k - 1) * own + (population_size - k) * matrix.T) / others
        resident = (k * matrix + (population_size - k - 1) * own[:, np.newaxis]) / others
        exponent -= alpha * (mutant - resident)
        total = np.logaddexp(total, exponent)
    return -total


class _AlphaRank:
    """What the variants share: payoffs scaled to [-1, 1], and marginals over profiles."""

    zero_sum_only = False
    alpha: float

    def solve(
        self, payoffs: NDArray[np.float64], stderr: NDArray[np.float64] | None = None, symmetric: bool = False
    ) -> Solution:
        """Returns the marginals of the stationary distribution (see `MetaSolver.solve`); general-sum payoffs are fine.

        Raises:
            ValueError: the payoffs are not finite, have the wrong shape, or there are more than 2,500 profiles (40,000
                where there are two populations).
        """
        check_payoffs(payoffs, stderr, symmetric)
        if not symmetric and MOST_PROFILES < payoffs[0].size <= MOST_LARGE_PROFILES:
            table, settled = large_stationary(*_rates(unit_payoffs(payoffs), self.alpha))
            note = "" if settled else "the chain of evolution has so many profiles that it did not settle; approximate"
            return solution_of(payoffs, (table.sum(axis=1), table.sum(axis=0)), note)
        stationary = response_graph(unit_payoffs(payoffs), symmetric, self.alpha).stationary
        if symmetric:
            return solution_of(payoffs, (stationary, stationary.copy()))
        table = stationary.reshape(payoffs.shape[1:])
        return solution_of(payoffs, (table.sum(axis=1), table.sum(axis=0)))


class AlphaRankSolver(_AlphaRank):
    """alpha-rank at infinite alpha: only who beats whom counts, not by how much.

    The chain follows steps for the better and takes one for the worse with chance 0.01, so that it does not stay in the
    first sink. Where there are two populations, sigma holds each player's marginals. Equal payoffs and noise that turns
    the sign of a small gap change the answer. Source of the perturbation: OpenSpiel's alpharank.py; as a meta-solver:
    Muller et al. 2020 (arXiv 1909.12823).
    """

    name = "alpha-rank"
    explanation = (
        "how often evolution is found at each policy when only who beats whom counts (infinite alpha); no equilibrium, "
        "also for general-sum games"
    )
    alpha = math.inf


class AlphaRankFiniteSolver(_AlphaRank):
    """alpha-rank at alpha = 10 for payoffs scaled to [-1, 1], with 50 individuals: small gaps of payoffs count less."""

    name = "alpha-rank-finite"
    explanation = (
        "alpha-rank at a finite selection intensity: clear wins count more than narrow ones, which noise can turn "
        "round; also for general-sum games"
    )
    alpha = FINITE_ALPHA
