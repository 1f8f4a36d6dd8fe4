"""`serve`: answers the requests that pages make of a run; the dashboard starts it, detached."""

import argparse

from csro_core.cli.arguments import chosen_store, number
from csro_core.cli.output import note
from csro_core.cli.work import interruptible, local_pool
from csro_core.runner import Runner

NAME = "serve"
HELP = "answer the requests of a run until none comes any more (the dashboard starts this)"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the run and the patience."""
    parser.add_argument("run", metavar="RUN", help="an id (or its first 4 or more characters) or a name; see `runs`")
    parser.add_argument(
        "--linger", metavar="SECONDS", type=number(0, 3600), default=60.0, help="idle time before it ends (%(default)s)"
    )


def execute(args: argparse.Namespace) -> int:
    """Returns 0 when nobody has asked for anything for a while; a request or an iteration that fails is marked so.

    Raises:
        LeaseError: another process serves the run.
        CsroError: the run cannot be opened here, or the store cannot be written.
    """
    store = chosen_store(args, create=False)
    try:
        run = store.run(args.run)
        with local_pool() as pool:
            note(f"serving run {run.id}; isolation: {pool.isolation.level} {pool.isolation.reason}".rstrip())
            runner = Runner(store, run.id, pool)
            with interruptible(runner):
                runner.serve(args.linger)
    finally:
        store.close()
    return 0
