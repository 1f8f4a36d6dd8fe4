"""A meta-game whose truth is known: the published table of the 43 RoShamBo bots, with the noise of its episodes.

Truth: the antisymmetric part (P - P^T) / 2 of the published means, 1,000 matches a cell, estimated cell by cell.

Noise: the table says something about that itself, since P_ij and -P_ji are two estimates of one number.
- 30 pairs have P_ij = -P_ji exactly, a whole number: matches of two bots without dice, all alike, no noise.
- The others get a spread by the rank of |P_ij + P_ji|: log-normal quantiles around `MEDIAN`, which gives the median of
  24.5 and the mean of 33 to 34 throws measured on 10 matches a pair. Ranks and not values, since one difference of two
  means is a poor estimate of a spread.
- The ten largest get what their own difference says, |P_ij + P_ji| / sqrt(2 / 1000), but at most the largest spread
  measured, 555.
A match is normal around its mean. Or, with a heavier tail ("two-humped"), matches of pairs with a spread above `HUMPED`
have two outcomes: nine of ten lie a third of the spread below the mean and one three times the spread above it, as
measured between the bots copybot and inocencio (nine matches around -930, one at 812).
"""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from csro_core.evaluation.published import published_cross_table

MEDIAN = 25.3
HUMPED = 150.0

_LOG_SPREAD = 0.70
_LARGEST = 555.0
_OUTLIERS = 10
_MATCHES = 1_000
_RARE = 0.1
_WIDTH_OF_HUMP = 0.05

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Truth:
    """What the simulation knows and the estimate does not. Pairs are those of `numpy.triu_indices(43, 1)`.

    Attributes:
        payoffs: `[43, 43]` antisymmetric, in net throws of a match of 1,000.
        spread: `[903]` standard deviation of a match of each pair; 0.0 where all are alike.
    """

    payoffs: Floats
    spread: Floats

    @property
    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Row and column of each pair."""
        rows, columns = np.triu_indices(self.payoffs.shape[0], 1)
        return rows, columns

    def nash_conv(self, sigma: Floats) -> float:
        """Returns NashConv of a mixture, played by both, in the true meta-game."""
        return 2.0 * max(0.0, float((self.payoffs @ sigma).max()))


def published_truth() -> Truth:
    """Returns the published table as a truth with noise."""
    means = np.array(published_cross_table().means, dtype=np.float64)
    pairs = np.triu_indices(means.shape[0], 1)
    difference = np.abs(means + means.T)[pairs]
    alike = (difference == 0.0) & (means == np.round(means))[pairs]
    noisy = np.flatnonzero(~alike)
    by_rank = noisy[np.argsort(difference[noisy], kind="stable")]
    quantiles = [NormalDist().inv_cdf((place + 0.5) / by_rank.size) for place in range(by_rank.size)]
    spread = np.zeros(difference.size)
    spread[by_rank] = MEDIAN * np.exp(_LOG_SPREAD * np.array(quantiles))
    outliers = by_rank[-_OUTLIERS:]
    spread[outliers] = np.minimum(_LARGEST, difference[outliers] / np.sqrt(2 / _MATCHES))
    return Truth((means - means.T) / 2, spread)


class Sampler:
    """Matches of all pairs, drawn as they are asked for; keeps sums only."""

    def __init__(self, truth: Truth, seed: int, humped: bool) -> None:
        """Begins without a match.

        Args:
            truth: what is drawn around.
            seed: of the matches.
            humped: True for the heavier tail.
        """
        self._truth = truth
        self._rng = np.random.default_rng(seed)
        self._humped = np.flatnonzero(truth.spread > HUMPED) if humped else np.zeros(0, dtype=np.intp)
        self.counts: Counts = np.zeros(truth.spread.size, dtype=np.int64)
        self._sums = np.zeros(truth.spread.size)  # of deviations from the truth, in spreads
        self._squares = np.zeros(truth.spread.size)  # of deviations from the mean so far

    @property
    def episodes(self) -> int:
        """Matches so far."""
        return int(self.counts.sum())

    def play(self, further: Counts) -> None:
        """Draws `[903]` further matches of each pair."""
        # Sum and squares of k normal numbers are independent: a normal and a chi-squared number.
        sums = np.sqrt(further) * self._rng.standard_normal(further.size)
        squares = np.where(further > 1, self._rng.chisquare(np.maximum(further - 1, 1)), 0.0)
        for pair in self._humped:
            drawn = self._two_humps(int(further[pair]))
            sums[pair] = drawn.sum()
            squares[pair] = ((drawn - drawn.mean()) ** 2).sum() if drawn.size else 0.0
        self._join(further, sums, squares)

    def _two_humps(self, count: int) -> Floats:
        rare = self._rng.random(count) < _RARE
        return np.where(rare, 3.0, -1.0 / 3.0) + _WIDTH_OF_HUMP * self._rng.standard_normal(count)

    def _join(self, further: Counts, sums: Floats, squares: Floats) -> None:
        """Adds sums; squares around two means become squares around the common one (Chan et al. 1979)."""
        before, after = np.maximum(self.counts, 1), np.maximum(further, 1)
        apart = self._sums / before - sums / after
        shared = np.where((self.counts > 0) & (further > 0), self.counts * further / (before + after), 0.0)
        self._squares += squares + apart**2 * shared
        self._sums += sums
        self.counts = self.counts + further

    def estimate(self) -> tuple[Floats, Floats, Counts]:
        """Returns payoffs and standard errors `[2, 43, 43]` and matches `[43, 43]`, as far as they are known."""
        means = self._sums / self.counts * self._truth.spread
        errors = np.sqrt(self._squares / (self.counts - 1) / self.counts) * self._truth.spread
        payoffs = self._truth.payoffs + self._square(means, -1)
        stderr = self._square(errors, 1)
        counts = self._square(self.counts.astype(np.float64), 1).astype(np.int64)
        return np.stack((payoffs, -payoffs)), np.stack((stderr, stderr)), counts

    def _square(self, values: Floats, sign: int) -> Floats:
        square = np.zeros(self._truth.payoffs.shape)
        square[self._truth.pairs] = values
        return square + sign * square.T
