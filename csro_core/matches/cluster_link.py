"""The connection to a Dask scheduler: tasks go out, answers come in through a queue, nothing here waits for ever.

All of Dask's work is done in the client's own event loop; the thread that waits for answers only ever waits for its
queue, so it can be woken at any time. TLS files come from Dask's configuration (`distributed.comm.tls`):
https://distributed.dask.org/en/stable/tls.html.
"""

import asyncio
import logging
import uuid
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, ThreadPoolExecutor
from functools import partial

from distributed import Client, Future, KilledWorker
from distributed.comm.core import CommClosedError, connect
from distributed.security import Security

from csro_core.errors import CsroError, UsageError
from csro_core.matches.cluster_messages import Answer, Errand, Lost, Task, WorkerReport
from csro_core.matches.cluster_worker import describe, work

_QUIET = ("distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application")
_CLOSE_SECONDS = 3.0

class Link:
    """A connection to one scheduler.

    Attributes:
        address: the scheduler's.
        threads: tasks that the workers do at the same time, all together, at the last look.
        workers: how many they were.
        looks: how often the scheduler has answered that.
    """

    def __init__(self, address: str, timeout: float) -> None:
        """Connects.

        Args:
            address: `tcp://host:port` or `tls://host:port`.
            timeout: seconds, for this and for a reconnection.

        Raises:
            UsageError: there is no scheduler, or TLS is not set up here.
        """
        # Its log is for people who run a cluster; a user of this program gets one sentence from us.
        for name in _QUIET:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        self.address = address
        self.threads = 0
        self.workers = 0
        self.looks = 0
        self._looking = False
        try:
            security = Security()
            # First without a client: one that fails for another reason than the network cannot be closed any more.
            # In a thread of its own: the caller's may have a running loop already, as in a notebook.
            with ThreadPoolExecutor(1) as threads:
                threads.submit(lambda: asyncio.run(_knock(address, timeout, security))).result()
            self._client = Client(address, timeout=timeout, security=security, set_as_default=False, name="csro")
        except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
            raise UsageError(
                f"there must be a Dask scheduler at {address}, and it did not answer as one within {timeout:g} s "
                f"({_short(error)}): start it with `dask scheduler`; for tls:// set the files in Dask's configuration"
            ) from error

    @property
    def lost(self) -> bool:
        """True where the connection is gone for good."""
        return self._client.status == "closed"

    def reports(self) -> list[WorkerReport]:
        """Returns what each worker that is connected now says of itself.

        Raises:
            CsroError: one cannot run this project's code.
        """
        try:
            said: dict[str, WorkerReport | Exception] = self._client.run(describe, on_error="return")
        except (OSError, ValueError) as error:
            raise CsroError(f"the workers at {self.address} cannot be asked: {_short(error)}") from error
        for address, report in said.items():
            if not isinstance(report, WorkerReport) and not isinstance(report, OSError):
                raise CsroError(
                    f"worker {address} must be able to run this project, but it says {_short(report)}: install the "
                    f"same version there, with the extra `cluster`"
                )
        return [report for report in said.values() if isinstance(report, WorkerReport)]

    def look(self) -> None:
        """Counts the workers, in the background; `workers` and `threads` change when the scheduler has answered."""
        self._in_loop(self._look)

    def send(self, errand: Errand, number: int, task: Task) -> None:
        """Sends a task; its answer comes to `errand.arrivals` with this number."""
        self._in_loop(partial(self._fetch, errand, number, task))

    def drop(self, errand: Errand) -> None:
        """Gives up what is under way: workers end those matches within a second."""
        errand.dropped = True
        if not self.lost:
            self._in_loop(partial(self._drop, errand))

    def close(self) -> None:
        """Ends the connection; the scheduler then forgets everything of it. Idempotent."""
        self._client.close(timeout=_CLOSE_SECONDS)

    def _in_loop(self, action: Callable[[], Coroutine[None, None, None]]) -> None:
        loop = self._client.loop
        if loop is not None:
            loop.add_callback(action)

    async def _fetch(self, errand: Errand, number: int, task: Task) -> None:
        if errand.dropped:
            return
        future: Future[Answer] | None = None
        answer: Answer | Lost | CsroError
        try:
            # A name of its own: equal tasks of two runs must not be one task, which either could cancel.
            future = self._client.submit(work, task, errand.demand, key=f"csro-{uuid.uuid4().hex}", pure=False)
            errand.futures.add(future)
            answer = await self._client.gather(future, asynchronous=True)
        except KilledWorker as error:
            answer = Lost(f"{error.allowed_failures + 1} workers died while they had it")
        except (CancelledError, CommClosedError, OSError) as error:
            answer = Lost(_short(error))
        except Exception as error:  # noqa: BLE001 - it is raised in the thread that waits
            answer = CsroError(
                f"the cluster at {self.address} could not do a task ({_short(error)}): the scheduler "
                f"and the workers must have the same version of this project installed"
            )
        errand.futures.discard(future)
        errand.arrivals.put((number, answer))

    async def _look(self) -> None:
        if self._looking:
            return
        self._looking = True
        try:
            threads: dict[str, int] = await self._client.nthreads()
            self.workers, self.threads = len(threads), sum(threads.values())
            self.looks += 1
        except (OSError, ValueError):
            return  # the client tries to reconnect; `lost` says how that ends
        finally:
            self._looking = False

    async def _drop(self, errand: Errand) -> None:
        futures = list(errand.futures)
        if futures:
            await self._client.cancel(futures, asynchronous=True)


async def _knock(address: str, timeout: float, security: Security) -> None:
    comm = await connect(address, timeout=timeout, **security.get_connection_args("client"))
    await comm.close()


def _short(error: object) -> str:
    words = " ".join(f"{type(error).__name__}: {error}".split())
    return words if len(words) <= 300 else f"{words[:300]}…"
