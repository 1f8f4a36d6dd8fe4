"""Statistics of mixtures and differences, from episodes that share their seeds. Pure functions of arrays.

Axes: `N` opponents, `E` episodes. Samples are clean returns: NaN where the opponent forfeited the episode.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isfinite
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from csro_core.estimates import Estimate

Judgement: TypeAlias = Literal["above", "below", "unclear"]

_ROUNDING = 1e-13


@dataclass(frozen=True)
class WeightedEstimate:
    """A payoff against a mixture.

    Attributes:
        estimate: mean and standard error; `episodes` counts paired episodes, each of which meets every opponent.
        left_out: share of the weight whose opponents have too few clean episodes; the other weights were
            renormalised. 1.0 where nothing is left: the estimate is then NaN from 0 episodes.
    """

    estimate: Estimate
    left_out: float


def against_mixture(samples: NDArray[np.float64], weights: NDArray[np.float64]) -> WeightedEstimate:
    """Estimates a payoff against a mixture of opponents that were met on the same seeds.

    The mean is the weighted sum of each opponent's mean over its clean episodes. Its standard error comes from the
    spread of the per-episode weighted sums, so covariances between opponents on shared seeds count.

    Args:
        samples: `[N, E]`, NaN = excluded.
        weights: `[N]` not negative, with a positive sum. Opponents of weight 0 are ignored.

    Returns:
        The estimate. An opponent with fewer than 2 clean episodes (1 where E = 1) is left out.

    Raises:
        ValueError: shapes do not fit, or weights are negative, not finite or all 0.
    """
    if samples.ndim != 2 or weights.shape != samples.shape[:1]:
        raise ValueError(f"samples [N, E] need weights [N], got shapes {list(samples.shape)} and {list(weights.shape)}")
    total = float(weights.sum())
    if not (isfinite(total) and total > 0 and float(weights.min()) >= 0):
        raise ValueError(f"weights must not be negative and must have a positive sum, got {weights.tolist()}")
    length = samples.shape[1]
    enough = (~np.isnan(samples)).sum(axis=1) >= min(2, length)
    used = enough & (weights > 0)
    kept = float(weights[used].sum()) / total
    if not used.any():
        return WeightedEstimate(Estimate(float("nan"), float("nan"), 0), 1.0)
    shares = weights[used] / float(weights[used].sum())
    left_out = max(0.0, 1.0 - kept) if not used[weights > 0].all() else 0.0
    return WeightedEstimate(weighted_sum(samples[used], shares), left_out)


def weighted_sum(samples: NDArray[np.float64], weights: NDArray[np.float64]) -> Estimate:
    """Estimates a fixed linear combination of means; weights may be negative (see `against_mixture`).

    Args:
        samples: `[N, E]`, at least one that is not NaN in every row.
        weights: `[N]`.

    Returns:
        The estimate. Its standard error is 0.0 where all per-episode sums are equal, NaN from a single episode.
    """
    present = ~np.isnan(samples)
    means = np.where(present, samples, 0.0).sum(axis=1) / present.sum(axis=1)
    mean = float(weights @ means)
    episodes = int(present.any(axis=0).sum())
    if episodes < 2:
        return Estimate(mean, float("nan"), episodes)
    shares = weights @ influences(samples)
    size = float(np.abs(weights) @ np.nanmax(np.abs(samples), axis=1))
    stderr = float(np.sqrt((shares**2).sum()))
    return Estimate(mean, stderr if stderr > _ROUNDING * size else 0.0, episodes)


def influences(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns how much each episode moves the mean over the last axis, scaled so that standard errors come out.

    The squares of a row add up to the squared standard error of its mean, whatever episodes are missing; rows that
    share their episodes may be added up before squaring, which is how covariances count.

    Args:
        samples: `[..., E]`, NaN = missing.

    Returns:
        `[..., E]` (x - mean) / sqrt(n (n - 1)) for n samples in the row; 0.0 where missing and where n < 2.
    """
    present = ~np.isnan(samples)
    count = present.sum(axis=-1, keepdims=True)
    means = np.where(present, samples, 0.0).sum(axis=-1, keepdims=True) / np.maximum(count, 1)
    scaled = (samples - means) / np.sqrt(np.maximum(count * (count - 1), 1))
    return np.where(present & (count > 1), scaled, 0.0)


