"""`show`: one run, its iterations and its populations."""

import argparse

from csro_core.cli.arguments import chosen_store
from csro_core.cli.documents import run_document, run_text
from csro_core.cli.output import emit

NAME = "show"
HELP = "show a run: its iterations and its policies"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the run."""
    parser.add_argument("run", metavar="RUN", help="an id (or its first 4 or more characters) or a name; see `runs`")


def execute(args: argparse.Namespace) -> int:
    """Returns 0; prints the run in the form that `run` prints."""
    store = chosen_store(args, create=False)
    try:
        run = store.run(args.run).id
        emit(args, run_document(store, run), run_text(store, run))
    finally:
        store.close()
    return 0
