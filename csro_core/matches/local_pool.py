"""The local pool: plays jobs in jailed processes of this machine, several at a time."""

import os
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from csro_core.errors import Cancelled
from csro_core.games.base import Game, GameSpec
from csro_core.matches.batches import Joining, split
from csro_core.matches.jobs import Isolation, MatchJob, MatchResult
from csro_core.matches.referee import play_match
from csro_core.matches.sides import Spawn
from csro_core.matches.widths import EPISODES_A_PROCESS, Widths
from csro_core.policies.source import Inspection, Problem, sha256
from csro_core.sandbox.host import PolicyHost
from csro_core.sandbox.player import Player, PlayerDiedError, count_lines
from csro_core.sandbox.spawner import DisturbedError

_Result = TypeVar("_Result")

MAX_ATTEMPTS = 3
"""A match is replayed when a process died through no fault of a policy; a replay gives the same result."""


class LocalPool:
    """Plays jobs (the protocol `MatchExecutor`). Results do not depend on the number of workers."""

    def __init__(
        self,
        games: Callable[[GameSpec], Game],
        workers: int | None = None,
        host: PolicyHost | None = None,
        most: int = EPISODES_A_PROCESS,
    ) -> None:
        """Starts the zygote.

        Args:
            games: makes a game from its spec, such as `csro_core.games.make_game`.
            workers: matches played at the same time, >= 1; None: one more than there are cores, since the two players
                of a match wait for each other now and then.
            host: gives out jailed processes; None: a new one. The pool closes it.
            most: episodes that one process plays at once, >= 1; results do not depend on it.

        Raises:
            IsolationError: full isolation is required and cannot be had.
            ValueError: `workers` is below 1.
        """
        if workers is not None and workers < 1:
            raise ValueError(f"a pool needs at least 1 worker, got {workers}")
        self._games = games
        self.workers = workers or (os.cpu_count() or 1) + 1
        self.host = host or PolicyHost()
        self._widths = Widths(self.workers, most)
        self._threads = ThreadPoolExecutor(self.workers, thread_name_prefix="match")
        self._batch: _Batch | None = None

    @property
    def isolation(self) -> Isolation:
        """How policies are shut in."""
        return Isolation(self.host.level, "; ".join(self.host.missing), self.host.walls)

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
        """
        games = [self._games(job.game) for job in jobs]
        placed = list(split(jobs))
        joining = Joining(on_result)
        tasks = [partial(play_match, games[place.job], part) for place, part in placed]
        self.run(tasks, lambda task, result: joining.take(placed[task][0], result))
        return joining.results()

    def run(
        self, tasks: Sequence[Callable[[Spawn], _Result]], on_result: Callable[[int, _Result], None] | None = None
    ) -> list[_Result]:
        """Does anything that needs jailed processes, several at a time; `submit` does matches with it.

        Args:
            tasks: each is called in a thread with what gives out processes, which end after it. It is called again
                when a process died through no fault of a policy, so it must give the same result every time.
            on_result: called in this thread with (index, result) as results arrive.

        Returns:
            The results in the order of the tasks.

        Raises:
            Cancelled: `cancel` was called meanwhile.
        """
        batch = _Batch(self.host, self._widths)
        self._batch = batch
        finished: queue.SimpleQueue[tuple[int, _Result | _Raised]] = queue.SimpleQueue()

        def do(index: int) -> None:
            try:
                finished.put((index, batch.do(tasks[index])))
            except BaseException as error:  # noqa: BLE001 - it is raised in the caller's thread
                finished.put((index, _Raised(error)))

        results: dict[int, _Result] = {}
        futures: list[Future[None]] = []
        try:
            futures += [self._threads.submit(do, index) for index in range(len(tasks))]
            for _ in tasks:
                index, result = finished.get()
                if isinstance(result, _Raised):
                    raise result.error
                results[index] = result
                if on_result is not None:
                    on_result(index, result)
            batch.check()
        finally:
            # After an error, a cancel or Ctrl-C: end what still plays, so that the pool can be used again.
            batch.cancel()
            for future in futures:
                future.cancel()
            for future in futures:
                if not future.cancelled():
                    future.result()
            self._batch = None
        return [results[index] for index in range(len(tasks))]

    def inspect(self, text: str) -> Inspection:
        """Returns what a jailed process says of a policy's text; nothing of it is run.

        Raises:
            DisturbedError: processes died again and again through no fault of the text.
        """
        for _ in range(MAX_ATTEMPTS - 1):
            try:
                return self._inspect(text)
            except DisturbedError:
                self.host.restart()
        return self._inspect(text)

    def _inspect(self, text: str) -> Inspection:
        player = self.host.spawn()
        try:
            return player.inspect(text)
        except PlayerDiedError as error:
            problem = Problem(error.line or 0, f"the text cannot be parsed: it {error.message}")
            return Inspection(False, sha256(text), "", (problem,), "", count_lines(text))
        finally:
            self.host.release(player)

    def cancel(self) -> None:
        """Makes the current `submit` (from another thread) raise `Cancelled`; without one it does nothing."""
        batch = self._batch
        if batch is not None:
            batch.cancel()

    def close(self) -> None:
        """Ends every process. Idempotent."""
        self.cancel()
        self._threads.shutdown(wait=True, cancel_futures=True)
        self.host.close()


@dataclass(frozen=True)
class _Raised:
    """What a task raised."""

    error: BaseException


class _Batch:
    """The tasks of one `run`, and their processes."""

    def __init__(self, host: PolicyHost, widths: Widths) -> None:
        self._host = host
        self._widths = widths
        self._lock = threading.Lock()
        self._cancelled = False
        self._players: set[Player] = set()

    def do(self, task: Callable[[Spawn], _Result]) -> _Result:
        """Returns the result of one task.

        Raises:
            Cancelled: the batch was cancelled.
            DisturbedError: processes died again and again through no fault of a policy.
        """
        for _ in range(MAX_ATTEMPTS - 1):
            try:
                return self._do_once(task)
            except DisturbedError:
                self.check()
                self._host.restart()
        return self._do_once(task)

    def _do_once(self, task: Callable[[Spawn], _Result]) -> _Result:
        own: list[Player] = []

        def spawn(memory_bytes: int, cpu_seconds: int) -> Player:
            self.check()
            player = self._host.spawn(memory_bytes, cpu_seconds)
            own.append(player)
            with self._lock:
                self._players.add(player)
            # The batch may have been cancelled between the look and the entry into the list.
            self.check()
            return player

        try:
            return task(Spawn(spawn, self._widths))
        except DisturbedError:
            self.check()
            raise
        finally:
            for player in own:
                self._host.release(player)
            with self._lock:
                self._players.difference_update(own)

    def check(self) -> None:
        """Does nothing while the batch goes on.

        Raises:
            Cancelled: the batch was cancelled.
        """
        if self._cancelled:
            raise Cancelled("the matches were stopped on request")

    def cancel(self) -> None:
        """Ends every process of the batch."""
        self._cancelled = True
        with self._lock:
            players = list(self._players)
        for player in players:
            player.stop()
