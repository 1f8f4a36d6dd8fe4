"""The alpha-rank response graph: where evolution leads to, and how that depends on the selection intensity alpha."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from csro_core.meta_solvers.alpha_rank import ResponseGraph, response_graph, sweep

MAX_EDGES = 400
"""A graph with more arrows is a blot; the strongest are kept."""

_POINTS = 25
_FROM, _TO = 1e-3, 1e3  # times 1 / the largest gap of payoffs
_SETTLED = 0.01
_NEUTRAL = 1e-9


@dataclass(frozen=True)
class AlphaSweep:
    """Stationary distributions over a range of alpha, and the response graph at one of them.

    Attributes:
        alphas: `[A]` ascending, in 1 / unit of the payoffs.
        stationary: `[A, S]`.
        profiles: S pure profiles: (i,) where one population serves both seats, else (i, j).
        chosen: index of the alpha of the graph.
        edges: (from, to, ratio) by index of profile, the strongest first: how much likelier than by chance a single
            mutant takes over; at most `MAX_EDGES`, ratio > 1.
        sinks: profiles that evolution does not leave by better or equal replies, once it is among them; at any alpha.
    """

    alphas: tuple[float, ...]
    stationary: NDArray[np.float64]
    profiles: tuple[tuple[int, ...], ...]
    chosen: int
    edges: tuple[tuple[int, int, float], ...]
    sinks: tuple[int, ...]


def alpha_sweep(
    payoffs: NDArray[np.float64],
    symmetric: bool,
    alpha: float | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> AlphaSweep:
    """Returns the sweep over alpha and the graph at one.

    Source: Omidshafiei et al. 2019, alpha-Rank (arXiv 1903.01373), sections 3.2 (sink components) and 3.4 (the sweep).

    Args:
        payoffs: `[2, N_0, N_1]`.
        symmetric: True where both players choose from one population.
        alpha: of the graph, in 1 / unit of the payoffs; None: the least of the sweep beyond which nothing changes.
        on_progress: hears (alphas done, alphas); may raise to end it.

    Raises:
        ValueError: alpha is not a finite number above 0, or there are too many profiles (see `response_graph`).
    """
    if alpha is not None and not 0 < alpha < np.inf:
        raise ValueError(f"alpha must be a finite number above 0, got {alpha:g}")
    gap = _largest_gap(payoffs, symmetric)
    alphas = np.geomspace(_FROM, _TO, _POINTS) / gap
    if alpha is not None:
        alphas = np.unique(np.append(alphas, alpha))
    stationary = []
    for place, one in enumerate(alphas):
        if on_progress is not None:
            on_progress(place, alphas.size + 1)
        stationary.append(sweep(payoffs, symmetric, [float(one)])[0])
    table = np.array(stationary)
    chosen = int(np.searchsorted(alphas, alpha)) if alpha is not None else _settled(table)
    if on_progress is not None:
        on_progress(alphas.size, alphas.size + 1)
    graph = response_graph(payoffs, symmetric, float(alphas[chosen]))
    # At infinite alpha only who beats whom counts: small gaps are no ties there.
    sinks = _sinks(response_graph(payoffs, symmetric, np.inf))
    return AlphaSweep(tuple(float(one) for one in alphas), table, graph.profiles, chosen, _edges(graph), sinks)


def _largest_gap(payoffs: NDArray[np.float64], symmetric: bool) -> float:
    """Returns the largest difference of payoffs that a mutant can make; 1.0 where there is none."""
    if symmetric:
        gap = float(np.abs(payoffs[0] - payoffs[0].T).max())
    else:
        gap = max(float(np.ptp(payoffs[0], axis=0).max()), float(np.ptp(payoffs[1], axis=1).max()))
    return gap if gap > 0 else 1.0


def _settled(stationary: NDArray[np.float64]) -> int:
    """Returns the first place from which on every distribution is that of the end, nearly."""
    away = np.abs(stationary - stationary[-1]).max(axis=1) > _SETTLED
    return int(np.flatnonzero(away)[-1]) + 1 if away.any() else 0


def _edges(graph: ResponseGraph) -> tuple[tuple[int, int, float], ...]:
    sources, targets = np.nonzero(graph.fixation > 1 + _NEUTRAL)
    ratios = graph.fixation[sources, targets]
    strongest = np.argsort(-ratios, kind="stable")[:MAX_EDGES]
    return tuple((int(sources[edge]), int(targets[edge]), float(ratios[edge])) for edge in strongest)


def _sinks(graph: ResponseGraph) -> tuple[int, ...]:
    """Returns the members of the strongly connected components that no favoured or neutral step leads out of."""
    steps = graph.fixation > 1 - _NEUTRAL
    _, labels = connected_components(steps, directed=True, connection="strong")
    sources, targets = np.nonzero(steps)
    left = np.unique(labels[sources[labels[sources] != labels[targets]]])
    return tuple(int(profile) for profile in np.flatnonzero(~np.isin(labels, left)))
