"""Who is varied next: weights from ranks, so that negative, tied and noisy scores select sanely.

A share proportional to the score cannot work where scores are payoffs: half of them are negative and a draw is 0.
Ranks know no zero. They are taken in expectation over the noise of the scores, so that ties share a rank and a
difference far below the standard error counts for next to nothing.
"""

from collections.abc import Sequence
from math import erf, isfinite
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

DECAY = 0.3
"""Weight of a rank relative to the rank above it."""

T = TypeVar("T")


def expected_ranks(scores: Sequence[float], noise: float) -> NDArray[np.float64]:
    """Returns `[n]` how many of the others are expected to be better, 0 = best.

    Args:
        scores: `[n]` finite, larger is better.
        noise: standard error of a score, >= 0; with 0 ties alone share a rank.
    """
    values = np.asarray(scores, dtype=np.float64)
    ahead = values[None, :] - values[:, None]
    if noise > 0:
        with np.errstate(over="ignore"):  # a difference of many standard errors is as good as an infinite one
            distance = np.clip(ahead / (2.0 * noise), -9.0, 9.0)
        chance = 0.5 * (1.0 + np.vectorize(erf, otypes=[np.float64])(distance))
    else:
        chance = 0.5 * (1.0 + np.sign(ahead))
    return np.asarray(chance.sum(axis=1) - 0.5)


def shares(scores: Sequence[float], noise: float, children: Sequence[int]) -> NDArray[np.float64]:
    """Returns `[n]` the chances to be varied next, summing to 1.

    Args:
        scores: `[n]` finite, larger is better.
        noise: standard error of a score, >= 0.
        children: `[n]` how often each was varied already; many children make room for others.
    """
    crowding = np.sqrt(1.0 + np.asarray(children, dtype=np.float64))
    weights = DECAY ** expected_ranks(scores, noise) / crowding
    return np.asarray(weights / weights.sum())


def draw(rng: np.random.Generator, options: Sequence[T], weights: Sequence[float] | NDArray[np.float64]) -> T:
    """Returns one of the options, by weight."""
    chances = np.asarray(weights, dtype=np.float64)
    return options[int(rng.choice(len(options), p=chances / chances.sum()))]


def shorter_first(sizes: Sequence[int]) -> NDArray[np.float64]:
    """Returns `[n]` chances that prefer short texts among equals (FunSearch): exp(-z) of the sizes, summing to 1."""
    values = np.asarray(sizes, dtype=np.float64)
    spread = float(values.std())
    weights = np.exp(-(values - values.mean()) / spread) if spread > 0 else np.ones(len(values))
    return np.asarray(weights / weights.sum())


def typical(errors: Sequence[float]) -> float:
    """Returns the median of the standard errors that are known, 0.0 where none is."""
    known = [error for error in errors if isfinite(error)]
    return float(np.median(known)) if known else 0.0
