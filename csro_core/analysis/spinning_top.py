"""The spinning top: Nash clusters, and how strong and how cyclic each policy is."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csro_core.analysis.equilibria import largest_support
from csro_core.analysis.tiers import tiers


@dataclass(frozen=True)
class SpinningTop:
    """An antisymmetric matrix seen as a spinning top.

    Attributes:
        clusters: Nash clusters, the strongest first; indices ascending within each. Every policy is in one.
        strength: mean win rate of the members of each cluster.
        win_rate: `[N]` share of the other policies that each beats, ties counting half; 0.5 for a single policy.
        cycles: `[N]` number of 3-cycles (a beats b, b beats c, c beats a) through each policy.
    """

    clusters: tuple[tuple[int, ...], ...]
    strength: tuple[float, ...]
    win_rate: NDArray[np.float64]
    cycles: NDArray[np.int64]


def spinning_top(
    matrix: NDArray[np.float64], on_progress: Callable[[int, int], None] | None = None
) -> SpinningTop:
    """Returns the clusters and measures of a game.

    Source: Czarnecki et al. 2020, Real World Games Look Like Spinning Tops (arXiv 2004.09468), definition 3 (Nash
    clustering) and section 4 (3-cycles by the trace of powers of the adjacency matrix).

    Args:
        matrix: `[N, N]` antisymmetric.
        on_progress: hears (policies clustered, N); may raise to end it.
    """
    clusters = nash_clusters(matrix, on_progress)
    rates = win_rates(matrix)
    strength = tuple(float(rates[list(cluster)].mean()) for cluster in clusters)
    return SpinningTop(clusters, strength, rates, three_cycles(matrix))


def win_rates(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns `[N]` the share of the others that each policy beats, ties counting half."""
    count = matrix.shape[0]
    if count == 1:
        return np.array([0.5])
    rates: NDArray[np.float64] = ((matrix > 0).sum(axis=1) + 0.5 * ((matrix == 0).sum(axis=1) - 1)) / (count - 1)
    return rates


def three_cycles(matrix: NDArray[np.float64]) -> NDArray[np.int64]:
    """Returns `[N]` how many 3-cycles go through each policy: the diagonal of B^3, B = [A > 0]."""
    beats = (matrix > 0).astype(np.float64)
    cycles: NDArray[np.int64] = np.rint(((beats @ beats) * beats.T).sum(axis=1)).astype(np.int64)
    return cycles


def nash_clusters(
    matrix: NDArray[np.float64], on_progress: Callable[[int, int], None] | None = None
) -> tuple[tuple[int, ...], ...]:
    """Returns the Nash clusters: the largest support of an equilibrium, then that of what is left, and so on.

    Every equilibrium lies within the first tier (see `tiers`), so linear programs are solved tier by tier: a ranking
    needs none at all.

    Args:
        matrix: `[N, N]` antisymmetric.
        on_progress: see `spinning_top`.
    """
    count = matrix.shape[0]
    clusters: list[tuple[int, ...]] = []
    waiting = tiers(matrix)[::-1]
    done = 0
    while waiting:
        tier = waiting.pop()
        support = tier[largest_support(matrix[np.ix_(tier, tier)])] if tier.size > 1 else tier
        clusters.append(tuple(int(index) for index in support))
        rest = np.setdiff1d(tier, support)
        if rest.size:
            waiting.extend(rest[tier] for tier in tiers(matrix[np.ix_(rest, rest)])[::-1])
        done += support.size
        if on_progress is not None:
            on_progress(done, count)
    return tuple(clusters)
