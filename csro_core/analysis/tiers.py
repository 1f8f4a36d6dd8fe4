"""Tiers of a population: sets of policies of which each beats all later ones, policy by policy."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components


def tiers(matrix: NDArray[np.float64]) -> list[NDArray[np.intp]]:
    """Returns the tiers, the strongest first, as small as possible; indices ascending in each.

    They are the strongly connected components of "does not lose to". Every equilibrium lies within the first tier:
    against a mixture with weight outside of it, the same mixture without that weight wins.

    Source: the first tier is the Smith set of a tournament with ties (Smith 1973, Aggregation of preferences with
    variable electorate); the components of a tournament are in a total order (Moon 1968, Topics on Tournaments).

    Args:
        matrix: `[N, N]` antisymmetric.
    """
    number, labels = connected_components(matrix >= 0, directed=True, connection="strong")
    firsts = [int(np.flatnonzero(labels == label)[0]) for label in range(number)]
    # Each component beats as many others as come after it.
    ahead = (matrix[np.ix_(firsts, firsts)] > 0).sum(axis=1)
    return [np.flatnonzero(labels == label) for label in np.argsort(-ahead, kind="stable")]
