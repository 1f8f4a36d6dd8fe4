"""Fair comparisons: contenders take turns, and a figure is the median of the ratios of neighbours in time."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from csro_core.errors import CsroError


@dataclass(frozen=True)
class Contender:
    """One way to play the same matches.

    Attributes:
        name: for people.
        play: plays everything once and returns the score of each episode.
        acts: acts of both policies in one call of `play`.
    """

    name: str
    play: Callable[[], Sequence[float]]
    acts: int


@dataclass(frozen=True)
class Ratio:
    """What a comparison gave.

    Attributes:
        ours: median of our values.
        baseline: median of the baseline's values.
        ratio: median over the repetitions of ours / baseline.
        low: the least of them.
        high: the largest.
    """

    ours: float
    baseline: float
    ratio: float
    low: float
    high: float


def ratio_of(ours: Sequence[float], baseline: Sequence[float]) -> Ratio:
    """Returns the comparison of two series whose members ran side by side.

    Args:
        ours: > 0, one value a repetition.
        baseline: > 0, as many.
    """
    ratios = [one / other for one, other in zip(ours, baseline, strict=True)]
    return Ratio(median(ours), median(baseline), median(ratios), min(ratios), max(ratios))


def take_turns(contenders: Sequence[Contender], repetitions: int) -> list[list[float]]:
    """Times the contenders one after the other, again and again.

    Args:
        contenders: all must give the same scores; one may stop after the first few episodes.
        repetitions: how often each plays, after one round that only compares the scores.

    Returns:
        For each contender the seconds per act of each repetition.

    Raises:
        CsroError: two contenders did not play the same matches, so that their times mean nothing.
    """
    reference = list(contenders[0].play())
    for contender in contenders[1:]:
        scores = list(contender.play())
        if not scores or scores != reference[: len(scores)]:
            raise CsroError(
                f"the benchmark needs equal scores from {contenders[0].name} and {contender.name}; "
                f"got {reference[:8]} and {scores[:8]}: one of them does not play the game"
            )
    times: list[list[float]] = [[] for _ in contenders]
    for _ in range(repetitions):
        for contender, own in zip(contenders, times, strict=True):
            began = time.perf_counter()
            contender.play()
            own.append((time.perf_counter() - began) / contender.acts)
    return times
