"""`import`: a run from a zip file."""

import argparse

from csro_core.cli.arguments import chosen_store, user_path
from csro_core.cli.output import emit
from csro_core.store.archive import import_run

NAME = "import"
HELP = "read an exported run into the store; nothing in the file is run"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the file."""
    parser.add_argument("file", metavar="FILE.zip", help="a file that `export` wrote")


def execute(args: argparse.Namespace) -> int:
    """Returns 0; prints the id and the name that the run got."""
    store = chosen_store(args, create=True)
    try:
        run = import_run(store, user_path(args.file))
        name = store.run(run).name
    finally:
        store.close()
    emit(args, {"run": run, "name": name}, f"imported as run {run} ({name})")
    return 0
