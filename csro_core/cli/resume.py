"""`resume`: goes on with a run that was stopped, interrupted, or wants more iterations."""

import argparse

from csro_core.cli.arguments import add_caps, add_cluster, add_key, caps_from, chosen_store, credentials_from, whole
from csro_core.cli.run import MAX_ITERATIONS
from csro_core.cli.work import match_pool, work_on
from csro_core.runner import Runner
from csro_core.runner.forecast import checked_for

NAME = "resume"
HELP = "go on with a run here"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the run and how far it goes."""
    parser.add_argument("run", metavar="RUN", help="an id (or its first 4 or more characters) or a name; see `runs`")
    parser.add_argument(
        "--iterations", metavar="TOTAL", type=whole(0, MAX_ITERATIONS), help="in all (default: what the run wanted)"
    )
    add_caps(parser)
    add_key(parser)
    add_cluster(parser, remembered=True)


def execute(args: argparse.Namespace) -> int:
    """Returns 0 where the run is done or was stopped; prints it.

    Raises:
        LeaseError: another process works on it.
        UsageError: a budget is not possible.
        CsroError: it failed.
    """
    credentials = credentials_from(args)
    store = chosen_store(args, create=False)
    try:
        run = store.run(args.run)
        caps = checked_for(run.settings.model, caps_from(args, run.settings.caps))
        target = run.target if args.iterations is None else args.iterations
        with match_pool(run.settings.cluster if args.cluster is None else args.cluster) as pool:
            return work_on(args, store, run.id, target, Runner(store, run.id, pool, credentials, caps))
    finally:
        store.close()
