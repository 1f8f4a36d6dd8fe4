"""`stop`: asks the process that works on a run to stop, and waits until it has."""

import argparse
import time

from csro_core.cli.arguments import chosen_store
from csro_core.cli.documents import run_document, run_text
from csro_core.cli.output import emit
from csro_core.errors import CsroError
from csro_core.store import Store

NAME = "stop"
HELP = "stop a run that is being worked on"

WAIT_SECONDS = 10.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the run."""
    parser.add_argument("run", metavar="RUN", help="an id (or its first 4 or more characters) or a name; see `runs`")


def execute(args: argparse.Namespace) -> int:
    """Returns 0 once the run has stopped; prints it.

    Raises:
        CsroError: it did not stop in time.
    """
    store = chosen_store(args, create=False)
    try:
        run = store.run(args.run)
        if run.status in ("running", "paused"):
            _stop(store, run.id)
        emit(args, run_document(store, run.id), run_text(store, run.id))
    finally:
        store.close()
    return 0


def _stop(store: Store, run: str) -> None:
    store.add_request(run, "stop", {})
    end = time.monotonic() + WAIT_SECONDS
    while store.run(run).status in ("running", "paused"):
        if time.monotonic() > end:
            raise CsroError(f"the run must stop within {WAIT_SECONDS:g} s of a request, and it has not; try again")
        time.sleep(0.1)
