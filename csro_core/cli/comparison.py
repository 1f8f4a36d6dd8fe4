"""`comparison`: computes one comparison of runs that a page has asked for; the dashboard starts it, detached."""

import argparse
import os
from contextlib import suppress

from csro_core.cli.arguments import chosen_store
from csro_core.cli.output import emit
from csro_core.cli.work import match_pool
from csro_core.errors import UsageError
from csro_core.experiments.comparing import compare
from csro_core.experiments.requests import KIND, ComparisonRequest
from csro_core.runner.pictures import Progress, compute
from csro_core.store.codec import from_json, to_json
from csro_core.store.pictures import PictureTable, PictureTask

NAME = "comparison"
HELP = "compute a comparison of runs that a page has asked for (the dashboard starts this)"

_NICENESS = 5


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the key."""
    parser.add_argument("key", metavar="KEY", help="of the comparison, as it stands in the store")


def execute(args: argparse.Namespace) -> int:
    """Returns 0; what became of the comparison stands in the store, a failure with its reason.

    Raises:
        NotFoundError: there is no such comparison.
        StoreError: the store cannot be read or written.
    """
    with suppress(AttributeError, OSError):  # Windows has no such call, and some containers forbid it
        os.nice(_NICENESS)  # the page and the matches of a run come first
    store = chosen_store(args, create=False)

    def work(task: PictureTask, progress: Progress) -> object:
        if task.kind != KIND:
            raise UsageError(f"this is the key of a {task.kind[:40]}, not of a comparison")
        request = from_json(ComparisonRequest, dict(task.params))
        with match_pool() as pool:
            return to_json(compare(store, request, pool, progress))

    try:
        state = compute(PictureTable(store.connections, store.clock), args.key, work)
    finally:
        store.close()
    emit(args, {"comparison": args.key, "state": state}, f"comparison {args.key}: {state}")
    return 0
