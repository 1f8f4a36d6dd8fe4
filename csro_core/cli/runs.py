"""`runs`: the runs of the store."""

import argparse

from csro_core.cli.arguments import chosen_store
from csro_core.cli.output import emit, note, table
from csro_core.store.damage import unlisted
from csro_core.store.finding import is_found
from csro_core.store.records import RunRecord

NAME = "runs"
HELP = "list the runs of the store, newest first"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds its options."""
    parser.add_argument(
        "--search", metavar="TEXT", default="",
        help="only runs with these words in their name, tags, note, game, oracle, model, meta-solver or status",
    )  # fmt: skip
    parser.add_argument("--tag", action="append", default=[], help="only runs with this tag; may be given again")
    parser.add_argument("--all", action="store_true", help="archived runs too")


def execute(args: argparse.Namespace) -> int:
    """Returns 0; prints id, name, status, settings and tags of the runs asked for."""
    store = chosen_store(args, create=False)
    try:
        everything = store.runs()
        damaged = unlisted(store.connections, store.clock())
    finally:
        store.close()
    records = [
        record
        for record in everything
        if (args.all or not record.archived) and set(args.tag) <= set(record.tags) and is_found(record, args.search)
    ]
    rows = [_row(record) for record in records]
    text = table(("run", "name", "status", "game", "oracle", "iteration", "seconds", "tags"), rows)
    if not rows:
        text = _nothing(everything)
    for sentence in damaged:
        note(f"left out: {sentence}")
    emit(args, [_document(record) for record in records], text)
    return 0


def _document(record: RunRecord) -> dict[str, object]:
    settings = record.settings
    return {
        "run": record.id,
        "name": record.name,
        "status": record.status,
        "game": settings.game.name,
        "oracle": settings.oracle,
        "model": settings.model,
        "meta_solver": settings.meta_solver,
        "eval_solver": settings.eval_solver or settings.meta_solver,
        "seed": settings.seed,
        "seed_scheme": settings.seed_scheme,
        "iteration": record.iteration,
        "target": record.target,
        "created": record.created,
        "seconds": record.seconds,
        "usd": record.usd,
        "tags": record.tags,
        "note": record.note,
        "archived": record.archived,
        "origin": "imported" if record.imported else "here",
    }


def _row(record: RunRecord) -> tuple[object, ...]:
    status = f"{record.status} (archived)" if record.archived else record.status
    status = f"{status} (imported)" if record.imported else status
    done = f"{record.iteration}/{record.target}"
    settings, tags = record.settings, ", ".join(record.tags)
    return record.id, record.name, status, settings.game.name, settings.oracle, done, round(record.seconds), tags


def _nothing(everything: list[RunRecord]) -> str:
    if not everything:
        return "no runs yet: `python -m csro_core run` makes one"
    return f"none of {len(everything)} runs is like that: leave out --search or --tag, or add --all for archived ones"
