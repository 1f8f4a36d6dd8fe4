"""Pools and executors that tell how far a piece of work is."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from csro_core.games import make_game
from csro_core.matches.jobs import Isolation, MatchExecutor, MatchJob, MatchResult
from csro_core.matches.local_pool import LocalPool
from csro_core.matches.sides import Spawn
from csro_core.matches.tasks import TaskPool
from csro_core.policies.source import Inspection

Bar: TypeAlias = Callable[[int, int], None]
"""Called with (done, total)."""

Result = TypeVar("Result")


@contextmanager
def local_pool(executor: MatchExecutor, bar: Bar) -> Iterator["TellingPool"]:
    """Gives a pool of this machine for as long as it is needed: the executor itself where it is one.

    Args:
        executor: plays the matches of a run, here or elsewhere.
        bar: hears how far the work is.
    """
    pool = executor if isinstance(executor, LocalPool) else LocalPool(make_game)
    try:
        yield TellingPool(pool, bar)
    finally:
        if pool is not executor:
            pool.close()


@dataclass(frozen=True)
class TellingPool:
    """A pool that tells how far a piece of work is."""

    pool: TaskPool
    bar: Bar

    def submit(
        self, jobs: Sequence[MatchJob], on_result: Callable[[int, MatchResult], None] | None = None
    ) -> list[MatchResult]:
        """Returns what came of the jobs (see `TaskPool.submit`)."""
        return self.pool.submit(jobs, _counting(self.bar, len(jobs), on_result))

    def run(
        self, tasks: Sequence[Callable[[Spawn], Result]], on_result: Callable[[int, Result], None] | None = None
    ) -> list[Result]:
        """Returns what the tasks return (see `TaskPool.run`)."""
        return self.pool.run(tasks, _counting(self.bar, len(tasks), on_result))


@dataclass(frozen=True)
class TellingExecutor:
    """An executor that tells how far a piece of work is; everything else is that of the one behind it."""

    executor: MatchExecutor
    bar: Bar

    @property
    def isolation(self) -> Isolation:
        """What the policies are kept in."""
        return self.executor.isolation

    def submit(
        self, jobs: Sequence[MatchJob], on_result: Callable[[int, MatchResult], None] | None = None
    ) -> list[MatchResult]:
        """Returns what came of the jobs (see `MatchExecutor.submit`)."""
        return self.executor.submit(jobs, _counting(self.bar, len(jobs), on_result))

    def inspect(self, text: str) -> Inspection:
        """Returns what the text is found to be."""
        return self.executor.inspect(text)

    def cancel(self) -> None:
        """Ends what is being played."""
        self.executor.cancel()

    def close(self) -> None:
        """Does nothing: whoever made the executor closes it."""


def _counting(bar: Bar, total: int, on_result: Callable[[int, Result], None] | None) -> Callable[[int, Result], None]:
    """Returns what hears results as they arrive, tells the bar, and passes them on."""
    done = 0
    bar(0, total)

    def count(index: int, result: Result) -> None:
        nonlocal done
        done += 1
        bar(done, total)
        if on_result is not None:
            on_result(index, result)

    return count
