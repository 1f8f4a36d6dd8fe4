"""What people do to whole runs: names, tags, notes, the archive and the bin. These writes need no lease."""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from csro_core.errors import LeaseError, UsageError
from csro_core.store.codec import clean, dumps
from csro_core.store.connection import Connections
from csro_core.store.rows import run_row, touch
from csro_core.store.runs import alive, checked_name, refuse_taken

MAX_TAGS = 12
MAX_TAG = 30
MAX_NOTE = 4_000

BIN_DAYS = 30
"""How long a run stays in the bin before it may be deleted for good without being asked."""

RUN_TABLES = (
    "leases", "members", "cells", "solutions", "iterations", "attempts", "calls", "requests", "events", "drafts",
    "policies",
)  # fmt: skip
"""Tables whose rows go with their run; `policies` last, because members refer to it."""

_BINNED = '{"message": "the run was put into the bin before anybody served this request"}'
_DAY = 86_400.0


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Returns tags without spaces around them, each once, in the order given; empty ones are left out.

    Args:
        tags: as somebody wrote them.

    Raises:
        UsageError: there are too many, or one is too long or has a comma or characters that cannot be printed.
    """
    found = tuple(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))
    if len(found) > MAX_TAGS:
        raise UsageError(f"a run must have at most {MAX_TAGS} tags, got {len(found)}: leave some out")
    for tag in found:
        if len(tag) > MAX_TAG or "," in tag or not tag.isprintable():
            raise UsageError(f"a tag must have 1 to {MAX_TAG} printable characters and no comma, got {tag[:MAX_TAG]!r}")
    return found


def checked_note(note: str) -> str:
    """Returns a note with plain line breaks and no spaces around it.

    Raises:
        UsageError: it is too long, or has control characters.
    """
    text = clean(note).replace("\r\n", "\n").replace("\r", "\n").strip()
    if len(text) > MAX_NOTE:
        raise UsageError(f"a note must have at most {MAX_NOTE:,} characters, got {len(text):,}: make it shorter")
    control = next((letter for letter in text if ord(letter) < 32 and letter not in "\n\t"), None)
    if control is not None:
        raise UsageError(f"a note must have no control characters but line breaks and tabs, got {control!r}")
    return text


class RunLabels:
    """Names, tags, notes, archive and bin of a store, for pages and commands. `run` arguments are full ids.

    Methods raise `NotFoundError` where there is no such run, and `StoreError` when the file cannot be read or written.
    """

    def __init__(self, connections: Connections, clock: Callable[[], float] = time.time) -> None:
        """Keeps the connections (`Store.connections`) and the clock, which all processes must share."""
        self._connections = connections
        self._clock = clock

    def rename(self, run: str, name: str) -> str:
        """Gives a run another name.

        Returns:
            The name, without spaces around it.

        Raises:
            UsageError: another run has it, or it cannot be one.
        """
        chosen = checked_name(clean(name))
        with self._writing(run) as connection:
            if run_row(connection, run)["name"] != chosen:
                refuse_taken(connection, chosen)
                connection.execute("UPDATE runs SET name = ? WHERE id = ?", (chosen, run))
        return chosen

    def set_tags(self, run: str, tags: Iterable[str]) -> tuple[str, ...]:
        """Gives a run these tags and no others.

        Returns:
            The tags as they are kept (see `checked_tags`).

        Raises:
            UsageError: see `checked_tags`.
        """
        chosen = checked_tags(clean(tag) for tag in tags)
        with self._writing(run) as connection:
            connection.execute("UPDATE runs SET tags = ? WHERE id = ?", (dumps(chosen).decode(), run))
        return chosen

    def set_note(self, run: str, note: str) -> str:
        """Gives a run this note, "" for none.

        Returns:
            The note as it is kept (see `checked_note`).

        Raises:
            UsageError: see `checked_note`.
        """
        chosen = checked_note(note)
        with self._writing(run) as connection:
            connection.execute("UPDATE runs SET note = ? WHERE id = ?", (chosen, run))
        return chosen

    def archive(self, run: str, archived: bool = True) -> None:
        """Puts a run into the archive, or takes it out again."""
        with self._writing(run) as connection:
            connection.execute("UPDATE runs SET archived = ? WHERE id = ?", (int(archived), run))

    def put_into_bin(self, run: str) -> None:
        """Puts a run into the bin, where lists leave it out; what it was asked for and nobody serves yet fails.

        Raises:
            LeaseError: a living process works on it.
            UsageError: an experiment consists of it.
        """
        with self._writing(run) as connection:
            self._refuse_used(connection, run)
            connection.execute("UPDATE runs SET deleted = ? WHERE id = ?", (self._clock(), run))
            connection.execute(
                "UPDATE requests SET state = 'failed', result = ? WHERE run = ? AND state = 'waiting'", (_BINNED, run)
            )

    def take_back(self, run: str) -> None:
        """Takes a run out of the bin, as it was."""
        with self._writing(run) as connection:
            connection.execute("UPDATE runs SET deleted = NULL WHERE id = ?", (run,))

    def erase(self, run: str) -> None:
        """Deletes a run of the bin for good: all its rows, and the texts that no other run has.

        Raises:
            LeaseError: a living process works on it.
            UsageError: it is not in the bin, or an experiment consists of it, be it in the bin too.
        """
        with self._writing(run) as connection:
            row = run_row(connection, run)
            if row["deleted"] is None:
                raise UsageError(
                    f"a run must be in the bin to be deleted for good, got {row['name']!r}: delete it first"
                )
            self._refuse_used(connection, run, for_good=True)
            _erase(connection, run)

    def purge(self) -> int:
        """Deletes for good what is in the bin for more than `BIN_DAYS`, but for what is still in use.

        Returns:
            How many runs that were.
        """
        oldest = self._clock() - BIN_DAYS * _DAY
        with self._connections.reading() as connection:
            rows = connection.execute("SELECT id FROM runs WHERE deleted < ?", (oldest,)).fetchall()
        gone = 0
        for row in rows:
            # A transaction each: others wait for the store no longer than one run takes.
            with self._connections.writing() as connection:
                still = connection.execute("SELECT 1 FROM runs WHERE id = ? AND deleted < ?", (row["id"], oldest))
                used = self._holder(connection, row["id"]) or _experiment(connection, row["id"], for_good=True)
                if still.fetchone() and not used:
                    _erase(connection, row["id"])
                    gone += 1
        return gone

    @contextmanager
    def _writing(self, run: str) -> Iterator[sqlite3.Connection]:
        with self._connections.writing() as connection:
            touch(connection, run, rows=False)
            yield connection

    def _refuse_used(self, connection: sqlite3.Connection, run: str, for_good: bool = False) -> None:
        holder, experiment = self._holder(connection, run), _experiment(connection, run, for_good)
        if holder:
            raise LeaseError(f"run {run} must be idle to be deleted, and {holder!r} works on it: stop it first")
        if experiment:
            raise UsageError(
                f"run {run} must belong to no experiment to be deleted, and is part of the experiment {experiment!r}: "
                f"delete that experiment {'for good ' if for_good else ''}first (page Compare), or archive the run"
            )

    def _holder(self, connection: sqlite3.Connection, run: str) -> str:
        row = connection.execute("SELECT owner, heartbeat FROM leases WHERE run = ?", (run,)).fetchone()
        return str(row["owner"]) if row is not None and alive(row["heartbeat"], self._clock()) else ""


def _experiment(connection: sqlite3.Connection, run: str, for_good: bool = False) -> str:
    # An experiment in the bin can be taken back, so its runs may be put there too, but not be lost.
    row = connection.execute(
        "SELECT name FROM experiment_runs JOIN experiments ON experiments.id = experiment "
        "WHERE run = ? AND (? OR experiments.deleted IS NULL)",
        (run, for_good),
    ).fetchone()
    return str(row["name"]) if row is not None else ""


def _erase(connection: sqlite3.Connection, run: str) -> None:
    texts = [row["hash"] for row in connection.execute("SELECT hash FROM policies WHERE run = ?", (run,))]
    for table in RUN_TABLES:
        connection.execute(f"DELETE FROM {table} WHERE run = ?", (run,))
    connection.execute("DELETE FROM runs WHERE id = ?", (run,))
    connection.executemany(
        "DELETE FROM texts WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM policies WHERE hash = ?1)",
        [(text,) for text in texts],
    )
