"""Benchmarks: fixed evaluation populations, how they are played, and what a policy or a mixture scores against them.

The scores are those of `benchmark_scores`. No policy meets an evaluation population in training.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from csro_core.errors import UsageError
from csro_core.evaluation.benchmark_leduc import LEDUC_OPPONENTS, play_leduc
from csro_core.evaluation.benchmark_scores import BenchmarkMatches, BenchmarkResult, score
from csro_core.evaluation.bot_matches import Bots, play_bots
from csro_core.evaluation.forfeits import PolicyForfeits, ToldForfeits, reasons_of
from csro_core.evaluation.roshambo import bot_names
from csro_core.games import make_game
from csro_core.games.base import Game, GameSpec
from csro_core.matches.jobs import Failure
from csro_core.matches.tasks import TaskPool
from csro_core.policies.source import sha256
from csro_core.seeds import Secret

NEGLIGIBLE = 0.01
"""A policy below this share of sigma hardly moves a score, and costs as much to play as any other."""

INFORMED_NOTE = (
    "The synthesiser's grammar was informed by the 43 RoShamBo bots and, for Leduc, by looking at scores against the "
    "three opponents; no policy meets them in training."
)
"""What stands wherever a score of a policy of the synthesiser is shown or exported."""

TUNED_NOTE = (
    "A policy that was tuned on the benchmark takes part: it was written while its scores against these very opponents "
    "were looked at."
)
"""What stands wherever a score of such a reference policy is shown or exported."""


def says_tuned(text: str) -> bool:
    """Returns whether a policy's text says that it was tuned on a benchmark, as reference policies do that were."""
    return "tuned on the benchmark" in " ".join(text.lower().split())


PlayPopulation = Callable[[Sequence[str], int, Secret, TaskPool], list[BenchmarkMatches]]
"""(texts, episodes an opponent, secret, pool) -> what each policy got against the opponents, in their order."""


@dataclass(frozen=True)
class Benchmark:
    """An evaluation population and how it is played.

    Attributes:
        name: as on the command line.
        title: the population, for people.
        game: what is played.
        episodes: against each opponent, where nothing else is asked for.
        opponents: names of the opponents, in the order of the rows.
        play: plays policies against all of them.
    """

    name: str
    title: str
    game: GameSpec
    episodes: int
    opponents: Callable[[], tuple[str, ...]]
    play: PlayPopulation

    @property
    def unit(self) -> str:
        """Unit of the scores."""
        return make_game(self.game).unit


def _play_all_bots(texts: Sequence[str], episodes: int, secret: Secret, pool: TaskPool) -> list[BenchmarkMatches]:
    return play_bots(texts, bot_names(), episodes, secret, pool)


_RRPS = Benchmark(
    name="rrps",
    title="the 43 RoShamBo bots of OpenSpiel",
    game=GameSpec("repeated_rps"),
    episodes=10,
    opponents=bot_names,
    play=_play_all_bots,
)

_LEDUC = Benchmark(
    name="leduc",
    title="CFR+ (10,000 iterations), AlwaysCall and AlwaysFold",
    game=GameSpec("repeated_leduc"),
    episodes=100,
    opponents=lambda: LEDUC_OPPONENTS,
    play=play_leduc,
)

BENCHMARKS: Mapping[str, Benchmark] = MappingProxyType({one.name: one for one in (_RRPS, _LEDUC)})
"""Every benchmark by its name."""


def benchmark_named(name: str) -> Benchmark:
    """Returns a benchmark.

    Raises:
        UsageError: there is none of that name; the message lists the known ones.
    """
    if name not in BENCHMARKS:
        raise UsageError(f"unknown benchmark {name!r}; known benchmarks: {', '.join(BENCHMARKS)}")
    return BENCHMARKS[name]


def benchmark_for(game: Game) -> Benchmark | None:
    """Returns the benchmark of a game, None where it has none."""
    return next((one for one in BENCHMARKS.values() if one.game.key == game.spec.key), None)


def checked_benchmark(name: str, game: Game) -> str:
    """Returns the name of a benchmark for runs of a game, "" for none.

    Raises:
        UsageError: there is none of that name, or it is for another game.
    """
    if not name:
        return ""
    wanted = make_game(benchmark_named(name).game)
    if wanted.spec.key != game.spec.key:
        raise UsageError(f"the benchmark {name} needs a run of {wanted.title}, got {game.title}")
    return name


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


