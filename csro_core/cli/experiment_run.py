"""`experiment-run`: works on one run of an experiment until its budget is used up; `experiment` starts it."""

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable

from csro_core.cli.arguments import chosen_store, seed, whole
from csro_core.cli.output import emit
from csro_core.cli.work import interruptible, match_pool
from csro_core.errors import CsroError, LeaseError, NotFoundError
from csro_core.experiments.budgets import work_until_used_up
from csro_core.experiments.plan import Plan
from csro_core.experiments.requests import plan_of
from csro_core.matches.jobs import MatchExecutor
from csro_core.runner import Runner
from csro_core.runner.keys import Credentials, take_credentials
from csro_core.store import Store
from csro_core.store.experiments import ExperimentTable

NAME = "experiment-run"
HELP = "work on one run of an experiment (`experiment` starts this)"

PATIENCE_SECONDS = 120.0
"""So long it waits for a page that still serves the run (`serve --linger`)."""

_RETRY_SECONDS = 1.0
_STANDARD_INPUT = 0


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds which run it is."""
    parser.add_argument("experiment", metavar="EXPERIMENT", help="its id")
    parser.add_argument("variant", metavar="VARIANT", help="name of the variant")
    parser.add_argument("seed", metavar="SEED", type=seed, help="of the run")
    parser.add_argument("--workers", metavar="N", type=whole(1, 256), default=2, help="matches at a time")


def execute(args: argparse.Namespace) -> int:
    """Returns 0 where the budget is used up.

    Raises:
        NotFoundError: the experiment has no such run.
        CsroError: the run did not come so far; its record says why.
    """
    credentials = take_credentials(source=sys.stdin.buffer)
    store = chosen_store(args, create=False)
    try:
        table = ExperimentTable(store.connections, store.clock)
        record = table.find(args.experiment)
        runs = {(one.variant, one.seed): one.run for one in table.runs(record.id)}
        run = runs.get((args.variant, args.seed))
        if run is None:
            raise NotFoundError(f"experiment {record.name} must have a run of {args.variant!r} with seed {args.seed}")
        plan = plan_of(record)
        with match_pool(plan.cluster, args.workers) as pool:
            _Worker(store, plan, pool, credentials).work(run)
    finally:
        store.close()
    emit(args, {"run": run}, f"run {run}: its budget is used up")
    return 0


class _Worker:
    """Works on a run, and ends in good order when whoever started this process is gone."""

    def __init__(self, store: Store, plan: Plan, pool: MatchExecutor, credentials: Credentials) -> None:
        self._store = store
        self._plan = plan
        self._pool = pool
        self._credentials = credentials
        self._left = threading.Event()
        self._end: Callable[[], None] = self._left.set
        threading.Thread(target=self._listen, name="experiment-parent", daemon=True).start()

    def work(self, run: str) -> None:
        """Works until the budget is used up.

        Raises:
            CsroError: it did not come so far.
        """
        work_until_used_up(self._store, self._plan, run, lambda wanted: self._iterate(run, wanted))

    def _iterate(self, run: str, wanted: int) -> None:
        patience = time.monotonic() + PATIENCE_SECONDS
        while True:
            if self._left.is_set():
                raise CsroError("whoever started this process has gone")
            runner = Runner(self._store, run, self._pool, self._credentials)
            self._end = runner.end
            if self._left.is_set():  # between the look above and the line before
                runner.end()
            try:
                with interruptible(runner):
                    return runner.run_to(wanted)
            except LeaseError:
                if time.monotonic() > patience:
                    raise
            time.sleep(_RETRY_SECONDS)

    def _listen(self) -> None:
        """Waits for the end of standard input, which is the end of the process on the other side."""
        # Not through `sys.stdin`, whose lock a thread that waits would hold when the interpreter ends.
        while os.read(_STANDARD_INPUT, 1):
            pass
        self._left.set()
        self._end()
