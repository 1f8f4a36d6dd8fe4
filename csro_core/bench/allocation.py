"""An experiment: how many episodes a meta-game takes until its estimated sigma is good, by two ways to spend them.

Uniform: equally many matches of every pair. Adaptive: at least `LEAST` of every pair, then in rounds to the cells that
move sigma (`metagame.allocation`). What counts is NashConv of the estimated sigma in the *true* meta-game
(`allocation_truth`), averaged over seeds. No cell has a limit here; a run has one (`csro.DEEPEST`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csro_core.bench.allocation_truth import Sampler, Truth, published_truth
from csro_core.meta_solvers import make_meta_solver
from csro_core.meta_solvers.base import MetaSolver
from csro_core.metagame.allocation import Measured, Wish, further_episodes

LEAST = 8
"""Matches that every pair has, however they are allocated: those of a run by default."""

SEEDS = 20
TARGETS = (8.0, 6.0, 4.0)
"""True NashConv, in net throws of a match of 1,000, that the two ways have to reach."""

_ROUND = 0.25  # of the matches so far
_UNIFORM = (8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256, 320, 384, 512)
_MOST_ADAPTIVE = 64  # matches a pair, on average
_NO_LIMIT = 1 << 40


@dataclass(frozen=True)
class Setting:
    """What is simulated.

    Attributes:
        solver: name of the meta-solver.
        humped: True for matches with the heavier tail.
    """

    solver: str
    humped: bool

    @property
    def words(self) -> str:
        """The setting for people."""
        return f"{self.solver}, {'two-humped' if self.humped else 'normal'} matches"


SETTINGS = tuple(Setting(solver, humped) for solver in ("max-entropy-nash", "nash") for humped in (True, False))


@dataclass(frozen=True)
class Curve:
    """True NashConv by matches, over seeds.

    Attributes:
        episodes: `[K]` matches of all pairs together, ascending.
        mean: `[K]` true NashConv, mean over seeds.
        stderr: `[K]` standard error of that mean.
    """

    episodes: NDArray[np.float64]
    mean: NDArray[np.float64]
    stderr: NDArray[np.float64]

    def first_below(self, target: float) -> float | None:
        """Returns the matches at which the mean first reaches the target, None where it does not."""
        reached = np.flatnonzero(self.mean <= target)
        return self._crossing(int(reached[0]), target) if reached.size else None

    def stays_below(self, target: float) -> float | None:
        """Returns the matches from which on the mean does not exceed the target any more, None where it does."""
        above = np.flatnonzero(self.mean > target)
        place = int(above[-1]) + 1 if above.size else 0
        return self._crossing(place, target) if place < self.mean.size else None

    def _crossing(self, place: int, target: float) -> float:
        if place == 0:
            return float(self.episodes[0])
        low, high = np.log(self.episodes[place - 1 : place + 1])
        fall = float(self.mean[place - 1] - self.mean[place])
        share = (float(self.mean[place - 1]) - target) / fall
        return float(np.exp(low + share * (high - low)))


@dataclass(frozen=True)
class Comparison:
    """The two ways in one setting.

    Attributes:
        setting: what was simulated.
        uniform: equally many matches of every pair.
        adaptive: where they move sigma.
    """

    setting: Setting
    uniform: Curve
    adaptive: Curve

    def ratio(self, target: float) -> float | None:
        """Returns how many times fewer matches the adaptive way takes to a target, to its disadvantage where unclear.

        The uniform way is there as soon as it reaches the target, the adaptive one when it no longer leaves it.
        """
        uniform, adaptive = self.uniform.first_below(target), self.adaptive.stays_below(target)
        return None if uniform is None or adaptive is None else uniform / adaptive


def compare(setting: Setting, seeds: int = SEEDS) -> Comparison:
    """Runs the experiment in one setting.

    Args:
        setting: what is simulated.
        seeds: how many runs of each way.

    Returns:
        Both curves.
    """
    truth = published_truth()
    solver = make_meta_solver(setting.solver)
    uniform, adaptive = [], []
    for seed in range(seeds):
        uniform.append(_uniform(truth, solver, Sampler(truth, seed, setting.humped)))
        adaptive.append(_adaptive(truth, solver, Sampler(truth, seed, setting.humped)))
    pairs = truth.spread.size
    levels = pairs * np.array(_UNIFORM, dtype=np.float64)
    grid = pairs * np.geomspace(LEAST, _MOST_ADAPTIVE, 32)
    return Comparison(setting, _averaged(uniform, levels), _averaged(adaptive, grid))


def document(comparisons: Sequence[Comparison], seeds: int) -> dict[str, object]:
    """Returns the results as JSON data."""
    return {
        "seeds": seeds,
        "least": LEAST,
        "results": [
            {
                "solver": one.setting.solver, "noise": "two-humped" if one.setting.humped else "normal",
                "target": target, "uniform": one.uniform.first_below(target),
                "adaptive": one.adaptive.stays_below(target), "ratio": one.ratio(target),
            }
            for one in comparisons
            for target in TARGETS
        ],
    }  # fmt: skip


Track = list[tuple[int, float]]


def _uniform(truth: Truth, solver: MetaSolver, sampler: Sampler) -> Track:
    track = []
    for level in _UNIFORM:
        sampler.play(np.full(sampler.counts.shape, level) - sampler.counts)
        payoffs, stderr, _ = sampler.estimate()
        sigma = solver.solve(payoffs, stderr, symmetric=True).sigma[0]
        track.append((sampler.episodes, truth.nash_conv(sigma)))
    return track


def _adaptive(truth: Truth, solver: MetaSolver, sampler: Sampler) -> Track:
    track = []
    sampler.play(np.full(sampler.counts.shape, LEAST))
    while True:
        payoffs, stderr, counts = sampler.estimate()
        sigma = solver.solve(payoffs, stderr, symmetric=True).sigma
        track.append((sampler.episodes, truth.nash_conv(sigma[0])))
        if sampler.episodes >= _MOST_ADAPTIVE * sampler.counts.size:
            return track
        wish = Wish(int(_ROUND * sampler.episodes), _NO_LIMIT)
        further = further_episodes(Measured(payoffs, stderr, counts, symmetric=True), sigma, wish)
        sampler.play(further[truth.pairs])


def _averaged(tracks: Sequence[Track], grid: NDArray[np.float64]) -> Curve:
    """Returns the mean of tracks on a grid of matches, straight between what was measured."""
    values = np.stack([_on_grid(track, grid) for track in tracks])
    spread = values.std(axis=0, ddof=1) if len(tracks) > 1 else np.full(grid.size, np.nan)
    return Curve(grid, values.mean(axis=0), spread / np.sqrt(len(tracks)))


def _on_grid(track: Track, grid: NDArray[np.float64]) -> NDArray[np.float64]:
    episodes = np.array([there for there, _ in track], dtype=np.float64)
    values = np.array([value for _, value in track])
    return np.asarray(np.interp(grid, episodes, values), dtype=np.float64)
