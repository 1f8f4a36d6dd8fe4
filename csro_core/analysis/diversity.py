"""How diverse a population is: effective diversity and expected cardinality."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csro_core.analysis.equilibria import equilibrium

MAX_MOMENTS = 100
"""Of a longer history this many moments are shown, evenly spaced, with the first and the last."""


@dataclass(frozen=True)
class History:
    """Diversity of a growing population.

    Attributes:
        iterations: moments, ascending.
        sizes: policies that had joined by then.
        effective: effective diversity of them, in the unit of the payoffs.
        cardinality: expected cardinality of them, with payoffs divided by the largest of the whole matrix.
    """

    iterations: tuple[int, ...]
    sizes: tuple[int, ...]
    effective: tuple[float, ...]
    cardinality: tuple[float, ...]


def effective_diversity(matrix: NDArray[np.float64], sigma: NDArray[np.float64] | None = None) -> float:
    """Returns p^T max(0, A) p: what the members of the equilibrium win from one another.

    Source: Balduzzi et al. 2019, Open-ended Learning in Symmetric Zero-sum Games (arXiv 1901.08106), definition 4.

    Args:
        matrix: `[N, N]` antisymmetric.
        sigma: `[N]` the equilibrium p; None: the most even one.
    """
    weights = equilibrium(matrix) if sigma is None else sigma
    return float(weights @ np.maximum(matrix, 0.0) @ weights)


def expected_cardinality(matrix: NDArray[np.float64]) -> float:
    """Returns tr(I - (L + I)^-1), L = M M^T: the expected size of a sample of the determinantal point process.

    It depends on the unit of the payoffs, and counts duplicates a little: bring payoffs to at most 1 before comparing.

    Source: Perez-Nieves et al. 2021, Modelling Behavioural Diversity for Learning in Open-Ended Games (arXiv
    2103.07927), definition 3 and proposition 4.

    Args:
        matrix: `[N, M]` payoffs; a row is what describes a policy.
    """
    squares = np.linalg.svd(matrix, compute_uv=False) ** 2
    return float((squares / (1 + squares)).sum())


def diversity_history(
    matrix: NDArray[np.float64],
    joined: Sequence[int],
    on_progress: Callable[[int, int], None] | None = None,
) -> History:
    """Returns diversity over iterations.

    Args:
        matrix: `[N, N]` antisymmetric.
        joined: `[N]` iteration in which each policy joined.
        on_progress: hears (moments done, moments); may raise to end it.
    """
    moments = _chosen(sorted(set(joined)))
    scale = float(np.abs(matrix).max()) or 1.0
    when = np.asarray(joined)
    sizes, effective, cardinality = [], [], []
    for place, moment in enumerate(moments):
        members = np.flatnonzero(when <= moment)
        part = matrix[np.ix_(members, members)]
        sizes.append(int(members.size))
        effective.append(effective_diversity(part))
        cardinality.append(expected_cardinality(part / scale))
        if on_progress is not None:
            on_progress(place + 1, len(moments))
    return History(tuple(moments), tuple(sizes), tuple(effective), tuple(cardinality))


def _chosen(moments: list[int]) -> list[int]:
    if len(moments) <= MAX_MOMENTS:
        return moments
    places = np.unique(np.linspace(0, len(moments) - 1, MAX_MOMENTS).round().astype(int))
    return [moments[place] for place in places]
