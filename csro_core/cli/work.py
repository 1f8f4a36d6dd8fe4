"""Working on a run in this process, for `run`, `resume` and `serve`: progress to standard error, the run at the end."""

import argparse
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from csro_core.cli.documents import run_document, run_text
from csro_core.cli.output import emit, interval, note
from csro_core.errors import StoreError
from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool
from csro_core.runner import Runner
from csro_core.store import Store

WATCH_SECONDS = 0.5


@contextmanager
def local_pool() -> Iterator[LocalPool]:
    """Lends a pool of jailed processes of this machine, and ends them.

    Yields:
        The pool.
    """
    pool = LocalPool(make_game)
    try:
        yield pool
    finally:
        pool.close()


def work_on(args: argparse.Namespace, store: Store, run: str, target: int, pool: LocalPool) -> int:
    """Works on a run until `target` iterations are finished, and prints it.

    Args:
        args: parsed arguments with the common options.
        store: where the run is.
        run: its full id.
        target: iterations wanted in all.
        pool: where matches are played.

    Returns:
        0 where it is done or was stopped on request, 1 where it failed.

    Raises:
        LeaseError: another process works on it.
        CsroError: it failed.
    """
    note(f"run {run} in {store.path}; isolation: {pool.isolation.level} {pool.isolation.reason}".rstrip())
    runner = Runner(store, run, pool)
    with _reporting(store, run), interruptible(runner):
        runner.run_to(target)
    emit(args, run_document(store, run), run_text(store, run))
    return 1 if store.run(run).status in ("failed", "needs-key") else 0


@contextmanager
def _reporting(store: Store, run: str) -> Iterator[None]:
    """Writes a line to standard error for every finished iteration."""
    quit_ = threading.Event()
    seen = store.run(run).iteration

    def report() -> None:
        nonlocal seen
        for record in store.iterations(run)[seen:]:
            seen = record.iteration
            note(
                f"iteration {record.iteration}: {record.verdict}, gain {interval(record.gain)}, "
                f"{record.attempts} attempts, {record.seconds:.1f} s"
            )

    def watch() -> None:
        while not quit_.wait(WATCH_SECONDS):
            try:
                report()
            except StoreError:
                return  # the thread that works on the run says so

    thread = threading.Thread(target=watch, name="csro-report", daemon=True)
    thread.start()
    try:
        yield
    finally:
        quit_.set()
        thread.join(timeout=5.0)
    report()


@contextmanager
def interruptible(runner: Runner) -> Iterator[None]:
    """Makes Ctrl-C and SIGTERM end the runner in good order; a second one ends the process.

    A signal that whoever started us has turned off (as a shell does for background jobs) stays off.
    """

    def stop(number: int, _frame: FrameType | None) -> None:
        # Nothing here may wait for a lock or write through a buffer: the main thread stands anywhere.
        signal.signal(number, before[signal.Signals(number)])
        runner.end()
        with suppress(OSError):
            os.write(2, b"stopping; once more to end at once\n")

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    known = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    before = {number: handler for number, handler in known.items() if handler not in (None, signal.SIG_IGN)}
    for number in before:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
