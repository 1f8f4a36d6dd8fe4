"""Cross-play: mixtures of different runs against each other, and what several seeds say together.

A mixture is worth what its policies are worth by their shares, since it draws one of them for a whole episode.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from csro_core.estimates import Estimate
from csro_core.games.base import Game
from csro_core.matches.jobs import Limits, MatchExecutor, MatchJob
from csro_core.metagame.matchups import seats_of
from csro_core.metagame.population import Entry
from csro_core.metagame.statistics import weighted_sum


@dataclass(frozen=True)
class Team:
    """A mixture that meets others.

    Attributes:
        entries: its policies.
        shares: `[n]` their shares, > 0, summing to 1.
    """

    entries: tuple[Entry, ...]
    shares: tuple[float, ...]

    @classmethod
    def of(cls, population: Sequence[Entry], sigma: Sequence[float], negligible: float = 0.01) -> "Team":
        """Returns the policies of a share that matters, with their shares renormalised.

        Args:
            population: `n` policies.
            sigma: `[n]` their shares.
            negligible: shares below it are left out, unless all are.
        """
        kept = [(entry, share) for entry, share in zip(population, sigma, strict=True) if share >= negligible]
        kept = kept or [(entry, share) for entry, share in zip(population, sigma, strict=True) if share > 0]
        total = sum(share for _, share in kept)
        return cls(tuple(entry for entry, _ in kept), tuple(share / total for _, share in kept))


def cross_payoff(game: Game, executor: MatchExecutor, own: Team, other: Team, seeds: Sequence[int]) -> Estimate:
    """Returns the payoff of one mixture against another in a symmetric game.

    Args:
        game: what is played.
        executor: where matches run.
        own: whose payoff it is.
        other: whom it meets.
        seeds: `[E]` one seed an episode, shared by all pairs of policies; E is even, so that both seats count alike.
    """
    seats = seats_of(game.symmetric, 0, len(seeds))
    jobs = [
        MatchJob(game.spec, (one.source, rival.source), seats, tuple(seeds), Limits())
        for one in own.entries
        for rival in other.entries
    ]
    samples = np.stack([result.returns[:, 0] for result in executor.submit(jobs)])
    return weighted_sum(samples, np.outer(own.shares, other.shares).ravel())


@dataclass(frozen=True)
class OverSeeds:
    """What independent seeds say about a number.

    Attributes:
        mean: over the seeds.
        half_width: half of the 95 % interval (Student's t); NaN from a single seed.
        seeds: how many.
        above: how many of them are above 0.
    """

    mean: float
    half_width: float
    seeds: int
    above: int

    def __str__(self) -> str:
        """Returns "12.3 ± 4.5"."""
        return f"{self.mean:.1f} ± {self.half_width:.1f}"


def over_seeds(values: NDArray[np.float64]) -> OverSeeds:
    """Returns the mean over seeds with its 95 % interval.

    Args:
        values: `[S]` one number a seed, S >= 1; for a paired comparison the differences.

    Raises:
        ValueError: there is none.
    """
    if values.ndim != 1 or not values.size:
        raise ValueError(f"a mean over seeds needs values [S], S >= 1, got shape {list(values.shape)}")
    count = values.size
    width = float("nan")
    if count > 1:
        width = float(stats.t.ppf(0.975, count - 1) * values.std(ddof=1) / sqrt(count))
    return OverSeeds(float(values.mean()), width, int(count), int((values > 0).sum()))