def halves(episodes: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Splits episodes in two, one half to choose on and one to value the choice on.

    Args:
        episodes: how many there are.

    Returns:
        Episodes 0, 1, 4, 5, … and 2, 3, 6, 7, …, so that both seats occur equally often in each half; below 4
        episodes the even and the odd ones, which does not balance seats.
    """
    numbers = np.arange(episodes)
    first = (numbers if episodes < 4 else numbers // 2) % 2 == 0
    return np.flatnonzero(first), np.flatnonzero(~first)


def paired_difference(a: NDArray[np.float64], b: NDArray[np.float64], weights: NDArray[np.float64]) -> Estimate:
    """Estimates how much more `a` earns than `b` against a mixture, both met on the same seeds.

    Episodes that an opponent forfeited against either are left out for both; see `against_mixture` for the rest.

    Args:
        a: `[N, E]`, NaN = excluded.
        b: `[N, E]`.
        weights: `[N]`.

    Returns:
        The estimate of the difference; NaN from 0 episodes where nothing is left to compare.

    Raises:
        ValueError: shapes do not fit, or weights are negative, not finite or all 0.
    """
    if a.shape != b.shape:
        raise ValueError(f"paired samples must have one shape [N, E], got {list(a.shape)} and {list(b.shape)}")
    return against_mixture(a - b, weights).estimate


def z_threshold(tests: int, level: float = 0.05) -> float:
    """Returns how many standard errors a mean must exceed 0 by, one-sided, shared by several tests (Bonferroni).

    Args:
        tests: how many tests share the level, >= 1; 3 finalists give 2.13 at 5 %.
        level: chance that any of them passes where there is nothing, in (0, 0.5].

    Raises:
        ValueError: an argument is out of range.
    """
    if tests < 1 or not 0 < level <= 0.5:
        raise ValueError(f"z needs tests >= 1 and a level in (0, 0.5], got {tests} and {level}")
    return NormalDist().inv_cdf(1 - level / tests)


def judge(estimate: Estimate, z: float) -> Judgement:
    """Says on which side of 0 a value is, as far as the episodes tell.

    Args:
        estimate: the value with its standard error s.
        z: see `z_threshold`.

    Returns:
        "above" where mean - z s > 0: an improvement; "below" where mean + z s <= 0: none, and more episodes would
        hardly change that; else "unclear". An exactly known 0 is "below". Without a standard error (NaN: a single
        noisy episode, or none) everything is "unclear".
    """
    if not (isfinite(estimate.mean) and isfinite(estimate.stderr)):
        return "unclear"
    if estimate.mean - z * estimate.stderr > 0:
        return "above"
    if estimate.mean + z * estimate.stderr <= 0:
        return "below"
    return "unclear"


def episodes_needed(estimate: Estimate, z: float) -> int | None:
    """Returns about how many further episodes would make the estimate clear, if its mean stays what it is.

    Args:
        estimate: the value with its standard error and the episodes it rests on.
        z: see `z_threshold`.

    Returns:
        Further episodes, 0 where it is clear already; None where no number would do (mean 0) or it is not known.
    """
    if judge(estimate, z) != "unclear":
        return 0
    if estimate.mean == 0 or not (isfinite(estimate.mean) and isfinite(estimate.stderr)):
        return None
    wanted = estimate.episodes * (z * estimate.stderr / abs(estimate.mean)) ** 2
    return max(1, ceil(wanted) - estimate.episodes)


def training_target(sigma: NDArray[np.float64], clusters: Sequence[int], mix: float) -> NDArray[np.float64]:
    """Returns the training target tau = (1 - m) sigma + m uniform over behaviour clusters.

    Args:
        sigma: `[N]` meta-strategy.
        clusters: `[N]` behaviour cluster of every policy; each cluster gets the same share of the uniform part,
            split equally among its policies.
        mix: m in [0, 1]; 0 is plain PSRO.

    Returns:
        `[N]` summing to 1.

    Raises:
        ValueError: the lengths differ or m is out of range.
    """
    if len(clusters) != sigma.size or not 0 <= mix <= 1:
        raise ValueError(
            f"tau needs one cluster a policy and m in [0, 1], got {sigma.size} policies, {len(clusters)} clusters "
            f"and m = {mix}"
        )
    sizes = Counter(clusters)
    spread = np.array([1.0 / (len(sizes) * sizes[cluster]) for cluster in clusters])
    return np.asarray((1 - mix) * sigma + mix * spread, dtype=np.float64)
