"""`export`: a run as a zip file."""

import argparse

from csro_core.cli.arguments import chosen_store, user_path
from csro_core.cli.output import emit
from csro_core.store.archive import export_run

NAME = "export"
HELP = "write a run with its policies, payoffs and moves to a zip file"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the run and the file."""
    parser.add_argument("target", metavar="TARGET", help="a run: an id or a name; see `runs`")
    parser.add_argument("file", metavar="FILE.zip", help="the file to write; an existing one is replaced")


def execute(args: argparse.Namespace) -> int:
    """Returns 0; prints the run and where it was written."""
    path = user_path(args.file)
    store = chosen_store(args, create=False)
    try:
        record = store.run(args.target)
        export_run(store, record.id, path)
    finally:
        store.close()
    emit(args, {"run": record.id, "file": str(path)}, f"run {record.id} ({record.name}) is in {path}")
    return 0
