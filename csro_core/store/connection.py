"""Connections to the store's file: how they are opened, transactions, and SQLite's errors in plain words."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from csro_core.errors import StoreError

BUSY_SECONDS = 10.0
"""How long a writer waits for another. Every transaction of ours is short, so this is never reached in health."""

_MOST_IDLE = 8

# Keyed by SQLite's primary result names (https://www.sqlite.org/rescode.html); extended names begin with them.
_REASONS = {
    "SQLITE_FULL": "the disk is full: free some space, or choose another place with --store",
    "SQLITE_READONLY": "it is read-only: make the file and its folder writable, or choose another place with --store",
    "SQLITE_CANTOPEN": "it cannot be opened: the file and its folder must exist and be writable",
    "SQLITE_NOTADB": "it is not a CSRO store: choose another file with --store",
    "SQLITE_CORRUPT": "the file is damaged: restore a copy, or choose another place with --store",
    "SQLITE_BUSY": f"another program has kept it locked for {BUSY_SECONDS:.0f} s: close that program and try again",
    "SQLITE_LOCKED": "another program keeps it locked: close that program and try again",
    "SQLITE_IOERR": "reading or writing it failed: the disk may be full or gone",
}


@contextmanager
def readable_errors(path: Path) -> Iterator[None]:
    """Turns SQLite's errors into ours.

    Args:
        path: the store's file, for the message.

    Yields:
        Nothing; run the statements inside.

    Raises:
        ValueError: the rows to be written contradict the schema or a row that is there.
        StoreError: the file cannot be opened, read or written.
    """
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise ValueError(f"the row contradicts the store: {error}") from error
    except sqlite3.DatabaseError as error:
        name = getattr(error, "sqlite_errorname", None) or ""
        reason = next((text for code, text in _REASONS.items() if name.startswith(code)), str(error))
        raise StoreError(f"store {path}: {reason}") from error


class Connections:
    """A pool of connections to one file, for any number of threads.

    A connection serves one thread at a time and is handed back afterwards, so threads that come and go (such as
    a web server's) leave nothing open behind them.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        self._held = threading.local()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lends a connection outside of any transaction, but for `together`.

        Yields:
            The connection; its rows are `sqlite3.Row`.

        Raises:
            StoreError: see `readable_errors`.
        """
        with readable_errors(self.path):
            joined = self._joined()
            if joined is not None:
                yield joined
                return
            connection = self._take()
            try:
                yield connection
            finally:
                self._hand_back(connection)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Lends a connection inside a write transaction: committed at the end, rolled back on any exception.

        Yields:
            The connection.

        Raises:
            ValueError: a row contradicts the schema.
            StoreError: see `readable_errors`.
        """
        with self.reading() as connection:
            if self._joined() is not None:
                yield connection
                return
            # IMMEDIATE: the lock is taken before anything is read, so what was read stays true until the commit.
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def together(self) -> Iterator[sqlite3.Connection]:
        """Makes everything that this thread reads and writes through these connections inside one write transaction.

        Yields:
            The connection; see `writing`, also for what is raised.
        """
        with self.writing() as connection:
            outermost = self._joined() is None
            self._held.connection = connection
            try:
                yield connection
            finally:
                if outermost:
                    self._held.connection = None

    def _joined(self) -> sqlite3.Connection | None:
        """Returns the connection of the block `together` that this thread is in."""
        connection: sqlite3.Connection | None = getattr(self._held, "connection", None)
        return connection

    def close(self) -> None:
        """Closes the idle connections; those in use are closed when they are handed back. Idempotent."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _take(self) -> sqlite3.Connection:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return connect(self.path)

    def _hand_back(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            if not self._closed and not connection.in_transaction and len(self._idle) < _MOST_IDLE:
                self._idle.append(connection)
                return
        connection.close()


def connect(path: Path) -> sqlite3.Connection:
    """Opens the file, which must exist or be creatable, with the settings that the store relies on.

    Returns:
        The connection, outside of any transaction; for one thread at a time.

    Raises:
        sqlite3.DatabaseError: it cannot be opened.
    """
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.row_factory = sqlite3.Row
        # A damaged text costs its row, not the whole query.
        connection.text_factory = _text
        connection.execute("PRAGMA foreign_keys = ON")
        # With WAL this survives the death of the process at any moment; the last commits may be lost with the power.
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
