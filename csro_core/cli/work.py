"""Working on a run in this process, for `run`, `resume` and `serve`: progress to standard error, the run at the end."""

import argparse
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from csro_core.cli.documents import run_document, run_text
from csro_core.cli.output import emit, interval, note
from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool
from csro_core.runner import Runner
from csro_core.store import Store

WATCH_SECONDS = 0.5


def work_on(args: argparse.Namespace, store: Store, run: str, target: int) -> int:
    """Works on a run until `target` iterations are finished, and prints it.

    Args:
        args: parsed arguments with the common options.
        store: where the run is.
        run: its full id.
        target: iterations wanted in all.

    Returns:
        0 where it is done or was stopped on request, 1 where it failed.

    Raises:
        LeaseError: another process works on it.
        CsroError: it failed.
    """
    pool = LocalPool(make_game)
    note(f"run {run} in {store.path}; isolation: {pool.isolation.level} {pool.isolation.reason}".rstrip())
    try:
        with _reporting(store, run), _interruptible(store, run):
            Runner(store, run, pool).run_to(target)
    finally:
        pool.close()
    emit(args, run_document(store, run), run_text(store, run))
    return 1 if store.run(run).status in ("failed", "needs-key") else 0


@contextmanager
def _reporting(store: Store, run: str) -> Iterator[None]:
    """Writes a line to standard error for every finished iteration."""
    quit_ = threading.Event()

    def report() -> None:
        seen = store.run(run).iteration
        while not quit_.wait(WATCH_SECONDS):
            for record in store.iterations(run)[seen:]:
                note(
                    f"iteration {record.iteration}: {record.verdict}, gain {interval(record.gain)}, "
                    f"{record.attempts} attempts, {record.seconds:.1f} s"
                )
                seen = record.iteration

    thread = threading.Thread(target=report, name="csro-report", daemon=True)
    thread.start()
    try:
        yield
    finally:
        quit_.set()
        thread.join(timeout=5.0)


@contextmanager
def _interruptible(store: Store, run: str) -> Iterator[None]:
    """Turns Ctrl-C into a request to stop, so that the run ends in order; a second one ends the process."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        note("stopping after Ctrl-C; once more to end at once")
        store.add_request(run, "stop", {})

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
