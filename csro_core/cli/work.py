"""Working on a run in this process, for `run`, `resume` and `serve`: progress to standard error, the run at the end."""

import argparse
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from csro_core.cli.documents import run_document, run_text
from csro_core.cli.output import emit, interval, note
from csro_core.errors import StoreError
from csro_core.games import make_game
from csro_core.matches.cluster import ClusterPool
from csro_core.matches.jobs import MatchExecutor
from csro_core.matches.local_pool import LocalPool
from csro_core.progress import time_left
from csro_core.runner import Runner
from csro_core.store import Store

WATCH_SECONDS = 0.5
PROGRESS_SECONDS = 10.0
"""A stage that takes long is a line on standard error as often as this."""


@contextmanager
def match_pool(cluster: str = "", workers: int | None = None) -> Iterator[MatchExecutor]:
    """Lends what plays matches: jailed processes of this machine, or of the workers of a cluster; and ends them.

    Args:
        cluster: address of the scheduler, "" for this machine.
        workers: matches that this machine plays at a time; None: one more than it has cores.

    Yields:
        The pool.
    """
    pool: MatchExecutor = ClusterPool(cluster) if cluster else LocalPool(make_game, workers)
    try:
        yield pool
    finally:
        pool.close()


def described(pool: MatchExecutor) -> str:
    """Returns where matches are played and how well policies are shut in there, for people."""
    place = f"{pool.place}; " if isinstance(pool, ClusterPool) else ""
    return f"{place}isolation: {pool.isolation}"


def work_on(args: argparse.Namespace, store: Store, run: str, target: int, runner: Runner) -> int:
    """Works on a run until `target` iterations are finished, and prints it.

    Args:
        args: parsed arguments with the common options.
        store: where the run is.
        run: its full id.
        target: iterations wanted in all.
        runner: does it.

    Returns:
        0 where it is done or was stopped on request, 1 where it failed.

    Raises:
        LeaseError: another process works on it.
        CsroError: it failed.
    """
    note(f"run {run} in {store.path}; {described(runner.executor)}")
    with _reporting(store, run), interruptible(runner):
        runner.run_to(target)
    emit(args, run_document(store, run), run_text(store, run))
    return 1 if store.run(run).status in ("failed", "needs-key") else 0


@contextmanager
def _reporting(store: Store, run: str) -> Iterator[None]:
    """Writes lines to standard error: for every finished iteration, and now and then in a stage that takes long."""
    quit_ = threading.Event()
    seen = store.run(run).iteration
    last = max((event.id for event in store.events(run)), default=0)
    told = time.monotonic()

    def report() -> None:
        nonlocal seen, last
        for event in store.events(run, after=last):
            last = event.id
            if event.kind == "budget":
                note(str(event.data.get("message", "")))
        for record in store.iterations(run)[seen:]:
            seen = record.iteration
            note(
                f"iteration {record.iteration}: {record.verdict}, gain {interval(record.gain)}, "
                f"{record.attempts} attempts, {record.seconds:.1f} s"
            )

    def tell() -> None:
        nonlocal told
        words = under_way(store.progress(run))
        if words and time.monotonic() - told >= PROGRESS_SECONDS:
            told = time.monotonic()
            note(words)

    def watch() -> None:
        while not quit_.wait(WATCH_SECONDS):
            try:
                report()
                tell()
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


def under_way(progress: Mapping[str, Any]) -> str:
    """Returns how far a stage is, for people; "" where no matches are under way.

    Args:
        progress: as `Store.progress` has it.
    """
    bar, left = progress.get("bar"), progress.get("left")
    if not bar or bar[0] >= bar[1]:
        return ""
    return f"{bar[0]:,} of {bar[1]:,} matches{'' if left is None else f', {time_left(left)}'}"


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
