"""A sampled number and how well it is known."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Estimate:
    """A mean with its standard error and count; in the unit of the game it was played in.

    Attributes:
        mean: the sample mean.
        stderr: its standard error; 0.0 where the value is known exactly, NaN from a single noisy episode.
        episodes: how many episodes it rests on.
    """

    mean: float
    stderr: float
    episodes: int

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval, 1.96 standard errors (normal approximation)."""
        return 1.96 * self.stderr


def estimate(samples: NDArray[np.float64], exact: bool = False) -> Estimate:
    """Returns the estimate of the mean of independent samples.

    Args:
        samples: `[E]` one value an episode, E >= 1.
        exact: True where every episode is known to give the same value.

    Raises:
        ValueError: there is no sample.
    """
    count = int(samples.size)
    if count < 1:
        raise ValueError("an estimate needs at least 1 sample, got 0")
    if exact:
        return Estimate(float(samples[0]), 0.0, count)
    spread = float(samples.std(ddof=1)) / sqrt(count) if count > 1 else float("nan")
    return Estimate(float(samples.mean()), spread, count)
