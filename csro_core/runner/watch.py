"""The runner's monitor: writes the live stages for the pages, pauses where a person steps, ends on request."""

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from csro_core.errors import Cancelled, CsroError, UsageError
from csro_core.progress import STAGES, StageName, seconds_left
from csro_core.runner.budget import read_caps
from csro_core.store import Lease, Store
from csro_core.store.records import Caps, RequestRecord
from csro_core.store.store import MAX_TARGET

if TYPE_CHECKING:  # the desk needs the session, which needs this monitor
    from csro_core.runner.desk import Desk

BAR_SECONDS = 0.25
LIVE_SECONDS = 0.5
POLL_SECONDS = 0.1

LIVE_CHARACTERS = 4_000
"""Most characters that are shown of an answer while it is written: its end."""

ASKED_BETWEEN_STAGES = ("check", "score", "benchmark", "exploitability")
"""Kinds of requests that change nothing of an iteration and are answered in the midst of it."""

LOGGER = logging.getLogger(__name__)


def iterations_wanted(request: RequestRecord, otherwise: int) -> int:
    """Returns how many iterations a request to run asks for in all.

    Args:
        request: of kind "run".
        otherwise: the answer where it does not say.

    Raises:
        UsageError: what it says is no such number.
    """
    wanted = request.payload.get("iterations", otherwise)
    if not isinstance(wanted, int) or isinstance(wanted, bool) or not 0 <= wanted <= MAX_TARGET:
        raise UsageError(f"iterations must be a whole number from 0 to {MAX_TARGET}, got {str(wanted)[:40]!r}")
    return wanted


