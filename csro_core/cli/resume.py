"""`resume`: goes on with a run that was stopped, interrupted, or wants more iterations."""

import argparse

from csro_core.cli.arguments import add_cluster, chosen_store, whole
from csro_core.cli.run import MAX_ITERATIONS
from csro_core.cli.work import match_pool, work_on

NAME = "resume"
HELP = "go on with a run here"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the run and how far it goes."""
    parser.add_argument("run", metavar="RUN", help="an id (or its first 4 or more characters) or a name; see `runs`")
    parser.add_argument(
        "--iterations", metavar="TOTAL", type=whole(0, MAX_ITERATIONS), help="in all (default: what the run wanted)"
    )
    add_cluster(parser, remembered=True)


def execute(args: argparse.Namespace) -> int:
    """Returns 0 where the run is done or was stopped; prints it.

    Raises:
        LeaseError: another process works on it.
        CsroError: it failed.
    """
    store = chosen_store(args, create=False)
    try:
        run = store.run(args.run)
        with match_pool(run.settings.cluster if args.cluster is None else args.cluster) as pool:
            return work_on(args, store, run.id, run.target if args.iterations is None else args.iterations, pool)
    finally:
        store.close()
