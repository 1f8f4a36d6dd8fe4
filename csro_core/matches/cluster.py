"""The cluster: plays jobs on the workers of a Dask scheduler, with the results of the local pool bit for bit.

Long jobs travel in parts; a window of them is under way, the rest waits here. Workers that die lose nothing, since
the scheduler gives their tasks to others. Nothing of this module needs the package `distributed` before a pool is
made, so that addresses can be checked without it.
"""

import itertools
import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from queue import Empty
from typing import TYPE_CHECKING, cast

from csro_core.errors import Cancelled, CsroError, UsageError
from csro_core.games import make_game
from csro_core.matches.batches import Joining, Place, split
from csro_core.matches.cluster_messages import (
    Answer,
    Demand,
    Errand,
    Lost,
    Task,
    WorkerReport,
    code_identity,
    refuse,
)  # fmt: skip
from csro_core.matches.jobs import Isolation, MatchJob, MatchResult
from csro_core.policies.source import Inspection
from csro_core.sandbox.host import ISOLATION_VARIABLE

if TYPE_CHECKING:  # it needs the optional extra
    from csro_core.matches.cluster_link import Link

LOGGER = logging.getLogger(__name__)

CONNECT_SECONDS = 8.0
PATIENCE_SECONDS = 60.0
"""How long a pool waits for a first worker, or for another one where all are gone."""

MAX_ATTEMPTS = 3
"""Sendings of a task whose workers died; each of them survives `allowed-failures` deaths, see Dask's configuration."""

_WINDOW = 4
"""Tasks under way for each thread of the workers."""
_POLL_SECONDS = 0.25
_LOOK_SECONDS = 1.0
_SECONDS_TO_WARNING = 5.0
_ADDRESS = re.compile(r"(tcp|tls)://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})")


def checked_address(text: str) -> str:
    """Returns the address of a scheduler without spaces around it.

    Raises:
        UsageError: it has not the shape of one.
    """
    matched = _ADDRESS.fullmatch(text.strip())
    if matched is None or not 0 < int(matched[3]) < 65_536:
        raise UsageError(
            f"a cluster must be given as tcp://HOST:PORT or tls://HOST:PORT of its scheduler, got {text[:80]!r}"
        )
    return matched[0]


