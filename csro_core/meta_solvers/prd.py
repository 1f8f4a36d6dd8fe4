"""Meta-solver `prd`: projected replicator dynamics.

Axes: `N_p` policies of player p.
"""

import numpy as np
from numpy.typing import NDArray

from csro_core.meta_solvers.base import Solution
from csro_core.meta_solvers.scaling import affordable_steps, fewer_note, solution_of, unit_payoffs
from csro_core.meta_solvers.verify import check_payoffs

Vector = NDArray[np.float64]
Pair = tuple[Vector, Vector]

STEPS = 50_000
"""Steps of length `STEP` in payoffs scaled to [-1, 1] (OpenSpiel, psro_v2_example.py)."""
STEP = 2e-3
"""Time of one step: 100 in all, as 100,000 steps of 1e-3 take (OpenSpiel, projected_replicator_dynamics.py)."""
FLOOR = 1e-6
"""Least weight of a policy (the same file: gamma)."""

_LONGEST = 0.05  # a step in a large game; a weight then changes by at most 10 % a step


class PrdSolver:
    """The time average of replicator dynamics that are kept away from the border.

        x_k <- P(x_k + dt x_k [u_k(y) - x . u(y)]),   P onto the mixtures with all weights >= gamma

    From uniform, both players at once, for a time of 100 in payoffs scaled to [-1, 1]. In a large meta-game the steps
    are longer and fewer, so that the time stays 100. The answer is a slow approximation, not an equilibrium: it still
    remembers that every policy once had the same weight.

    Source: Lanctot et al. 2017 (arXiv 1711.00832), section 3.1.
    """

    name = "prd"
    explanation = (
        "projected replicator dynamics, the PSRO paper's own: better policies grow from uniform, none dies out, and "
        "the average over time is used; also for general-sum games"
    )
    zero_sum_only = False

    def __init__(self, steps: int = STEPS) -> None:
        """Keeps how many steps the time of 100 is cut into, >= 1; at least 2,000 are made."""
        self._steps = max(steps, int(STEP * STEPS / _LONGEST))

    def solve(
        self, payoffs: NDArray[np.float64], stderr: NDArray[np.float64] | None = None, symmetric: bool = False
    ) -> Solution:
        """Returns the time average (see `MetaSolver.solve`); general-sum payoffs are fine.

        Raises:
            ValueError: the payoffs are not finite or have the wrong shape.
        """
        check_payoffs(payoffs, stderr, symmetric)
        steps = affordable_steps(payoffs, self._steps)
        length = min(STEP * STEPS / steps, _LONGEST)
        _, rows, columns = payoffs.shape
        start = (np.full(rows, 1.0 / rows), np.full(columns, 1.0 / columns))
        sigma = projected_replicator(unit_payoffs(payoffs), start, steps, length, symmetric=symmetric)
        return solution_of(payoffs, sigma, fewer_note(steps, self._steps))


def projected_replicator(
    payoffs: NDArray[np.float64],
    start: Pair,
    steps: int,
    length: float,
    floor: float = FLOOR,
    *,
    symmetric: bool = False,
) -> Pair:
    """Returns the average over all steps of projected replicator dynamics, in the payoffs' own unit.

    The dynamics themselves keep the sum at 1 but for rounding, so that there is something to project only where a
    weight sinks below the floor.

    Args:
        payoffs: `[2, N_0, N_1]`.
        start: `[N_0]` and `[N_1]`, distributions.
        steps: >= 1.
        length: time of one step, > 0; small against 1 / (range of the payoffs).
        floor: least weight, >= 0; at most 1 / N_p of it is used.
        symmetric: True where one population serves both seats; the players then stay equal, and one is computed.
    """
    own = np.ascontiguousarray(payoffs[0]), np.ascontiguousarray(payoffs[1].T)
    seats = (0,) if symmetric else (0, 1)
    now = [np.array(weights, dtype=np.float64) for weights in start]
    least = [min(floor, 1.0 / weights.size) for weights in now]
    total = [np.zeros_like(weights) for weights in now]
    for _ in range(steps):
        against = [own[seat] @ now[seat if symmetric else 1 - seat] for seat in seats]
        for seat in seats:
            weights, payoff = now[seat], against[seat]
            weights += length * weights * (payoff - weights @ payoff)
            weights /= weights.sum()  # rounding of the sum would grow exponentially where the payoff is negative
            if weights.min() < least[seat]:
                weights = project(weights, least[seat])
            now[seat] = weights
            total[seat] += weights
    found = [total[seat] / total[seat].sum() for seat in seats]
    return found[0], found[-1].copy()


def project(weights: Vector, floor: float) -> Vector:
    """Returns the nearest mixture (by squared distance) with all weights >= floor.

    Source: Michelot 1986, A finite algorithm for finding the projection of a point onto the canonical simplex of R^n
    (Journal of Optimization Theory and Applications 50); here with a floor other than 0.

    Args:
        weights: `[N]`.
        floor: in [0, 1 / N].
    """
    count: int = weights.size
    shift = (1.0 - weights.sum()) / count
    while True:
        # The shift only sinks from one round to the next, so nobody who is out comes back.
        moved = weights + shift
        free = moved > floor
        left = int(np.count_nonzero(free))
        if left == count:
            nearest: Vector = np.maximum(moved, floor)
            return nearest
        if left == 0:
            return np.full(weights.size, 1.0 / weights.size)
        count = left
        shift = (1.0 - floor * (weights.size - count) - weights @ free) / count
