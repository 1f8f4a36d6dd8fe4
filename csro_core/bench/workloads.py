"""What is played: two games, and pairs of policies that cost a given time an act."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

from csro_core.bench import loops
from csro_core.bench.contestants import Contestant, Pair, calibrated, recorded
from csro_core.bench.loops import Acts
from csro_core.bench.players import (
    leduc_bettor,
    leduc_caller,
    leduc_counter,
    leduc_reader,
    rps_counter,
    rps_echo,
    rps_markov,
    rps_rotate,
)
from csro_core.bench.timing import Contender
from csro_core.errors import CsroError
from csro_core.games import make_game, repeated_leduc, repeated_rps
from csro_core.games.base import Game, GameSpec
from csro_core.matches.jobs import MatchExecutor, MatchJob

EpisodeLoop = Callable[[Acts, int, int], float]
"""(acts, steps, seed) → return of player 0; steps are throws or hands."""

_CALIBRATION_STEPS = 100


@dataclass(frozen=True)
class Arena:
    """A game of the benchmark.

    Attributes:
        name: for people.
        game: number of steps → the spec.
        bare: the loop without protection.
        openspiel: the same on OpenSpiel's states.
        trivial: two policies that do next to nothing.
        written: two policies as a language model writes them.
    """

    name: str
    game: Callable[[int], GameSpec]
    bare: EpisodeLoop
    openspiel: EpisodeLoop
    trivial: tuple[ModuleType, ModuleType]
    written: tuple[ModuleType, ModuleType]


RPS = Arena(
    name="repeated RPS",
    game=lambda throws: repeated_rps.build({"num_throws": throws}).spec,
    bare=lambda acts, throws, _: loops.play_throws(acts, throws),
    openspiel=lambda acts, throws, _: loops.play_openspiel_throws(acts, throws),
    trivial=(rps_rotate, rps_echo),
    written=(rps_counter, rps_markov),
)
LEDUC = Arena(
    name="repeated Leduc",
    game=lambda hands: repeated_leduc.build({"num_hands": hands}).spec,
    bare=loops.play_hands,
    openspiel=loops.play_openspiel_hands,
    trivial=(leduc_caller, leduc_bettor),
    written=(leduc_counter, leduc_reader),
)


@dataclass(frozen=True)
class Workload:
    """Matches of one pair of policies.

    Attributes:
        arena: the game.
        pair: the policies.
        steps: throws or hands of an episode.
        episodes: how many are played in lockstep; the seats alternate.
    """

    arena: Arena
    pair: Pair
    steps: int
    episodes: int

    @property
    def job(self) -> MatchJob:
        """The matches as a job."""
        seats = tuple(episode % 2 for episode in range(self.episodes))
        seeds = tuple(range(1, self.episodes + 1))
        return MatchJob(self.arena.game(self.steps), (self.pair[0].text, self.pair[1].text), seats, seeds)

    def with_episodes(self, episodes: int) -> "Workload":
        """Returns the same for another number of episodes."""
        return replace(self, episodes=episodes)

    def scores(self, loop: EpisodeLoop) -> list[float]:
        """Returns the scores of the first policy after playing every episode in a loop of this process."""
        scores = []
        for episode in range(self.episodes):
            first, second = self.pair[0].new_act(), self.pair[1].new_act()
            swapped = episode % 2 == 1
            won = loop((second, first) if swapped else (first, second), self.steps, episode + 1)
            scores.append(-won if swapped else won)
        return scores

    def acts(self) -> int:
        """Returns the number of acts of both policies in all episodes, counted by playing them."""
        # How much a policy works does not change its moves.
        idle = replace(self, pair=(Contestant(self.pair[0].module), Contestant(self.pair[1].module)))
        count = 0

        def counting(acts: Acts, steps: int, seed: int) -> float:
            def counted(obs: dict[str, Any]) -> int:
                nonlocal count
                count += 1
                return acts[obs["player"]](obs)

            return self.arena.bare((counted, counted), steps, seed)

        idle.scores(counting)
        return count


def bench_game(spec: GameSpec) -> Game:
    """Returns the game of a spec, repeated Leduc among them."""
    return repeated_leduc.build(spec.parameters) if spec.name == repeated_leduc.NAME else make_game(spec)


def workload(arena: Arena, steps: int, episodes: int, seconds: float | None) -> Workload:
    """Returns matches of policies that cost `seconds` an act on this machine now; None: trivial ones.

    Args:
        arena: the game.
        steps: throws or hands of an episode.
        episodes: how many.
        seconds: wanted cost.
    """
    modules = arena.trivial if seconds is None else arena.written
    pair = Contestant(modules[0]), Contestant(modules[1])
    if seconds is not None:
        seen: tuple[list[dict[str, Any]], list[dict[str, Any]]] = [], []
        acts = recorded(pair[0].new_act(), seen[0]), recorded(pair[1].new_act(), seen[1])
        arena.bare(acts, min(steps, _CALIBRATION_STEPS), 1)
        pair = calibrated(pair[0], seen[0], seconds), calibrated(pair[1], seen[1], seconds)
    return Workload(arena, pair, steps, episodes)


def in_one_process(load: Workload, name: str, loop: EpisodeLoop) -> Contender:
    """Returns the contender that plays in a loop of this process."""
    return Contender(name, lambda: load.scores(loop), load.acts())


def jailed(load: Workload, pool: MatchExecutor) -> Contender:
    """Returns the contender that plays as the product does: every episode in lockstep, in two jailed processes."""
    return Contender("our matches", lambda: _played(pool, [load.job]), load.acts())


def one_at_a_time(load: Workload, pool: MatchExecutor) -> Contender:
    """Returns the contender without lockstep: each episode is a match of its own, in two fresh jailed processes."""
    whole = load.job
    jobs = [
        replace(whole, seats=(seat,), seeds=(seed,)) for seat, seed in zip(whole.seats, whole.seeds, strict=True)
    ]
    return Contender("no lockstep", lambda: _one_after_the_other(pool, jobs), load.acts())


def many_at_a_time(load: Workload, pool: MatchExecutor, matches: int) -> Contender:
    """Returns the contender that plays the same matches several times, as many at once as the pool likes."""
    jobs = [load.job] * matches
    return Contender("many matches", lambda: _played(pool, jobs), matches * load.acts())


def _one_after_the_other(pool: MatchExecutor, jobs: Sequence[MatchJob]) -> list[float]:
    return [score for job in jobs for score in _played(pool, [job])]


def _played(pool: MatchExecutor, jobs: Sequence[MatchJob]) -> list[float]:
    """Returns the scores of the first policy in every episode.

    Raises:
        CsroError: a policy of the benchmark failed, or not every episode was played: there is nothing to measure then.
    """
    results = pool.submit(jobs)
    for result in results:
        if result.deterministic:
            raise CsroError("the benchmark must play every episode, but a pair was taken for a deterministic one")
        for failure in result.failures:
            raise CsroError(f"the benchmark's own policies must not fail, got {failure.status}: {failure.message}")
    return [float(score) for result in results for score in result.returns[:, 0]]