class ClusterPool:
    """Plays jobs on other machines (the protocol `MatchExecutor`)."""

    def __init__(self, address: str, patience: float = PATIENCE_SECONDS) -> None:
        """Connects, waits for a worker, and looks at every worker that is there.

        Args:
            address: of the scheduler, `tcp://host:port` or `tls://host:port`.
            patience: seconds that it waits for a worker when there is none.

        Raises:
            UsageError: the address is wrong, there is no scheduler, or the extra `cluster` is not installed.
            IsolationError: `CSRO_ISOLATION=require` is set here, and a worker lacks a wall.
            CsroError: there is no worker, or one of them has other code.
        """
        self._demand = Demand(code_identity(), _requires_full_isolation())
        self._patience = patience
        self._reports: dict[str, WorkerReport] = {}
        self._errand: Errand | None = None
        self._looked = 0.0
        self._deserted: float | None = None
        self._warned = False
        self._link = _connect(checked_address(address))
        try:
            self._wait_for_workers()
            for report in self._link.reports():
                refuse(report, self._demand)
                self._reports[report.address] = report
        except BaseException:
            self.close()
            raise

    @property
    def place(self) -> str:
        """Where matches are played, for people: "2 workers at tcp://…"."""
        count = self._link.workers
        return f"{count} worker{'' if count == 1 else 's'} at {self._link.address}"

    @property
    def isolation(self) -> Isolation:
        """The worst of all workers that were seen."""
        told = [report.isolation for report in self._reports.values()]
        if not told:
            return Isolation("reduced", "no worker has told yet")
        reasons = sorted({one.reason for one in told if one.level == "reduced"})
        walls = tuple(wall for wall in told[0].walls if all(wall in one.walls for one in told))
        if not reasons:
            return Isolation("full", "", walls)
        return Isolation("reduced", f"on some workers: {'; '.join(reasons)}", walls)

    def submit(
        self, jobs: Sequence[MatchJob], on_result: Callable[[int, MatchResult], None] | None = None
    ) -> list[MatchResult]:
        """Plays all jobs, several at a time (see `MatchExecutor.submit`).

        Args:
            jobs: what to play.
            on_result: called in this thread with (index, result) as results arrive.

        Returns:
            The results in the order of the jobs.

        Raises:
            Cancelled: `cancel` was called meanwhile.
            UsageError: a job names an unknown game, or its parameters are wrong.
            IsolationError: a worker that has joined lacks a wall, and full isolation is required here.
            CsroError: there are no workers any more, they die again and again, or the scheduler is gone.
        """
        for job in jobs:
            make_game(job.game)
        joining = Joining(on_result)
        self._do(split(jobs), lambda place, outcome: joining.take(place, cast(MatchResult, outcome)))
        return joining.results()

    def inspect(self, text: str) -> Inspection:
        """Returns what a jailed process on a worker says of a policy's text; this process never parses it.

        Raises:
            Cancelled: `cancel` was called meanwhile.
            CsroError: see `submit`.
        """
        found: list[MatchResult | Inspection] = []
        self._do(iter([(Place(0, 0, 1), text)]), lambda _, outcome: found.append(outcome))
        return cast(Inspection, found[0])

    def cancel(self) -> None:
        """Makes the current `submit` (from another thread) raise `Cancelled`; without one it does nothing."""
        errand = self._errand
        if errand is not None:
            errand.cancelled = True
            errand.arrivals.put(None)

    def close(self) -> None:
        """Ends the connection; matches that are still played for it are ended by the workers. Idempotent."""
        self.cancel()
        self._link.close()

    def _do(
        self,
        tasks: Iterator[tuple[Place, Task]],
        arrive: Callable[[Place, MatchResult | Inspection], None],
    ) -> None:
        """Does all tasks; a window of them is under way.

        Args:
            tasks: where each belongs, and what it is. Read as there is room.
            arrive: called in this thread as results arrive.

        Raises:
            Cancelled: `cancel` was called.
            CsroError: see `submit`.
        """
        errand = Errand(self._demand)
        self._errand = errand
        source = enumerate(tasks)
        under_way: dict[int, _Sent] = {}
        try:
            while True:
                room = _WINDOW * max(self._link.threads, 1) - len(under_way)
                for number, (place, task) in itertools.islice(source, max(room, 0)):
                    under_way[number] = _Sent(place, task)
                    self._link.send(errand, number, task)
                if not under_way:
                    return
                arrival = self._next(errand)
                if arrival is None:
                    continue
                number, answer = arrival
                outcome = self._outcome(answer)
                if isinstance(outcome, Lost):
                    under_way[number].try_again(outcome)
                    self._link.send(errand, number, under_way[number].task)
                else:
                    arrive(under_way.pop(number).place, outcome)
        finally:
            self._errand = None
            self._link.drop(errand)

    def _next(self, errand: Errand) -> tuple[int, Answer | Lost | CsroError] | None:
        """Returns what has arrived, None where nothing has in a while.

        Raises:
            Cancelled: `cancel` was called.
            CsroError: there is no worker any more, or no scheduler.
        """
        try:
            arrival = errand.arrivals.get(timeout=_POLL_SECONDS)
        except Empty:
            arrival = None
        if errand.cancelled:
            raise Cancelled("the matches were stopped on request")
        self._check_cluster()
        return arrival

    def _outcome(self, answer: Answer | Lost | CsroError) -> MatchResult | Inspection | Lost:
        """Returns the outcome of a task, or why it must be sent again.

        Raises:
            CsroError: neither.
        """
        if isinstance(answer, CsroError):
            raise answer
        if isinstance(answer, Lost):
            return answer
        refuse(answer.report, self._demand)
        self._reports[answer.report.address] = answer.report
        if answer.outcome is not None:
            return answer.outcome
        if answer.again:
            return Lost(f"worker {answer.report.address}: {answer.trouble}")
        raise CsroError(f"worker {answer.report.address} could not do a task: {answer.trouble}")

    def _wait_for_workers(self) -> None:
        """Waits until there is one.

        Raises:
            CsroError: there is none in time, or no scheduler any more.
        """
        while not self._link.workers:
            self._check_cluster()
            time.sleep(_POLL_SECONDS / 5)

    def _check_cluster(self) -> None:
        """Looks at the cluster now and then; says so when nobody is there, and gives up after a while.

        Raises:
            CsroError: there is no worker any more, or no scheduler.
        """
        if self._link.lost:
            raise CsroError(
                f"the scheduler at {self._link.address} must stay reachable, and the connection to it is lost: "
                f"start it and its workers again, then resume"
            )
        now = time.monotonic()
        if now - self._looked < (_LOOK_SECONDS if self._link.workers else _POLL_SECONDS):
            return
        self._looked = now
        self._link.look()
        if self._link.workers or not self._link.looks:
            self._deserted = None
        elif self._deserted is None:
            self._deserted = now
            self._warned = False
        elif now - self._deserted > self._patience:
            raise CsroError(
                f"no worker is connected to {self._link.address} since {self._patience:g} s: start some with "
                f"`dask worker {self._link.address}`"
            )
        elif now - self._deserted > _SECONDS_TO_WARNING and not self._warned:
            self._warned = True
            LOGGER.warning(
                "no worker is connected to %s; waiting up to %g s for one", self._link.address, self._patience
            )


@dataclass
class _Sent:
    """A task under way, and how often it was sent."""

    place: Place
    task: Task
    tries: int = 1

    def try_again(self, lost: Lost) -> None:
        """Notes another try.

        Raises:
            CsroError: there were enough; no policy is to blame.
        """
        if self.tries == MAX_ATTEMPTS:
            raise CsroError(
                f"a task must come back from the cluster, but it was lost {MAX_ATTEMPTS} times ({lost.reason}): look "
                f"into the logs and at the memory of the workers, then resume; no policy is blamed"
            )
        self.tries += 1


def _requires_full_isolation() -> bool:
    demand = os.environ.get(ISOLATION_VARIABLE, "") or "auto"
    if demand not in {"auto", "require"}:
        raise UsageError(f"{ISOLATION_VARIABLE} must be 'require' or 'auto', got {demand!r}")
    return demand == "require"


def _connect(address: str) -> "Link":
    """Returns a connection to the scheduler.

    Raises:
        UsageError: there is none, or the package `distributed` is not installed.
        ModuleNotFoundError: another one is missing.
    """
    try:
        # Here and not above: `distributed` is an optional extra, and takes a second to load.
        from csro_core.matches.cluster_link import Link
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"distributed", "dask"}:
            raise
        raise UsageError(
            'a cluster needs the package distributed, which is not installed: run pip install -e ".[cluster]" in the '
            'folder of the project (once published: pip install "csro[cluster]")'
        ) from error
    return Link(address, CONNECT_SECONDS)
