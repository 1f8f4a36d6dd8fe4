"""The dice of a command: those of the seed that is given, else a run's own, else drawn."""

import argparse

from csro_core.errors import NotFoundError
from csro_core.seeds import Secret, Seed, drawn_seed, run_secret
from csro_core.store import Store


def dice_of(args: argparse.Namespace, store: Store | None) -> tuple[Seed, Secret]:
    """Returns the seed that decides all episodes, which the command shows, and its secret.

    Args:
        args: with `seed` (None where none is given) and `target`.
        store: where the target may be a run: without a seed its numbers are those that the run itself keeps.
    """
    if args.seed is None and store is not None:
        try:
            run = store.run(args.target)
        except NotFoundError:
            pass
        else:
            return run.settings.seed, store.secret(run.id)
    seed = args.seed or drawn_seed()
    return seed, run_secret(seed)
