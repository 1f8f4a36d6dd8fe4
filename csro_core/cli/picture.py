"""`picture`: computes one picture of a meta-game that a page has asked for; the dashboard starts it, detached."""

import argparse
import os
from contextlib import suppress

from csro_core.cli.arguments import chosen_store
from csro_core.cli.output import emit
from csro_core.runner.pictures import compute_picture
from csro_core.store.pictures import PictureTable

NAME = "picture"
HELP = "compute a picture that a page has asked for (the dashboard starts this)"

_NICENESS = 10


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the key."""
    parser.add_argument("key", metavar="KEY", help="of the picture, as it stands in the store")


def execute(args: argparse.Namespace) -> int:
    """Returns 0; what became of the picture stands in the store, a failure with its reason.

    Raises:
        NotFoundError: there is no such picture.
        StoreError: the store cannot be read or written.
    """
    with suppress(AttributeError, OSError):  # Windows has no such call, and some containers forbid it
        os.nice(_NICENESS)  # the page and the matches of a run come first
    store = chosen_store(args, create=False)
    try:
        state = compute_picture(PictureTable(store.connections, store.clock), args.key)
    finally:
        store.close()
    emit(args, {"picture": args.key, "state": state}, f"picture {args.key}: {state}")
    return 0
