"""`runs`: every run of the store."""

import argparse

from csro_core.cli.arguments import chosen_store
from csro_core.cli.output import emit, table

NAME = "runs"
HELP = "list the runs of the store, newest first"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds no options of its own."""


def execute(args: argparse.Namespace) -> int:
    """Returns 0; prints id, name, status and settings of every run."""
    store = chosen_store(args, create=False)
    try:
        records = store.runs()
    finally:
        store.close()
    document = [
        {
            "run": record.id,
            "name": record.name,
            "status": record.status,
            "game": record.settings.game.name,
            "oracle": record.settings.oracle,
            "model": record.settings.model,
            "meta_solver": record.settings.meta_solver,
            "eval_solver": record.settings.eval_solver or record.settings.meta_solver,
            "iteration": record.iteration,
            "target": record.target,
            "created": record.created,
            "seconds": record.seconds,
            "usd": record.usd,
        }
        for record in records
    ]
    rows = [
        (r.id, r.name, r.status, r.settings.game.name, r.settings.oracle, f"{r.iteration}/{r.target}", round(r.seconds))
        for r in records
    ]
    text = table(("run", "name", "status", "game", "oracle", "iteration", "seconds"), rows)
    emit(args, document, text if rows else "no runs yet: `python -m csro_core run` makes one")
    return 0
