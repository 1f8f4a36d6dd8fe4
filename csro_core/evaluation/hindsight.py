"""The gap with hindsight: how far sigma_t was from a best response within everything that is known by now.

gap_t = max over the pool of u(q, sigma_t) - u(sigma_t). A maximum over noisy numbers looks better than it is, so the
maximiser is chosen on one half of the episodes and valued on the other; the value can come out below 0.
Axes: `T` meta-strategies, `Q` policies of the player's pool, `N` of the opponent's, `E` episodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csro_core.metagame.payoffs import PayoffTable
from csro_core.metagame.statistics import halves, influences

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Gap:
    """A gap with hindsight: a lower bound on the exploitability of sigma_t.

    Attributes:
        value: the gap; the mean of both players' gaps (NashConv / 2) where each has a population. NaN where the
            pool is empty or there is only one episode.
        stderr: its standard error; NaN from a single episode.
        episodes: episodes it is valued on, about half of all.
        best: the maximiser's index in each population; -1 where there is none.
        pool: how many policies were compared, over all populations.
    """

    value: float
    stderr: float
    episodes: int
    best: tuple[int, ...]
    pool: int


@dataclass(frozen=True)
class _Side:
    """One player's gaps for all meta-strategies: value `[T]`, influence `[T, E]`, best `[T]`, pool `[T]`."""

    value: Array
    influence: Array
    best: NDArray[np.intp]
    pool: NDArray[np.intp]


def gaps(table: PayoffTable, sigmas: Sequence[Sequence[Sequence[float]]], symmetric: bool) -> list[Gap]:
    """Computes the gap of every meta-strategy against the policies of a table.

    The table may hold more than the population (rejected and hand-written policies after it), and cells may be
    missing: a policy is in the pool of sigma_t where it has met all of its support. It is valued on clean episodes,
    sigma_t itself on episodes as played (exactly 0 where the game is symmetric and zero-sum).

    Args:
        table: payoffs of the pool.
        sigmas: `T` meta-strategies, each one list per population, as long as the population was then.
        symmetric: True where one population serves both seats.

    Returns:
        One gap a meta-strategy, in order.
    """
    if not sigmas:
        return []
    sizes = table.known.shape
    chosen = [_padded([sigma[0 if symmetric else player] for sigma in sigmas], sizes[player]) for player in (0, 1)]
    players = (0,) if symmetric else (0, 1)
    sides = [
        _side(_of(table.clean_samples, player), _of(table.samples, player), chosen[player], chosen[1 - player])
        for player in players
    ]
    # Both players' gaps come from the same episodes, so their influences are added before they are squared.
    value = np.mean([side.value for side in sides], axis=0)
    influence = np.mean([side.influence for side in sides], axis=0)
    episodes = influence.shape[1]
    stderr = np.sqrt((influence**2).sum(axis=1)) if episodes > 1 else np.full(len(sigmas), np.nan)
    return [
        Gap(
            float(value[t]),
            float(stderr[t]),
            episodes,
            tuple(int(side.best[t]) for side in sides),
            sum(int(side.pool[t]) for side in sides),
        )
        for t in range(len(sigmas))
    ]


def _padded(rows: Sequence[Sequence[float]], size: int) -> Array:
    padded = np.zeros((len(rows), size))
    for number, row in enumerate(rows):
        padded[number, : len(row)] = row
    return padded


def _of(samples: Array, player: int) -> Array:
    """Returns `[N_player, N_opponent, E]` returns to the player."""
    returns: Array = samples[player]
    return returns if player == 0 else returns.transpose(1, 0, 2)


def _side(clean: Array, played: Array, own: Array, opponent: Array) -> _Side:
    """Returns one player's gaps.

    Args:
        clean: `[Q, N, E]` clean returns of the pool.
        played: `[Q, N, E]` returns as played.
        own: `[T, Q]` the player's meta-strategies.
        opponent: `[T, N]` the opponent's.
    """
    choose, check = halves(clean.shape[2])
    chosen_on, valued_on, own_on = clean[:, :, choose], clean[:, :, check], played[:, :, check]
    least = min(2, check.size)
    usable = _counts(chosen_on) > 0
    usable &= (_counts(valued_on) >= least) & (check.size > 0)
    in_support = opponent > 0
    in_pool = (~usable).astype(np.int64) @ in_support.T.astype(np.int64) == 0  # [Q, T]
    scores = np.where(in_pool, _means(chosen_on) @ opponent.T, -np.inf)
    best = scores.argmax(axis=0)

    value = np.einsum("tn,tn->t", opponent, _means(valued_on)[best])
    value -= np.einsum("tq,tn,qn->t", own, opponent, _means(own_on), optimize=True)
    influence = np.einsum("tn,tne->te", opponent, influences(valued_on)[best])
    influence -= np.einsum("tq,tn,qne->te", own, opponent, influences(own_on), optimize=True)

    unknown = (_counts(own_on) == 0).astype(np.int64)
    self_known = np.einsum("tq,tn,qn->t", (own > 0).astype(np.int64), in_support.astype(np.int64), unknown) == 0
    pool = in_pool.sum(axis=0)
    found = (pool > 0) & self_known
    return _Side(np.where(found, value, np.nan), influence, np.where(found, best, -1), np.where(found, pool, 0))


def _counts(samples: Array) -> NDArray[np.intp]:
    counts: NDArray[np.intp] = (~np.isnan(samples)).sum(axis=-1)
    return counts


def _means(samples: Array) -> Array:
    """Returns means over the last axis without NaN; 0.0 where there is nothing, for use under a weight of 0."""
    present = ~np.isnan(samples)
    total: Array = np.where(present, samples, 0.0).sum(axis=-1)
    count: Array = np.maximum(present.sum(axis=-1), 1).astype(np.float64)
    return total / count
