"""The process that owns a run: holds its lease, does its work, answers its requests, stops on request.

One runner a run at a time (the lease sees to it). A thread beats the heart and looks for a request to stop; all the
work is done in the thread that called, and pauses, where a person steps by stages, inside `Watch.stage`.
"""

import logging
import os
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from csro_core.errors import Cancelled, CsroError, LeaseError, ModelError
from csro_core.matches.jobs import MatchExecutor
from csro_core.runner.desk import Desk
from csro_core.runner.session import Session
from csro_core.runner.watch import Watch
from csro_core.store import Lease, Store
from csro_core.store.records import RequestRecord, RunStatus

LOGGER = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
POLL_SECONDS = 0.25
PAUSE_LIMIT_SECONDS = 1800.0
"""A run paused inside an iteration is given up after this time; resuming repeats the iteration from its start."""


class Runner:
    """Works on one run until it is done, stopped, or nobody asks for anything any more."""

    def __init__(self, store: Store, run: str, executor: MatchExecutor) -> None:
        """Keeps its collaborators; takes no lease yet."""
        self._store = store
        self._run = run
        self._executor = executor
        self._owner = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._stop = threading.Event()
        self._quit = threading.Event()

    def run_to(self, target: int) -> None:
        """Runs until `target` iterations are finished, answering requests meanwhile.

        Raises:
            LeaseError: another process works on the run.
            CsroError: the run failed; its record says why.
        """
        with self._working() as (session, watch):
            self._iterate(session, watch, target)

    def serve(self, linger: float) -> None:
        """Answers the requests of the run until none has come for `linger` seconds.

        Raises:
            LeaseError: another process works on the run.
        """
        with self._working() as (session, watch):
            last = time.monotonic()
            while time.monotonic() - last < linger:
                request = next(iter(self._store.waiting(self._run)), None)
                if request is None:
                    time.sleep(POLL_SECONDS / 2)
                    continue
                self._handle(request, session, watch)
                last = time.monotonic()

    def _handle(self, request: RequestRecord, session: Session, watch: Watch) -> None:
        match request.kind:
            case "step":
                session.lease.answer(request.id, "done", {})
                watch.until = str(request.payload.get("until", "iteration"))
                self._iterate(session, watch, session.iteration + 1)
            case "run":
                session.lease.answer(request.id, "done", {})
                watch.until = ""
                self._iterate(session, watch, int(request.payload.get("iterations", session.iteration + 1)))
            case "stop":
                session.lease.answer(request.id, "done", {})
                self._stop.clear()
            case _:
                watch.desk.answer(request)

    def _iterate(self, session: Session, watch: Watch, target: int) -> None:
        """Runs iterations until the target; a stop request ends it without an error.

        Raises:
            LeaseError: the lease is lost.
            CsroError: an iteration failed; the run's record says why.
        """
        watch.target = target
        status: RunStatus = "done"
        message = ""
        try:
            session.lease.set_target(max(target, session.iteration))
            session.lease.set_status("running", "")
            session.open()
            while session.iteration < watch.target:
                session.iterate()
                watch.between_iterations()
            status = "done" if session.iteration >= watch.target else "stopped"
        except Cancelled as stopped:
            status, message = "stopped", str(stopped)
        except ModelError as error:
            status, message = ("needs-key" if error.reason == "needs-key" else "failed"), str(error)
            if error.reason != "needs-key":
                session.lease.event("failed", {"message": message})
        except LeaseError:
            raise
        except CsroError as error:
            session.lease.set_status("failed", str(error))
            raise
        finally:
            self._stop.clear()
            watch.rest()
        self._answer_stops(session.lease)
        session.lease.set_status(status, message)

    def _answer_stops(self, lease: Lease) -> None:
        for request in self._store.waiting(self._run):
            if request.kind == "stop":
                lease.answer(request.id, "done", {})

    @contextmanager
    def _working(self) -> Iterator[tuple[Session, Watch]]:
        """Holds the lease, with a beating heart, and gives it back at the end."""
        lease = self._store.acquire(self._run, self._owner)
        lease.discard_unfinished()
        isolation = self._executor.isolation
        lease.event("isolation", {"level": isolation.level, "reason": isolation.reason})
        heart = threading.Thread(target=self._beat, args=(lease,), name="csro-heart", daemon=True)
        heart.start()
        watch = Watch(self._store, lease, self._run, self._stop, PAUSE_LIMIT_SECONDS)
        try:
            session = Session(self._store, lease, self._run, self._executor, watch)
            watch.desk = Desk(session)
            yield session, watch
        finally:
            self._quit.set()
            heart.join(timeout=5.0)
            last = self._store.run(self._run)
            busy = last.status in ("running", "paused")
            lease.release("interrupted" if busy else last.status, last.message)

    def _beat(self, lease: Lease) -> None:
        """Beats the heart and turns a request to stop into a flag and a cancelled executor."""
        last = 0.0
        while not self._quit.wait(POLL_SECONDS):
            try:
                if time.monotonic() - last >= BEAT_SECONDS:
                    lease.heartbeat()
                    last = time.monotonic()
                if any(request.kind == "stop" for request in self._store.waiting(self._run)):
                    self._stop.set()
            except LeaseError:
                LOGGER.error("the lease of run %s is lost to another process; stopping", self._run)
                self._stop.set()
                self._executor.cancel()
                return
            except CsroError as error:
                LOGGER.warning("heartbeat of run %s failed: %s", self._run, error)
            if self._stop.is_set():
                self._executor.cancel()
