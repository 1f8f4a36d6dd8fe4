"""Meta-solver `rectified-nash`: an equilibrium that leaves out opponents whom its own policies lose to.

Axes: `N_p` policies of player p.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from csro_core.meta_solvers.base import Solution
from csro_core.meta_solvers.max_entropy_nash import MaxEntropyNashSolver
from csro_core.meta_solvers.scaling import solution_of

_TIE = 1e-9  # of the largest payoff


class RectifiedNashSolver:
    """The opponents of PSRO_rN as one mixture.

    In PSRO_rN every policy i in the support of the equilibrium p looks for its own response, and only against
    opponents that it beats or ties, weighted by p: "amplify strengths, ignore weaknesses". The loop here makes one
    response an iteration, so it gets those mixtures averaged over the i that p draws:

        sigma_j ~ p_j sum_i p_i [A_ij >= v]

    with v the value of the game, 0 where there is one population; with two, p_i and p_j are the two players'. An
    opponent whom few of the support can beat has less weight than in the equilibrium. p is that of `max-entropy-nash`,
    as in the paper. Two things differ from PSRO_rN: one response an iteration instead of one for each policy of the
    support, and the response pays for what it loses to opponents of sigma (the paper cuts losses off at 0). sigma is
    no equilibrium, and the loop need not converge to one (McAleer et al. 2020, arXiv 2006.08555, has counterexamples);
    look at the run through another solver (`--eval-solver max-entropy-nash`).

    Source: Balduzzi et al. 2019, Open-ended Learning in Symmetric Zero-sum Games (arXiv 1901.08106), section 4,
    "response to the rectified Nash".
    """

    name = "rectified-nash"
    explanation = (
        "an equilibrium reweighted to opponents that its policies beat or tie (PSRO_rN), which widens the population "
        "rather than converging; look at such a run with another evaluation solver"
    )
    zero_sum_only = True

    def solve(
        self, payoffs: NDArray[np.float64], stderr: NDArray[np.float64] | None = None, symmetric: bool = False
    ) -> Solution:
        """Returns the rectified equilibrium of a zero-sum meta-game (see `MetaSolver.solve`).

        Raises:
            ValueError: the payoffs are not finite, have the wrong shape, or are not zero-sum.
        """
        equilibrium = MaxEntropyNashSolver().solve(payoffs, stderr, symmetric)
        row, column = equilibrium.sigma
        matrix = (payoffs[0] - payoffs[1]) / 2
        value = 0.0 if symmetric else equilibrium.value
        slack = _TIE * float(np.abs(matrix).max())
        for_row = _normalised(column * (row @ (matrix >= value - slack)))
        for_column = _normalised(row * ((matrix <= value + slack) @ column))
        if symmetric:
            for_column = for_row.copy()
        return replace(solution_of(payoffs, (for_column, for_row)), note=equilibrium.note)


def _normalised(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the weights with sum 1; there is always something: in an equilibrium somebody does not lose."""
    return weights / float(weights.sum())
