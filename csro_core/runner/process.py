"""The process that owns a run: holds its lease, does its work, answers its requests, stops on request.

One runner a run at a time (the lease sees to it). A thread beats the heart and looks for a request to stop; all the
work is done in the thread that called, and pauses, where a person steps by stages, inside `Watch.stage`.
"""

import logging
import os
import threading
import time
import uuid
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import get_args

from csro_core.errors import Cancelled, CsroError, LeaseError, ModelError, StoreError, UsageError
from csro_core.matches.jobs import MatchExecutor
from csro_core.runner.budget import read_caps
from csro_core.runner.desk import Desk
from csro_core.runner.faults import UnexpectedError
from csro_core.runner.keys import NO_KEY, Credentials
from csro_core.runner.session import Session
from csro_core.runner.watch import Watch, iterations_wanted
from csro_core.store import Lease, Store
from csro_core.store.records import Caps, RequestKind, RequestRecord, RunStatus

LOGGER = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
POLL_SECONDS = 0.25
PAUSE_LIMIT_SECONDS = 1800.0
"""A run paused inside an iteration is given up after this time; resuming repeats the iteration from its start."""


_STATUS: dict[str, RunStatus] = {"needs-key": "needs-key", "over-budget": "stopped"}
"""What a run is that ends with a `ModelError` of this reason; "failed" for any other."""


_ASKING = ("step", "run")
"""Kinds of requests that models are asked for."""


