"""PopReturn, PopExpl and AggScore of a table of returns, with their errors.

Axes: `B` opponents of the evaluation population, `E` samples an opponent. A sample is an episode, or where the seats
differ the mean of two episodes on the same deals with seats swapped; samples are independent. PopExpl looks at these
opponents only and is never called exploitability. Source: Lanctot et al., TMLR 2023, section 4 (PopulationReturn,
WithinPopExpl, AggregateScore).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from csro_core.estimates import Estimate
from csro_core.evaluation.forfeits import Forfeits, ToldForfeits
from csro_core.matches.jobs import Failure


@dataclass(frozen=True, eq=False)
class BenchmarkMatches:
    """What one policy got.

    Attributes:
        returns: `[B, E]` returns of the policy.
        failures: what went wrong, if anything.
        forfeits: how often.
        opponent_failures: what went wrong with opponents, if anything.
    """

    returns: NDArray[np.float64]
    failures: tuple[Failure, ...]
    forfeits: Forfeits
    opponent_failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, eq=False)
class BenchmarkResult:
    """How a policy or a mixture does against the evaluation population.

    Attributes:
        opponents: names, in the order of the rows.
        returns: `[B, E]` returns; a mixture's are the sum of sigma_i times its policies' (same episodes for all).
        pop_return: mean return over the opponents.
        pop_expl: the largest mean loss to an opponent, biased upwards (a maximum of noisy means).
        pop_expl_split: the same, the opponent chosen on one half of the samples and valued on the other, both ways; NaN
            with fewer than 2 samples.
        agg_score: `pop_return` - `pop_expl`.
        agg_score_split: `pop_return` - `pop_expl_split`.
        nemesis: the opponent of `pop_expl`.
        failures: what went wrong in the policies' matches, at most a few; a failure forfeits the rest of its match.
        forfeits: how often, by whom and why.
        forfeited: `[B]` episodes that the policies forfeited, by opponent.
    """

    opponents: tuple[str, ...]
    returns: NDArray[np.float64]
    pop_return: Estimate
    pop_expl: Estimate
    pop_expl_split: Estimate
    agg_score: Estimate
    agg_score_split: Estimate
    nemesis: str
    failures: tuple[Failure, ...] = ()
    forfeits: ToldForfeits = ToldForfeits(0, 0)
    forfeited: tuple[int, ...] = ()


def score(
    opponents: Sequence[str], returns: NDArray[np.float64], failures: tuple[Failure, ...] = ()
) -> BenchmarkResult:
    """Returns the scores of one table of returns.

    Args:
        opponents: `[B]` names.
        returns: `[B, E]` returns of the policy or the mixture, E >= 1; samples are independent.
        failures: passed on.

    Raises:
        ValueError: the table does not fit the opponents, or is empty.
    """
    if returns.ndim != 2 or returns.shape[0] != len(opponents) or returns.size == 0:
        raise ValueError(
            f"returns must have one row for each of {len(opponents)} opponents and a column, got {returns.shape}"
        )
    count, samples = returns.shape
    nemesis = int(returns.mean(axis=1).argmin())
    even = np.full(returns.shape, 1.0 / returns.size)
    loss = np.zeros(returns.shape)
    loss[nemesis] = -1.0 / samples
    split = _split_loss(returns)
    return BenchmarkResult(
        opponents=tuple(opponents),
        returns=returns,
        pop_return=_estimate(returns, even, count * samples),
        pop_expl=_estimate(returns, loss, samples),
        pop_expl_split=_estimate(returns, split, samples),
        agg_score=_estimate(returns, even - loss, count * samples),
        agg_score_split=_estimate(returns, even - split, count * samples),
        nemesis=opponents[nemesis],
        failures=failures,
    )


def _split_loss(returns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns `[B, E]` weights of the mean loss to an opponent that the other half of the samples has chosen."""
    weights = np.zeros(returns.shape)
    halves = slice(0, None, 2), slice(1, None, 2)
    if returns.shape[1] < 2:
        return np.full(returns.shape, np.nan)
    for chosen_on, valued_on in (halves, halves[::-1]):
        nemesis = int(returns[:, chosen_on].mean(axis=1).argmin())
        weights[nemesis, valued_on] -= 0.5 / returns[nemesis, valued_on].size
    return weights


def _estimate(returns: NDArray[np.float64], weights: NDArray[np.float64], count: int) -> Estimate:
    """Returns the estimate of a weighted sum of independent samples; every score here is one.

    Args:
        returns: `[B, E]` returns.
        weights: `[B, E]` weight of each sample.
        count: how many samples it rests on.
    """
    if returns.shape[1] < 2:
        return Estimate(float((weights * returns).sum()), float("nan"), count)
    variances = returns.var(axis=1, ddof=1)
    stderr = sqrt(float(((weights**2).sum(axis=1) * variances).sum()))
    return Estimate(float((weights * returns).sum()), stderr, count)