class Scoreboard:
    """Scores mixtures on the same episodes, and plays every policy once, however many mixtures it is in."""

    def __init__(self, benchmark: Benchmark, episodes: int, secret: Secret) -> None:
        """Takes what is played; nothing is played yet.

        Args:
            benchmark: the population.
            episodes: against each opponent, >= 1.
            secret: everything random comes from it; the same for every policy.
        """
        self.benchmark = benchmark
        self.episodes = episodes
        self._secret = secret
        self._played: dict[str, BenchmarkMatches] = {}

    def scores(self, mixtures: Sequence[Mixture], pool: TaskPool) -> list[BenchmarkResult]:
        """Plays what was not played before.

        Args:
            mixtures: what is scored.
            pool: where the jailed processes come from.

        Returns:
            The scores of each mixture with their errors.

        Raises:
            UsageError: this system lacks the population, or the number of episodes does not suit it.
        """
        opponents = self.benchmark.opponents()
        wanted = dict.fromkeys(text for mixture in mixtures for text, _ in mixture.support)
        texts = [text for text in wanted if text not in self._played]
        if texts:
            found = self.benchmark.play(texts, self.episodes, self._secret, pool)
            self._played.update(zip(texts, found, strict=True))
        return [self._scored(opponents, mixture) for mixture in mixtures]

    def _scored(self, opponents: tuple[str, ...], mixture: Mixture) -> BenchmarkResult:
        parts = [(text, share, self._played[text]) for text, share in mixture.support]
        forfeited = np.sum([played.forfeits.own for _, _, played in parts], axis=0)
        return replace(
            score(opponents, *self._mixed(mixture)),
            forfeits=_forfeits(parts),
            forfeited=tuple(int(count) for count in forfeited),
        )

    def _mixed(self, mixture: Mixture) -> tuple[NDArray[np.float64], tuple[Failure, ...]]:
        """Returns the mixture's returns: the sum of sigma_i times those of its policies; and their failures."""
        parts = [(share, self._played[text]) for text, share in mixture.support]
        returns = np.sum([share * played.returns for share, played in parts], axis=0)
        return returns, tuple(failure for _, played in parts for failure in played.failures)


def _forfeits(parts: Sequence[tuple[str, float, BenchmarkMatches]]) -> ToldForfeits:
    """Returns who forfeited how much and why.

    Args:
        parts: text, share and matches of each policy.
    """
    policies = [
        PolicyForfeits(
            sha256(text), float(share), int(played.forfeits.own.sum()),
            played.forfeits.episodes * len(played.forfeits.own), reasons_of(played.failures),
        )
        for text, share, played in parts
    ]  # fmt: skip
    return ToldForfeits(
        episodes=sum(one.episodes for one in policies),
        forfeited=sum(one.forfeited for one in policies),
        by_opponents=sum(int(played.forfeits.opponents.sum()) for _, _, played in parts),
        policies=tuple(sorted((one for one in policies if one.forfeited), key=lambda one: -one.forfeited)),
        reasons=reasons_of([failure for _, _, played in parts for failure in played.opponent_failures]),
    )


def evaluate_mixtures(
    benchmark: Benchmark, mixtures: Sequence[Mixture], episodes: int, secret: Secret, pool: TaskPool
) -> list[BenchmarkResult]:
    """Returns the scores of some mixtures (see `Scoreboard`)."""
    return Scoreboard(benchmark, episodes, secret).scores(mixtures, pool)


def evaluate_bot(name: str, episodes: int, secret: Secret, pool: TaskPool) -> BenchmarkResult:
    """Plays one of the 43 RoShamBo bots against all of them, itself included, as the published table does.

    Args:
        name: of the bot.
        episodes: matches against each bot, >= 1.
        secret: the bots' random numbers come from it.
        pool: gives out threads.

    Returns:
        Its scores.

    Raises:
        UsageError: there is no such bot.
    """
    bots = bot_names()
    (played,) = play_bots([Bots((name,))], bots, episodes, secret, pool)
    return replace(
        score(bots, played.returns),
        forfeits=ToldForfeits(played.forfeits.episodes * len(bots), 0),
        forfeited=tuple(int(count) for count in played.forfeits.own),
    )
