"""An antisymmetric matrix as the sum of what a rating explains and what none can."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Decomposition:
    """A = transitive + cyclic, orthogonal to one another.

    Attributes:
        ratings: `[N]` mean payoff against all policies, itself included.
        transitive: `[N, N]` rating of the row's policy minus the column's.
        cyclic: `[N, N]` the rest; its rows sum to 0.
        transitive_share: Frobenius norm of the transitive part as a share of the whole's, 0 to 1; 0.0 where all is 0.
        cyclic_share: likewise; the squares of the two add up to 1.
    """

    ratings: NDArray[np.float64]
    transitive: NDArray[np.float64]
    cyclic: NDArray[np.float64]
    transitive_share: float
    cyclic_share: float


def decompose(matrix: NDArray[np.float64]) -> Decomposition:
    """Returns the Hodge decomposition of a game: the gradient of the ratings, and the rest, which has no divergence.

    Source: Balduzzi et al. 2018, Re-evaluating Evaluation (arXiv 1806.02643), section 2; Jiang et al. 2011, Statistical
    ranking and combinatorial Hodge theory.

    Args:
        matrix: `[N, N]` antisymmetric.
    """
    ratings = matrix.mean(axis=1)
    transitive = ratings[:, np.newaxis] - ratings[np.newaxis, :]
    cyclic = matrix - transitive
    whole = frobenius(matrix)
    shares = (0.0, 0.0) if whole == 0 else (frobenius(transitive) / whole, frobenius(cyclic) / whole)
    return Decomposition(ratings, transitive, cyclic, *shares)


def frobenius(matrix: NDArray[np.float64]) -> float:
    """Returns the Frobenius norm, without under- or overflow of the squares."""
    largest = float(np.abs(matrix).max())
    return largest * float(np.linalg.norm(matrix / largest)) if largest > 0 else 0.0
