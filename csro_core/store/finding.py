"""Finds runs by what is written about them."""

from csro_core.store.records import RunRecord


def is_found(record: RunRecord, text: str) -> bool:
    """Returns whether every word of a search stands somewhere in what is said of a run, in upper or lower case.

    Args:
        record: the run.
        text: words with spaces between them; "" finds every run.
    """
    settings = record.settings
    said = "\n".join(
        (record.id, record.name, *record.tags, record.note, settings.game.key, settings.oracle, settings.model,
         settings.meta_solver, record.status)
    ).casefold()  # fmt: skip
    return all(word in said for word in text.casefold().split())
