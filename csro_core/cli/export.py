"""`export`: a run or an experiment as a zip file."""

import argparse

from csro_core.cli.arguments import chosen_store, user_path
from csro_core.cli.output import emit, note
from csro_core.experiments.archive import export_target

NAME = "export"
HELP = "write a run or an experiment, with policies, payoffs, tables, figures and a report, to a zip file"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the target and the file."""
    parser.add_argument(
        "target",
        metavar="TARGET",
        help="a run or an experiment: an id or a name; where both have the name, the run is meant",
    )
    parser.add_argument("file", metavar="FILE.zip", help="the file to write; an existing one is replaced")


def execute(args: argparse.Namespace) -> int:
    """Returns 0; prints what was written, and where."""
    path = user_path(args.file)
    store = chosen_store(args, create=False)
    try:
        shared = export_target(store, args.target, path)
    finally:
        store.close()
    if shared.note:
        note(f"the run is exported; {shared.note}")
    document: dict[str, object] = {shared.kind: shared.id, "file": str(path)}
    if shared.kind == "experiment":
        document["runs"] = shared.runs
    emit(args, document, f"{shared.kind} {shared.id} ({shared.name}) is in {path}")
    return 0