class Runner:
    """Works on one run until it is done, stopped, or nobody asks for anything any more."""

    def __init__(
        self, store: Store, run: str, executor: MatchExecutor, credentials: Credentials = NO_KEY,
        caps: Caps | None = None,
    ) -> None:  # fmt: skip
        """Keeps its collaborators; takes no lease yet.

        Args:
            store: where the run is.
            run: its id.
            executor: plays matches.
            credentials: what its model is opened with.
            caps: what the run may spend from now on; None: what its settings say.
        """
        self._store = store
        self._run = run
        self._executor = executor
        self._credentials = credentials
        self._caps = caps
        self._owner = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._stop = threading.Event()
        self._quit = threading.Event()
        self._stops = threading.Lock()
        self._ended = False
        self._needs_other_key = False

    @property
    def executor(self) -> MatchExecutor:
        """What plays matches."""
        return self._executor

    def run_to(self, target: int) -> None:
        """Runs until `target` iterations are finished, answering requests meanwhile.

        Raises:
            LeaseError: another process works on the run.
            CsroError: the run failed; its record says why.
        """
        with self._working() as (session, watch):
            # Requests to stop that nobody was there to hear concern work that is over.
            self._settle_stops(session.lease)
            self._iterate(session, watch, target)

    def serve(self, linger: float, kinds: Collection[str] = get_args(RequestKind)) -> None:
        """Answers the requests of the run until none has come for `linger` seconds.

        A request or an iteration that fails is marked so, and the next request is served. A key is handed over only
        when a process starts, so one without a good key ends early, and the next one may have it.

        Args:
            linger: seconds.
            kinds: the kinds of requests that are answered; others are left waiting.

        Raises:
            LeaseError: another process works on the run.
            StoreError: the store cannot be written any more.
        """
        with self._working() as (session, watch):
            last = time.monotonic()
            fresh = True
            while not (self._ended or self._needs_other_key) and time.monotonic() - last < linger:
                request = next((one for one in self._store.waiting(self._run) if one.kind in kinds), None)
                if request is None:
                    fresh = False
                    time.sleep(POLL_SECONDS / 2)
                    continue
                if request.kind in _ASKING and not fresh and session.lacks_key:
                    return  # whoever asked may have a key by now: the next process is handed it
                try:
                    self._handle(request, session, watch)
                except (LeaseError, StoreError):
                    raise
                except Cancelled:
                    self._settle_stops(session.lease)
                except CsroError as error:
                    LOGGER.warning("run %s: %s", self._run, error)
                last = time.monotonic()

    def end(self) -> None:
        """Ends the work in good order, within a second; safe to call in the handler of a signal."""
        # A plain flag: a handler interrupts the main thread anywhere, and must not wait for a lock that it may hold.
        self._ended = True

    def _handle(self, request: RequestRecord, session: Session, watch: Watch) -> None:
        match request.kind:
            case "step" | "run":
                try:
                    caps = read_caps(request.payload)
                    target = iterations_wanted(request, session.iteration + 1)
                except UsageError as error:
                    session.lease.answer(request.id, "failed", {"message": str(error)})
                    return
                if caps is not None:
                    session.change_caps(caps)
                session.lease.answer(request.id, "done", {})
                watch.until = str(request.payload.get("until", "iteration")) if request.kind == "step" else ""
                self._iterate(session, watch, target)
            case "stop":
                self._settle_stops(session.lease)
            case _:
                watch.answer(request)

    def _iterate(self, session: Session, watch: Watch, target: int) -> None:
        """Runs iterations until the target; a stop request ends it without an error.

        Raises:
            LeaseError: the lease is lost.
            StoreError: the store cannot be written.
            CsroError: an iteration failed; the run's record says why.
        """
        watch.target = target
        status: RunStatus = "done"
        message = ""
        failure: CsroError | None = None
        watch.advancing = True
        try:
            self._advance(session, watch)
        except Cancelled as stopped:
            status, message = "stopped", str(stopped)
        except ModelError as error:
            status, message = _STATUS.get(error.reason, "failed"), str(error)
            self._needs_other_key = error.reason in {"needs-key", "wrong-key"}
        except (LeaseError, StoreError):
            raise
        except CsroError as error:
            status, message, failure = "failed", str(error), error
        if status == "failed":
            session.lease.event("failed", {"message": message})
        if status != "done":
            session.forget()
        watch.advancing, watch.until = False, ""
        watch.rest()
        self._settle_stops(session.lease)
        session.lease.set_status(status, message)
        if failure is not None:
            raise failure

    @staticmethod
    def _advance(session: Session, watch: Watch) -> None:
        """Runs iterations until `watch.target` are finished.

        Raises:
            CsroError: an iteration failed or was stopped.
            UnexpectedError: it failed for a reason that nobody had thought of.
        """
        try:
            session.lease.set_target(max(watch.target, session.iteration))
            session.lease.set_status("running", "")
            session.open()
            while session.iteration < watch.target:
                session.iterate()
                watch.between_iterations()
            session.refine()
        except CsroError:
            raise
        except Exception as error:  # whatever it was: the run must not look as if it were still running
            LOGGER.debug("an iteration failed", exc_info=True)
            raise UnexpectedError(error) from error

    def _settle_stops(self, lease: Lease) -> None:
        """Answers the requests to stop, and lets work begin anew."""
        with self._stops:  # else the heart finds one between the answer and the clearing, and stops what comes next
            for request in self._store.waiting(self._run):
                if request.kind == "stop":
                    lease.answer(request.id, "done", {})
            self._stop.clear()

    @contextmanager
    def _working(self) -> Iterator[tuple[Session, Watch]]:
        """Holds the lease, with a beating heart, and gives it back at the end."""
        lease = self._store.acquire(self._run, self._owner)
        lease.discard_unfinished()
        isolation = self._executor.isolation
        walls = list(isolation.walls)
        lease.event("isolation", {"level": isolation.level, "reason": isolation.reason, "walls": walls})
        heart = threading.Thread(target=self._beat, args=(lease,), name="csro-heart", daemon=True)
        heart.start()
        watch = Watch(self._store, lease, self._run, self._stop, PAUSE_LIMIT_SECONDS)
        try:
            session = self._open(lease, watch)
            watch.desk, watch.change_caps = Desk(session), session.change_caps
            if self._caps is not None and self._caps != session.settings.caps:
                session.change_caps(self._caps)
            yield session, watch
        finally:
            self._quit.set()
            heart.join(timeout=5.0)
            last = self._store.run(self._run)
            busy = last.status in ("running", "paused")
            lease.set_progress({})
            lease.release("interrupted" if busy else last.status, last.message)

    def _open(self, lease: Lease, watch: Watch) -> Session:
        """Returns the session; where the run cannot be opened here, whoever waits for an answer is told why.

        Raises:
            CsroError: it cannot.
        """
        try:
            return Session(self._store, lease, self._executor, watch, self._credentials)
        except CsroError as error:
            for request in self._store.waiting(self._run):
                lease.answer(request.id, "failed", {"message": str(error)})
            raise

    def _beat(self, lease: Lease) -> None:
        """Beats the heart and turns a request to stop into a flag and a cancelled executor."""
        last = 0.0
        while not self._quit.wait(POLL_SECONDS):
            try:
                if time.monotonic() - last >= BEAT_SECONDS:
                    lease.heartbeat()
                    last = time.monotonic()
                with self._stops:
                    if self._ended or any(request.kind == "stop" for request in self._store.waiting(self._run)):
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