class Watch:
    """Implements `Monitor` and `calls.Listener` on the store. Calls may be heard of from any thread.

    Attributes:
        until: where to pause: "stage", "attempt", or anything else for nowhere.
        target: iterations wanted; a request to run may change it while the run is under way.
        advancing: True while iterations are under way, not while a request is answered in between.
        desk: answers checks and scores between two stages.
        change_caps: gives the run other caps.
    """

    desk: "Desk"
    change_caps: Callable[[Caps], None]

    def __init__(self, store: Store, lease: Lease, run: str, stop: threading.Event, pause_limit: float) -> None:
        """Keeps its collaborators."""
        self.until = ""
        self.target = 0
        self.advancing = False
        self._store = store
        self._lease = lease
        self._run = run
        self._stop = stop
        self._pause_limit = pause_limit
        self._iteration = 0
        self._player = 0
        self._rows: dict[str, dict[str, Any]] = {}
        self._current: str | None = None
        self._began = 0.0
        self._bar: tuple[int, int] | None = None
        self._bar_began = 0.0
        self._shown = 0.0
        self._paused: str | None = None
        self._at_desk = False
        self._live: dict[int, str] = {}
        self._live_shown = 0.0
        self._live_lock = threading.Lock()
        self._show_lock = threading.Lock()

    def begin(self, iteration: int, player: int) -> None:
        """An iteration starts: all stages wait."""
        self._iteration, self._player = iteration, player
        self._rows = {name: {"name": name, "state": "waiting", "seconds": 0.0, "detail": ""} for name in STAGES}
        self._current = None
        self._show()

    def stage(self, name: StageName, detail: str = "") -> None:
        """Ends the current stage, pauses where a person asked for it, and begins the next one.

        Raises:
            Cancelled: the run was stopped.
        """
        self.check()
        self._finish("done")
        if self._pauses_before(name):
            self._pause()
        self._serve()
        self.check()
        for later in STAGES[STAGES.index(name):]:
            self._rows.setdefault(later, {"name": later})
            self._rows[later] |= {"state": "waiting", "seconds": 0.0, "detail": ""}
        self._rows[name] |= {"state": "now", "detail": detail}
        self._current, self._began, self._bar = name, time.monotonic(), None
        self._show()

    def bar(self, done: int, total: int) -> None:
        """Shows how many matches of the stage are played, a few times a second.

        Raises:
            Cancelled: the run was stopped.
        """
        self.check()
        if self._bar is None or done < self._bar[0]:
            self._bar_began = time.monotonic()
        self._bar = (done, total)
        if time.monotonic() - self._shown >= BAR_SECONDS:
            self._show()

    def asking(self, detail: str) -> None:
        """A model is about to be asked; several questions in a row are one stage.

        Raises:
            Cancelled: the run was stopped.
        """
        if self._current == "ask":
            self.check()
            self._rows["ask"]["detail"] = detail
            self._show()
        else:
            self.stage("ask", detail)

    def heard(self, attempt: int, text: str) -> None:
        """Shows the end of an answer that is being written, at most twice a second."""
        with self._live_lock:
            self._live[attempt] = text[-LIVE_CHARACTERS:]
            if time.monotonic() - self._live_shown < LIVE_SECONDS:
                return
            self._live_shown = time.monotonic()
        try:
            self._show()
        except CsroError as error:
            # This is the thread of a call: the answer matters more than what is seen of it.
            LOGGER.debug("the text of a call cannot be shown: %s", error)

    def silent(self, attempt: int) -> None:
        """Forgets the text of an answer that is over."""
        with self._live_lock:
            self._live.pop(attempt, None)

    def failed(self, message: str) -> None:
        """Marks the current stage as failed, with the reason."""
        if self._current is not None:
            self._rows[self._current]["detail"] = message
        self._finish("failed")
        self._show()

    def between_iterations(self) -> None:
        """Adds what was asked for meanwhile; it counts from the next iteration.

        Raises:
            Cancelled: the run was stopped.
        """
        self._finish("done")
        self._serve(adding=True)
        self.check()

    def rest(self) -> None:
        """Nothing is being done: clears the live stages."""
        self._finish("done")
        self._lease.set_progress({})

    def _pauses_before(self, name: StageName) -> bool:
        if self.until == "stage":
            return any(row.get("state") in ("done", "failed") for row in self._rows.values())
        attempts_done = self._rows.get("play", {}).get("state") in ("done", "failed")
        check_failed = self._rows.get("check", {}).get("state") == "failed"
        return self.until == "attempt" and name in ("ask", "decide") and (attempts_done or check_failed)

    def _pause(self) -> None:
        """Waits for a request that moves the run on.

        Raises:
            Cancelled: stopped, or nobody came back.
        """
        until, self.until = self.until, ""
        self._lease.set_status("paused", f"paused after one {until}")
        self._paused = until
        try:
            self._show()
            self._wait_for_step()
        finally:
            self._paused = None

    def _wait_for_step(self) -> None:
        """Returns when a request moves the run on.

        Raises:
            Cancelled: stopped, or nobody came back.
        """
        began = time.monotonic()
        while time.monotonic() - began < self._pause_limit:
            self.check()
            for request in self._store.waiting(self._run):
                if request.kind == "step":
                    self._lease.answer(request.id, "done", {})
                    self.until = str(request.payload.get("until", ""))
                elif request.kind != "run" or not self._take_target(request):
                    continue
                self._lease.set_status("running", "")
                return
            self._answer(ASKED_BETWEEN_STAGES)
            time.sleep(POLL_SECONDS)
        raise Cancelled("nobody came back to the paused run; stepping on repeats the iteration from its start")

    def _serve(self, adding: bool = False) -> None:
        self._answer((*ASKED_BETWEEN_STAGES, "add") if adding else ASKED_BETWEEN_STAGES)
        if self.until or not self.advancing:
            return
        for request in self._store.waiting(self._run):
            if request.kind == "run":
                self._take_target(request)
            elif request.kind == "step":
                # A second tab pressed Step on a run that is under way: it has the iteration that it asked for.
                self._lease.answer(request.id, "done", {})

    def _answer(self, kinds: tuple[str, ...]) -> None:
        for request in self._store.waiting(self._run):
            if request.kind in kinds:
                self.answer(request)

    def answer(self, request: RequestRecord) -> None:
        """Lets the desk answer a request; meanwhile the bar is that of its matches.

        Raises:
            LeaseError: the lease is lost.
            StoreError: the store cannot be written.
            Cancelled: the run was stopped meanwhile.
        """
        outer, self._at_desk = self._at_desk, True
        try:
            self._bar = None
            self._show()
            self.desk.answer(request)
        finally:
            self._at_desk, self._bar = outer, None

    def _take_target(self, request: RequestRecord) -> bool:
        """Takes over how far the run shall go, and answers.

        Returns:
            False where the request makes no sense.
        """
        try:
            caps = read_caps(request.payload)
            self.target = iterations_wanted(request, self.target)
            if caps is not None:
                self.change_caps(caps)
        except UsageError as error:
            self._lease.answer(request.id, "failed", {"message": str(error)})
            return False
        self.until = ""
        self._lease.set_target(max(self.target, self._iteration))  # the iteration under way is finished all the same
        self._lease.answer(request.id, "done", {})
        return True

    def check(self) -> None:
        """Does nothing while the run goes on.

        Raises:
            Cancelled: the run was stopped.
        """
        if self._stop.is_set():
            raise Cancelled("stopped on request")

    def _finish(self, state: str) -> None:
        if self._current is not None:
            self._rows[self._current] |= {"state": state, "seconds": round(time.monotonic() - self._began, 3)}
            self._current = None

    def _show(self) -> None:
        """Writes the live stages; from any thread, so everything is read once and the rows are copied."""
        with self._show_lock:
            self._shown = time.monotonic()
            bar, busy = self._bar, self._current is not None or self._at_desk
            with self._live_lock:
                live = [{"attempt": attempt, "text": text} for attempt, text in sorted(self._live.items())]
            self._lease.set_progress({
                "iteration": self._iteration,
                "player": self._player,
                "stages": [dict(row) for row in list(self._rows.values())],
                "bar": list(bar) if bar is not None and busy else None,
                "left": seconds_left(*bar, self._shown - self._bar_began) if bar is not None and busy else None,
                "paused": self._paused,
                "message": "",
                "live": live,
            })
