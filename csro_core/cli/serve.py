"""`serve`: answers the requests that pages make of a run; the dashboard starts it, detached."""

import argparse
import os
from contextlib import ExitStack, suppress

from csro_core.cli.arguments import add_cluster, add_key, chosen_store, credentials_from, number
from csro_core.cli.output import note
from csro_core.cli.work import described, interruptible, match_pool
from csro_core.errors import CsroError, LeaseError
from csro_core.runner import Runner
from csro_core.store import Store

NAME = "serve"
HELP = "answer the requests of a run until none comes any more (the dashboard starts this)"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the run and the patience."""
    parser.add_argument("run", metavar="RUN", help="an id (or its first 4 or more characters) or a name; see `runs`")
    parser.add_argument(
        "--linger", metavar="SECONDS", type=number(0, 3600), default=60.0, help="idle time before it ends (%(default)s)"
    )
    add_key(parser)
    add_cluster(parser, remembered=True)


def execute(args: argparse.Namespace) -> int:
    """Returns 0 when nobody has asked for anything for a while; a request or an iteration that fails is marked so.

    Raises:
        LeaseError: another process serves the run.
        CsroError: the run cannot be opened here, or the store cannot be written.
    """
    credentials = credentials_from(args)
    store = chosen_store(args, create=False)
    try:
        run = store.run(args.run)
        with ExitStack() as stack:
            try:
                pool = stack.enter_context(match_pool(run.settings.cluster if args.cluster is None else args.cluster))
            except CsroError as error:
                _refuse_waiting(store, run.id, str(error))
                raise
            note(f"serving run {run.id}; {described(pool)}")
            runner = Runner(store, run.id, pool, credentials)
            with interruptible(runner):
                runner.serve(args.linger)
    finally:
        store.close()
    return 0


def _refuse_waiting(store: Store, run: str, message: str) -> None:
    """Tells whoever waits for an answer that matches cannot be played; the lease holder, where there is one, answers.

    Args:
        store: where the run is.
        run: its full id.
        message: why.
    """
    with suppress(LeaseError):
        lease = store.acquire(run, f"{os.getpid()}-refusal")
        waiting = store.waiting(run)
        for request in waiting:
            lease.answer(request.id, "failed", {"message": message})
        last = store.run(run)
        if any(request.kind in {"step", "run"} for request in waiting):
            lease.release("failed", message)
        else:
            lease.release(last.status, last.message)
