"""Versions of the schema: an append-only list of steps, of which a new store runs all and an old one the rest."""

import sqlite3
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from csro_core.errors import StoreError
from csro_core.store.connection import connect, readable_errors

APPLICATION_ID = 0x4353524F
"""Marks the file as a CSRO store (https://www.sqlite.org/pragma.html#pragma_application_id); reads "CSRO"."""

_FILES = ("schema.sql", "step_2.sql", "step_3.sql", "step_4.sql", "step_5.sql", "step_6.sql", "step_7.sql")

STEPS: tuple[str, ...] = tuple(files("csro_core.store").joinpath(name).read_text(encoding="utf-8") for name in _FILES)
"""SQL that leads from version n to version n + 1. Never edit a step that was released: add one."""


def prepare(path: Path, steps: Sequence[str] = STEPS) -> None:
    """Brings the file to the newest version, from an empty file or from any older version.

    All steps happen in one transaction: a store is at the old version or at the newest, also after a crash.

    Args:
        path: the store's file; created where it does not exist (its folder must).
        steps: see `STEPS`.

    Raises:
        StoreError: the file is of a newer version, is not a CSRO store, or cannot be opened or written.
    """
    with readable_errors(path):
        connection = connect(path)
        try:
            if not _current(connection, path, len(steps)):
                # Changing the journal mode is impossible inside a transaction; it is a property of the file.
                connection.execute("PRAGMA journal_mode = WAL")
                _migrate(connection, path, steps)
        finally:
            connection.close()


def _current(connection: sqlite3.Connection, path: Path, newest: int) -> bool:
    """Returns whether the file is at the newest version.

    Raises:
        StoreError: it is of a newer version, or another program's.
    """
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = int(connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()[0])
    if application != APPLICATION_ID and (application or version or tables):
        raise StoreError(f"store {path}: it is another program's database: choose another file with --store")
    if version > newest:
        raise StoreError(
            f"store {path}: it was written by a newer CSRO (schema {version}, this one knows up to {newest}): "
            f"update CSRO, or choose another file with --store"
        )
    return version == newest


def _migrate(connection: sqlite3.Connection, path: Path, steps: Sequence[str]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read again under the lock: another process may have migrated meanwhile.
        if not _current(connection, path, len(steps)):
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            for step in steps[version:]:
                for statement in statements(step):
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {len(steps)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def statements(script: str) -> list[str]:
    """Returns the statements of a script; `executescript` would end the transaction.

    Args:
        script: SQL in which no line holds the end of one statement and the start of the next.
    """
    found: list[str] = []
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending.strip())
            pending = ""
    if pending.strip():
        found.append(pending.strip())
    return found
