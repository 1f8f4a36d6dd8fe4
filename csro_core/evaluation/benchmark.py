"""PopReturn, PopExpl and AggScore over a fixed evaluation population: the 43 RoShamBo bots.

Axes: `B` bots, `E` episodes a bot. Returns are net throws per 1,000-throw match. Never called exploitability: PopExpl
looks at these bots only. Source: Lanctot et al., TMLR 2023, section 4 (PopulationReturn, WithinPopExpl,
AggregateScore).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import cast

import numpy as np
from numpy.typing import NDArray

from csro_core.errors import UsageError
from csro_core.estimates import Estimate
from csro_core.evaluation.roshambo import NUM_THROWS, BotPanel, bot_names
from csro_core.games import make_game
from csro_core.games.base import GameSpec, LockstepStage
from csro_core.matches.jobs import Failure, Limits, MatchJob
from csro_core.matches.local_pool import LocalPool
from csro_core.matches.lockstep import PlayerChannel, play_stage, settle_unmade, stage_returns
from csro_core.matches.sides import Spawn, load_texts, make_policies, new_sides
from csro_core.seeds import derive, seat_seed

MATCHES_A_PROCESS = 40
"""Matches that one jailed process plays in lockstep; more of them would share its memory limit."""

NEGLIGIBLE = 0.01
"""A policy below this share of sigma hardly moves a score, and costs as much to play as any other."""

_GAME = GameSpec("repeated_rps", {"num_throws": NUM_THROWS})


@dataclass(frozen=True, eq=False)
class BenchmarkResult:
    """How a policy or a mixture does against the evaluation population.

    Attributes:
        bots: names, in the order of the rows.
        returns: `[B, E]` returns; a mixture's are the sum of sigma_i times its policies' (same episodes for all).
        pop_return: mean return over the bots.
        pop_expl: the largest mean loss to a bot, biased upwards (a maximum of noisy means).
        pop_expl_split: the same, the bot chosen on one half of the episodes and valued on the other, both ways; NaN
            with fewer than 2 episodes.
        agg_score: `pop_return` - `pop_expl`.
        agg_score_split: `pop_return` - `pop_expl_split`.
        nemesis: the bot of `pop_expl`.
        failures: what went wrong in the policies' matches, at most a few; a failure forfeits the rest of its match.
    """

    bots: tuple[str, ...]
    returns: NDArray[np.float64]
    pop_return: Estimate
    pop_expl: Estimate
    pop_expl_split: Estimate
    agg_score: Estimate
    agg_score_split: Estimate
    nemesis: str
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, eq=False)
class BotMatches:
    """What one policy got.

    Attributes:
        returns: `[B, E]` returns of the policy.
        failures: what went wrong, if anything.
    """

    returns: NDArray[np.float64]
    failures: tuple[Failure, ...]


@dataclass(frozen=True)
class Mixture:
    """What is scored: policies and their shares.

    Attributes:
        sources: texts of the policies.
        weights: their shares, >= 0, summing to 1; policies of share 0 are not played.
        left_out: share of the policies that `without_negligible` dropped.
    """

    sources: tuple[str, ...]
    weights: tuple[float, ...]
    left_out: float = 0.0

    def __post_init__(self) -> None:
        """Checks the shares.

        Raises:
            UsageError: they are no distribution over the policies.
        """
        shares = np.asarray(self.weights, dtype=np.float64)
        if shares.shape != (len(self.sources),) or (shares < 0).any() or abs(shares.sum() - 1.0) > 1e-6:
            count = len(self.sources)
            raise UsageError(f"a mixture needs one weight >= 0 for each of {count} policies, sum 1, got {self.weights}")

    @classmethod
    def without_negligible(cls, sources: Sequence[str], sigma: Sequence[float]) -> "Mixture":
        """Returns a mixture without the policies below `NEGLIGIBLE`, the other shares renormalised."""
        kept = [(text, share) for text, share in zip(sources, sigma, strict=True) if share >= NEGLIGIBLE]
        total = sum(share for _, share in kept)
        return cls(tuple(text for text, _ in kept), tuple(share / total for _, share in kept), max(0.0, 1.0 - total))

    @property
    def support(self) -> list[tuple[str, float]]:
        """The policies of positive share, with their shares."""
        return [(text, share) for text, share in zip(self.sources, self.weights, strict=True) if share > 0]


def evaluate_mixtures(
    mixtures: Sequence[Mixture], episodes: int, secret: int, pool: LocalPool
) -> list[BenchmarkResult]:
    """Plays every policy of the mixtures' supports against the 43 bots, each one once.

    Args:
        mixtures: what is scored.
        episodes: matches against each bot, >= 1.
        secret: seeds of bots and policies come from it; the same for every policy.
        pool: where the jailed processes come from.

    Returns:
        The scores of each mixture with their errors.

    Raises:
        UsageError: there are no bots on this system, or no episodes.
    """
    bots = bot_names()
    texts = list(dict.fromkeys(text for mixture in mixtures for text, _ in mixture.support))
    played = dict(zip(texts, play_bots(texts, bots, episodes, secret, pool), strict=True))
    results = []
    for mixture in mixtures:
        empty = np.zeros((len(bots), episodes))
        mixed = sum((share * played[text].returns for text, share in mixture.support), start=empty)
        failures = tuple(failure for text, _ in mixture.support for failure in played[text].failures)
        results.append(score(bots, mixed, failures))
    return results


def bot_returns(
    text: str, bots: Sequence[str], episodes: int, secret: int, pool: LocalPool
) -> NDArray[np.float64]:
    """Returns `[B, E]` returns of one policy against some bots (see `play_bots`)."""
    return play_bots([text], bots, episodes, secret, pool)[0].returns


def play_bots(
    texts: Sequence[str], bots: Sequence[str], episodes: int, secret: int, pool: LocalPool
) -> list[BotMatches]:
    """Plays policies against bots. A match depends on policy, bot, secret and number of the episode only.

    Args:
        texts: the policies.
        bots: names of bots.
        episodes: matches against each bot, >= 1.
        secret: seeds come from it.
        pool: where the jailed processes come from.

    Returns:
        What each policy got.

    Raises:
        UsageError: an unknown bot, no OpenSpiel, or no episodes.
    """
    if episodes < 1:
        raise UsageError(f"a benchmark needs at least 1 episode a bot, got {episodes}")
    BotPanel(bots, [0] * len(bots))
    pairs = [(bot, episode) for bot in bots for episode in range(episodes)]
    chunks = [pairs[at : at + MATCHES_A_PROCESS] for at in range(0, len(pairs), MATCHES_A_PROCESS)]
    tasks = [partial(_play_chunk, text, chunk, secret) for text in texts for chunk in chunks]
    done = pool.run(tasks)
    results = []
    for first in range(0, len(done), max(len(chunks), 1)):
        own = done[first : first + len(chunks)]
        returns = np.concatenate([matches.returns for matches in own]).reshape(len(bots), episodes)
        results.append(BotMatches(returns, tuple(failure for matches in own for failure in matches.failures[:1])))
    return results


def _play_chunk(text: str, pairs: Sequence[tuple[str, int]], secret: int, spawn: Spawn) -> BotMatches:
    """Returns what one policy gets in some matches, played in seat 0 by one jailed process."""
    game = make_game(_GAME)
    stage = cast(LockstepStage, game.lockstep)
    seeds = [derive(secret, "roshambo", bot, episode) for bot, episode in pairs]
    job = MatchJob(_GAME, (text, ""), (0,) * len(pairs), tuple(seeds), Limits())
    sides = new_sides(job)
    load_texts(sides[:1], job, spawn)
    templates = [game.first_observation(player) for player in (0, 1)]
    make_policies(sides[:1], templates, [[seat_seed(seed, 0)] * 2 for seed in seeds], job.limits.load_seconds)
    settle_unmade(sides)
    panel = BotPanel([bot for bot, _ in pairs], [derive(seed, "bot") for seed in seeds])
    log = play_stage(stage.num_steps, sides, (PlayerChannel(sides[0], stage, job.limits), panel))
    returns = stage_returns(stage, log, np.zeros(len(pairs), dtype=np.int64))[:, 0]
    return BotMatches(returns, tuple(sides[0].failures))


def score(bots: Sequence[str], returns: NDArray[np.float64], failures: tuple[Failure, ...] = ()) -> BenchmarkResult:
    """Returns the scores of one table of returns.

    Args:
        bots: `[B]` names.
        returns: `[B, E]` returns of the policy or the mixture, E >= 1; episodes are independent.
        failures: passed on.

    Raises:
        ValueError: the table does not fit the bots, or is empty.
    """
    if returns.ndim != 2 or returns.shape[0] != len(bots) or returns.size == 0:
        raise ValueError(f"returns must have one row for each of {len(bots)} bots and a column, got {returns.shape}")
    bot_count, episodes = returns.shape
    nemesis = int(returns.mean(axis=1).argmin())
    even = np.full(returns.shape, 1.0 / returns.size)
    loss = np.zeros(returns.shape)
    loss[nemesis] = -1.0 / episodes
    split = _split_loss(returns)
    return BenchmarkResult(
        bots=tuple(bots),
        returns=returns,
        pop_return=_estimate(returns, even, bot_count * episodes),
        pop_expl=_estimate(returns, loss, episodes),
        pop_expl_split=_estimate(returns, split, episodes),
        agg_score=_estimate(returns, even - loss, bot_count * episodes),
        agg_score_split=_estimate(returns, even - split, bot_count * episodes),
        nemesis=bots[nemesis],
        failures=failures,
    )


def _split_loss(returns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns `[B, E]` weights of the mean loss to a bot that the other half of the episodes has chosen."""
    weights = np.zeros(returns.shape)
    halves = slice(0, None, 2), slice(1, None, 2)
    if returns.shape[1] < 2:
        return np.full(returns.shape, np.nan)
    for chosen_on, valued_on in (halves, halves[::-1]):
        nemesis = int(returns[:, chosen_on].mean(axis=1).argmin())
        weights[nemesis, valued_on] -= 0.5 / returns[nemesis, valued_on].size
    return weights


def _estimate(returns: NDArray[np.float64], weights: NDArray[np.float64], count: int) -> Estimate:
    """Returns the estimate of a weighted sum of independent matches; every score here is one.

    Args:
        returns: `[B, E]` returns.
        weights: `[B, E]` weight of each match.
        count: how many matches it rests on.
    """
    if returns.shape[1] < 2:
        return Estimate(float((weights * returns).sum()), float("nan"), count)
    variances = returns.var(axis=1, ddof=1)
    stderr = sqrt(float(((weights**2).sum(axis=1) * variances).sum()))
    return Estimate(float((weights * returns).sum()), stderr, count)
