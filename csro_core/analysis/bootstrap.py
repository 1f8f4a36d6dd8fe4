"""Bootstrap intervals of a solved meta-game: how far sigma, its value and NashConv would move with other episodes.

All cells of a run share their episode seeds, so an episode is drawn for all cells at once. Cells may have different
numbers of episodes, so episodes get random weights instead of being drawn with replacement: independent exponential
ones (the Bayesian bootstrap of Rubin 1981), under which a cell's mean stays a weighted mean of what it has. The spread
of such means is a little small where episodes are few; deviations are stretched by sqrt((n + 1) / (n - 1)), so that it
equals the standard error.

Every draw is solved as the meta-game itself was, with fewer steps by meta-solvers that take about a second. Intervals
are percentiles. Axes: `N_p` policies, `E` episodes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from csro_core.meta_solvers import rough_solver
from csro_core.meta_solvers.base import MetaSolver, Solution
from csro_core.meta_solvers.verify import nash_conv

Interval: TypeAlias = tuple[float, float]

DRAWS = 100
FEWEST_DRAWS = 20

_EASY = 60  # policies up to which all draws are affordable
_EASY_PROFILES = 300  # the same for solvers that walk from profile to profile
_MOST_PROFILES = 900  # beyond them a single draw takes longer than a second
_BY_PROFILES = ("alpha-rank", "alpha-rank-finite")
_PERCENTILES = (2.5, 97.5)
_MOST_DRAWS = 100_000
_MOST_NOTE = 400
_LARGE = 1e300


@dataclass(frozen=True)
class Intervals:
    """What the draws say, 95 % of them each.

    Attributes:
        draws: how many there were.
        sigma: of each population, of each policy: the weight that the draws give it.
        value: payoff of the draws' solutions to player 0, each in its own meta-game.
        nash_conv: NashConv of the one sigma that was found, in the meta-games of the draws: what best responses within
            the population might gain in truth. The largest of noisy numbers, so it leans upwards.
        note: what was saved, "" where nothing was.
    """

    draws: int
    sigma: tuple[tuple[Interval, ...], ...]
    value: Interval
    nash_conv: Interval
    note: str = ""

    def to_document(self) -> dict[str, Any]:
        """Returns the intervals as JSON data."""
        return {
            "draws": self.draws,
            "sigma": [[list(interval) for interval in population] for population in self.sigma],
            "value": list(self.value),
            "nash_conv": list(self.nash_conv),
            "note": self.note,
        }


def affordable_draws(solver: str, sizes: tuple[int, int], symmetric: bool) -> int:
    """Returns how many draws take a second or two: fewer where each is long to solve, 0 where not even a few do.

    By sizes and not by a clock, so that equal runs have equal rows.

    Args:
        solver: name of the meta-solver.
        sizes: policies of player 0 and of player 1.
        symmetric: True where one population serves both seats.
    """
    effort = max(sizes) / _EASY
    if solver in _BY_PROFILES and not symmetric:
        profiles = sizes[0] * sizes[1]
        if profiles > _MOST_PROFILES:
            return 0
        effort = profiles / _EASY_PROFILES
    return DRAWS if effort <= 1 else max(FEWEST_DRAWS, int(DRAWS / effort**3))


def bootstrap(
    samples: NDArray[np.float64],
    stderr: NDArray[np.float64],
    solver: MetaSolver,
    solution: Solution,
    symmetric: bool,
    rng: np.random.Generator,
) -> Intervals | None:
    """Computes the intervals.

    Args:
        samples: `[2, N_0, N_1, E]` returns, NaN where a cell has no such episode; at least one in each cell.
        stderr: `[2, N_0, N_1]` standard errors of the payoffs, which every draw is solved with.
        solver: what found the solution.
        solution: of the means of the samples.
        symmetric: True where one population serves both seats.
        rng: of the draws.

    Returns:
        The intervals, points where no cell has any spread; None where they would take too long.
    """
    count = affordable_draws(solver.name, (samples.shape[1], samples.shape[2]), symmetric)
    if count == 0:
        return None
    note = f"{count} draws instead of {DRAWS}, since each takes long to solve" if count < DRAWS else ""
    rough = rough_solver(solver)
    if rough is not solver:
        count = min(count, DRAWS // 4)
        note = f"{count} draws instead of {DRAWS}, and fewer steps: {solver.name} takes about a second"
    if not (stderr > 0).any():
        count, rough = 1, solver  # nothing to draw
    resampled = _Resampled(samples)
    values, gaps = np.zeros(count), np.zeros(count)
    populations = solution.sigma[:1] if symmetric else solution.sigma
    shares = [np.zeros((count, sigma.size)) for sigma in populations]
    for place in range(count):
        payoffs = resampled.payoffs(rng)
        drawn = rough.solve(payoffs, stderr, symmetric)
        values[place], gaps[place] = drawn.value, nash_conv(payoffs, solution.sigma)
        for population, sigma in zip(shares, drawn.sigma, strict=False):
            population[place] = sigma
    return Intervals(
        count,
        tuple(tuple(_interval(weights) for weights in population.T) for population in shares),
        _interval(values),
        _interval(gaps),
        note,
    )


class _Resampled:
    """Payoffs with other weights on the episodes."""

    def __init__(self, samples: NDArray[np.float64]) -> None:
        self._present = ~np.isnan(samples[0])
        counts = self._present.sum(axis=-1)
        filled = np.where(np.isnan(samples), 0.0, samples)
        self._means = filled.sum(axis=-1) / np.maximum(counts, 1)
        self._deviations = np.where(self._present, filled - self._means[..., np.newaxis], 0.0)
        self._stretch = np.where(counts > 1, np.sqrt((counts + 1) / np.maximum(counts - 1, 1)), 0.0)

    def payoffs(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Returns `[2, N_0, N_1]` the payoffs of one draw."""
        weights = rng.standard_exponential(self._present.shape[-1])
        # A sum of products instead of a matrix product: equal rows give equal numbers, so duplicates stay duplicates.
        total = (self._present * weights).sum(axis=-1)
        shift = (self._deviations * weights).sum(axis=-1) / np.where(total > 0, total, 1.0)
        return np.asarray(self._means + self._stretch * shift, dtype=np.float64)


