"""The seam behind which work is done with jailed processes of this machine, where plain jobs are not enough."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from csro_core.matches.jobs import MatchJob, MatchResult
from csro_core.matches.sides import Spawn

_Result = TypeVar("_Result")


class TaskPool(Protocol):
    """Plays jobs, and any other task that needs jailed processes: matches with bots are no jobs."""

    def submit(
        self, jobs: Sequence[MatchJob], on_result: Callable[[int, MatchResult], None] | None = None
    ) -> list[MatchResult]:
        """Plays all jobs, several at a time (see `MatchExecutor.submit`)."""
        ...

    def run(
        self, tasks: Sequence[Callable[[Spawn], _Result]], on_result: Callable[[int, _Result], None] | None = None
    ) -> list[_Result]:
        """Does all tasks, several at a time.

        Args:
            tasks: each is called in a thread with what gives it jailed processes, which it need not end.
            on_result: called in this thread with (index, result) as results arrive, in any order.

        Returns:
            The results in the order of the tasks.

        Raises:
            Cancelled: stopped on request.
        """
        ...
