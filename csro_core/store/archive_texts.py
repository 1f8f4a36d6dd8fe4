"""Checks what an archive says of its texts: it must be what a jailed inspection says of them."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool
from csro_core.policies.source import Inspection
from csro_core.store.archive_format import Archive, ArchivedPolicy
from csro_core.store.codec import clean

Inspect: TypeAlias = Callable[[str], Inspection]
"""Says of a text what a jailed process finds out about it; nothing of the text is run."""


@contextmanager
def jailed() -> Iterator[Inspect]:
    """Lends an inspection in jailed processes; the first text starts them.

    Raises:
        IsolationError: full isolation is required and cannot be had; when the first text is looked at.
    """
    pools: list[LocalPool] = []

    def inspect(text: str) -> Inspection:
        if not pools:
            pools.append(LocalPool(make_game, workers=1))
        return pools[0].inspect(text)

    try:
        yield inspect
    finally:
        for pool in pools:
            pool.close()


def check_told(runs: Iterable[Archive], inspect: Inspect) -> None:
    """Checks tree hash, docstring and length of every text of some runs; each text is looked at once.

    Args:
        runs: after all other checks.
        inspect: see `Inspect`.

    Raises:
        ValueError: an archive says something else of a text than the text itself.
    """
    known: dict[str, Inspection] = {}
    for archive in runs:
        for told in archive.run.policies:
            if told.hash not in known:
                known[told.hash] = inspect(archive.texts[told.hash])
            _compare(told, known[told.hash])


def _compare(told: ArchivedPolicy, found: Inspection) -> None:
    pairs: dict[str, tuple[object, object]] = {
        "tree hash": (told.tree_hash, found.tree_hash),
        "docstring": (told.docstring, clean(found.docstring)),
        "number of lines": (told.lines, found.lines),
    }
    for what, (said, true) in pairs.items():
        if said != true:
            raise ValueError(
                f"the {what} of policies/{told.hash[:12]}….py must be what its text says, {str(true)[:60]!r}; "
                f"got {str(said)[:60]!r}"
            )
