"""`import`: a run or an experiment from a zip file."""

import argparse

from csro_core.cli.arguments import chosen_store, user_path
from csro_core.cli.output import emit
from csro_core.experiments.archive import import_archive

NAME = "import"
HELP = "read an exported run or experiment into the store; nothing in the file is run"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the file."""
    parser.add_argument("file", metavar="FILE.zip", help="a file that `export` wrote")


def execute(args: argparse.Namespace) -> int:
    """Returns 0; prints the id and the name that the run or experiment got."""
    store = chosen_store(args, create=True)
    try:
        shared = import_archive(store, user_path(args.file))
    finally:
        store.close()
    document: dict[str, object] = {shared.kind: shared.id, "name": shared.name}
    if shared.kind == "experiment":
        document["runs"] = shared.runs
    emit(args, document, f"imported as {shared.kind} {shared.id} ({shared.name})")
    return 0