def _interval(values: NDArray[np.float64]) -> Interval:
    low, high = np.percentile(values, _PERCENTILES)
    return float(low), float(high)


def check_document(document: object, sizes: Sequence[int]) -> None:
    """Checks what `Intervals.to_document` wrote; the document may come from a stranger.

    Args:
        document: JSON data.
        sizes: policies of each population.

    Raises:
        ValueError: it is something else.
    """
    if not isinstance(document, Mapping) or not {"draws", "sigma", "value", "nash_conv"} <= document.keys():
        raise ValueError("bootstrap intervals must be an object of draws, sigma, value and nash_conv")
    draws, note = document["draws"], document.get("note", "")
    if type(draws) is not int or not 1 <= draws <= _MOST_DRAWS or not isinstance(note, str) or len(note) > _MOST_NOTE:
        raise ValueError(f"bootstrap intervals must tell from how many draws they are, up to {_MOST_DRAWS:,}")
    populations = document["sigma"]
    lists = isinstance(populations, list) and all(isinstance(one, list) for one in populations)
    if not lists or [len(one) for one in populations] != list(sizes):
        raise ValueError("bootstrap intervals must have one interval for each policy of each population")
    for interval in (document["value"], document["nash_conv"], *(pair for one in populations for pair in one)):
        if not isinstance(interval, list) or len(interval) != 2 or not all(_is_number(end) for end in interval):
            raise ValueError("a bootstrap interval must be two finite numbers")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _LARGE
