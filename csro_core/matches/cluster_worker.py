"""What a Dask worker does for a run: it plays parts of jobs, and inspects texts, with the ordinary local pool.

A task is idempotent and carries everything, so the scheduler may give it to another worker at any time. Its result is a
value, also where something went wrong: the worker stays healthy, and the run decides.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from distributed import Worker, WorkerPlugin, get_worker

from csro_core.errors import Cancelled, CsroError, IsolationError
from csro_core.games import make_game
from csro_core.matches.cluster_messages import Answer, Demand, Task, WorkerReport, code_identity, refuse
from csro_core.matches.jobs import Isolation, MatchJob
from csro_core.matches.local_pool import LocalPool
from csro_core.sandbox.host import PolicyHost
from csro_core.sandbox.spawner import DisturbedError

_PLUGIN = "csro-matches"
_SECONDS_TO_REGISTER = 10.0
_SECONDS_BETWEEN_LOOKS = 0.2
_REMEMBERED = 1_000
_WARM = 4
"""Processes that a pool keeps ready: those of two matches."""


class Pools:
    """The local pools of a worker process: one for each task that it does at the same time, kept for the next one."""

    def __init__(self) -> None:
        """Makes no pool yet."""
        self._lock = threading.Lock()
        self._idle: list[LocalPool] = []
        self._busy: dict[str, LocalPool] = {}
        self._abandoned: deque[str] = deque(maxlen=_REMEMBERED)
        self._isolation: Isolation | None = None
        self._closed = False

    def isolation(self) -> Isolation:
        """Returns the worst isolation that a pool of this process has; makes one where there is none yet.

        Raises:
            IsolationError: policies cannot be shut in as this machine's own settings ask.
        """
        if self._isolation is None:
            self._give_back(self._take())
        return self._isolation or Isolation("reduced", "unknown")

    @contextmanager
    def lend(self, key: str) -> Iterator[LocalPool]:
        """Lends a pool to the task `key`.

        Yields:
            A pool that nobody else uses.

        Raises:
            IsolationError: policies cannot be shut in as this machine's own settings ask.
            Cancelled: nobody wants the task any more.
        """
        pool = self._take()
        with self._lock:
            self._busy[key] = pool
            abandoned = key in self._abandoned
        try:
            if abandoned:
                raise Cancelled("nobody wants this task any more")
            yield pool
        finally:
            with self._lock:
                del self._busy[key]
            self._give_back(pool)

    def abandon(self, key: str) -> bool:
        """Ends what a task plays.

        Returns:
            True while the task is still there: its match may not have begun yet, so ask again.
        """
        with self._lock:
            self._abandoned.append(key)
            pool = self._busy.get(key)
        if pool is not None:
            pool.cancel()
        return pool is not None

    def close(self) -> None:
        """Ends every policy process. Tasks under way are cut short."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            busy = list(self._busy.values())
        for pool in busy:
            pool.cancel()
        for pool in idle:
            pool.close()

    def _take(self) -> LocalPool:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        pool = LocalPool(make_game, workers=1, host=PolicyHost(warm=_WARM))
        with self._lock:
            if self._isolation is None or pool.isolation.level == "reduced":
                self._isolation = pool.isolation
        return pool

    def _give_back(self, pool: LocalPool) -> None:
        with self._lock:
            closed = self._closed
            if not closed:
                self._idle.append(pool)
        if closed:
            pool.close()


class Attendant(WorkerPlugin):
    """Ends matches that nobody waits for any more, and every process when the worker leaves."""

    def __init__(self, pools: Pools) -> None:
        """Keeps the pools of this process."""
        self._pools = pools
        self._loop: asyncio.AbstractEventLoop | None = None

    def setup(self, worker: Worker) -> None:
        """Keeps the loop that transitions are told in."""
        self._loop = asyncio.get_running_loop()

    def transition(self, key: Any, start: str, finish: str, *_: Any, **__: Any) -> None:
        """Hears of every change of a task; one that is released while it plays was cancelled, or its run has died."""
        if (start, finish) == ("executing", "released"):
            self._abandon(str(key))

    def teardown(self, worker: Worker) -> None:
        """Ends every policy process, in a thread: the worker's loop has its own farewells to make."""
        threading.Thread(target=self._pools.close, name="csro-close").start()

    def _abandon(self, key: str) -> None:
        if self._pools.abandon(key) and self._loop is not None:
            self._loop.call_later(_SECONDS_BETWEEN_LOOKS, self._abandon, key)


_POOLS = Pools()
_REGISTERING = threading.Lock()


async def describe(dask_worker: Worker) -> WorkerReport:
    """Returns what this worker says of itself; Dask passes the worker in.

    Looking needs a jailed process, which takes a moment, so it is done in a thread.
    """
    return await asyncio.to_thread(_report, dask_worker.address)


def work(task: Task, demand: Demand) -> Answer:
    """Does a task, inside a thread of a Dask worker.

    Args:
        task: a job of one part, or a text to inspect.
        demand: what this worker must have; nothing is played where it has not.

    Returns:
        What came of it; never an exception of this project.
    """
    worker = get_worker()
    _attend(worker)
    report = _report(worker.address)
    try:
        refuse(report, demand)
        with _POOLS.lend(str(worker.get_current_task())) as pool:
            outcome = pool.submit([task])[0] if isinstance(task, MatchJob) else pool.inspect(task)
    except (Cancelled, DisturbedError) as error:
        return Answer(report, None, str(error), again=True)
    except CsroError as error:
        return Answer(report, None, str(error))
    return Answer(report, outcome)


def _report(address: str) -> WorkerReport:
    try:
        isolation = _POOLS.isolation()
    except IsolationError as error:
        return WorkerReport(address, code_identity(), Isolation("reduced", str(error)), str(error))
    except CsroError as error:
        return WorkerReport(address, code_identity(), Isolation("full"), str(error))
    return WorkerReport(address, code_identity(), isolation)


def _attend(worker: Worker) -> None:
    """Registers the attendant with the worker, once a process.

    The worker does it itself: a plugin that a client registers stays in the scheduler, pickled, and would keep workers
    without this project from starting.
    """
    with _REGISTERING:
        if _PLUGIN in worker.plugins:
            return
        loop = worker.loop.asyncio_loop  # type: ignore[attr-defined]
        adding = worker.plugin_add(Attendant(_POOLS), _PLUGIN)
        asyncio.run_coroutine_threadsafe(adding, loop).result(_SECONDS_TO_REGISTER)
