"""Meta-solver `uniform`: the same weight for every policy."""

import numpy as np
from numpy.typing import NDArray

from csro_core.meta_solvers.base import Solution
from csro_core.meta_solvers.verify import check_payoffs, nash_conv


class UniformSolver:
    """The same weight for every policy: with a best-response oracle this is fictitious play.

    Duplicates keep their own weight each, which fictitious play needs.
    """

    name = "uniform"
    explanation = "the same weight for every policy: with a best-response oracle this is fictitious play"
    zero_sum_only = False

    def solve(
        self, payoffs: NDArray[np.float64], stderr: NDArray[np.float64] | None = None, symmetric: bool = False
    ) -> Solution:
        """Returns uniform meta-strategies (see `MetaSolver.solve`); general-sum payoffs are fine.

        Raises:
            ValueError: the payoffs are not finite or have the wrong shape.
        """
        check_payoffs(payoffs, stderr, symmetric)
        _, rows, columns = payoffs.shape
        sigma = (np.full(rows, 1.0 / rows), np.full(columns, 1.0 / columns))
        return Solution(sigma, float(sigma[0] @ payoffs[0] @ sigma[1]), nash_conv(payoffs, sigma))
