"""Rows of runs: how a reader sees one, how it is found, and how it gets a name."""

import math
import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson

from csro_core.errors import NotFoundError, UsageError
from csro_core.seeds import Secret, run_secret
from csro_core.store.codec import dumps, fields, from_json, to_json, with_defaults
from csro_core.store.records import RunRecord, RunSettings, RunStatus
from csro_core.store.rows import DamagedError, run_row

LEASE_SECONDS = 5.0
"""A lease whose heartbeat is older than this has expired."""

MAX_NAME = 100

_SHORTEST_PREFIX = 4
_KEPT_SECRET = re.compile(r"[0-9a-f]{64}")
_SHORT_GAMES = {"repeated_rps": "rps", "repeated_leduc": "leduc"}

# Calls that were sent but not answered have no price yet; a failed call without tokens costs nothing.
_SELECT = """
SELECT runs.*, leases.heartbeat AS heartbeat,
    (SELECT COALESCE(MAX(iteration), 0) FROM iterations WHERE run = runs.id) AS iteration,
    (SELECT COALESCE(SUM(seconds), 0.0) FROM iterations WHERE run = runs.id) AS seconds,
    (SELECT COALESCE(SUM(usd), 0.0) FROM calls WHERE run = runs.id) AS usd,
    (SELECT COUNT(*) FROM calls WHERE run = runs.id AND usd IS NULL AND (status IN ('answered', 'possibly billed')
        OR (status = 'failed' AND tokens_in + tokens_out > 0))) AS unpriced
FROM runs LEFT JOIN leases ON leases.run = runs.id
"""


@dataclass(frozen=True)
class DamagedRun:
    """A run whose own row cannot be read; lists of runs leave it out.

    Attributes:
        id: of the run.
        name: as far as it can be read.
        message: what is wrong, in one line.
    """

    id: str
    name: str
    message: str


@dataclass(frozen=True)
class _Row:
    """The columns of a run that are read as they are."""

    id: str
    name: str
    status: RunStatus
    message: str
    target: int
    created: float
    tags: tuple[str, ...]
    note: str
    deleted: float | None
    iteration: int
    seconds: float
    usd: float
    heartbeat: float | None

    def __post_init__(self) -> None:
        """Refuses times and costs that no page could write.

        Raises:
            ValueError: one is no finite number.
        """
        if not all(map(math.isfinite, (self.created, self.seconds, self.usd, self.deleted or 0.0))):
            raise ValueError("its times and costs must be finite numbers")


def alive(heartbeat: float | None, now: float) -> bool:
    """Returns whether a lease with this heartbeat is held.

    Args:
        heartbeat: seconds since the epoch, None where there is no lease.
        now: seconds since the epoch. A heartbeat of the far future is dead too: the clock was set back since.
    """
    # A damaged row may hold anything else.
    return isinstance(heartbeat, int | float) and abs(now - heartbeat) < LEASE_SECONDS


def list_runs(connection: sqlite3.Connection, now: float, binned: bool = False) -> list[RunRecord]:
    """Returns every run that is not in the bin, newest first; or those in the bin, the last one put there first.

    A run whose row is damaged is left out (see `damaged_runs`).
    """
    return [found for found in _all(connection, now, binned) if isinstance(found, RunRecord)]


def damaged_runs(connection: sqlite3.Connection, now: float) -> list[DamagedRun]:
    """Returns the runs that `list_runs` leaves out, whether they are in the bin or not."""
    both = [*_all(connection, now, False), *_all(connection, now, True)]
    return [found for found in both if isinstance(found, DamagedRun)]


def _all(connection: sqlite3.Connection, now: float, binned: bool) -> list[RunRecord | DamagedRun]:
    where = "IS NOT NULL ORDER BY runs.deleted DESC," if binned else "IS NULL ORDER BY"
    rows = connection.execute(
        f"{_SELECT} WHERE runs.deleted {where} runs.created DESC, runs.rowid DESC"
    ).fetchall()
    found: list[RunRecord | DamagedRun] = []
    for row in rows:
        try:
            found.append(_record(row, now))
        except DamagedError as error:
            found.append(DamagedRun(str(row["id"]), str(row["name"])[:MAX_NAME], str(error)))
    return found


def find_run(connection: sqlite3.Connection, wanted: str, now: float) -> RunRecord:
    """Returns the run with this id, this exact name, or a unique prefix of the id.

    Raises:
        NotFoundError: there is none, or more than one.
    """
    exact = connection.execute(f"{_SELECT} WHERE runs.id = ? OR runs.name = ?", (wanted, wanted)).fetchall()
    rows = [row for row in exact if row["id"] == wanted] or exact
    if not rows and len(wanted) >= _SHORTEST_PREFIX:
        rows = connection.execute(
            f"{_SELECT} WHERE substr(runs.id, 1, ?) = ?", (len(wanted), wanted.lower())
        ).fetchall()
    if len(rows) > 1:
        ids = ", ".join(row["id"] for row in rows[:5])
        raise NotFoundError(f"run must name one run, got {wanted!r}, which fits {ids}: give more of the id")
    if not rows:
        raise NotFoundError(
            f"run must be an id (or its first {_SHORTEST_PREFIX} or more characters) or a name in the store, "
            f"got {wanted[:MAX_NAME]!r}: `runs` lists them"
        )
    return _record(rows[0], now)


def insert_run(connection: sqlite3.Connection, run: str, columns: dict[str, Any]) -> None:
    """Writes the row of a new run.

    Args:
        connection: inside a write transaction.
        run: its id.
        columns: name, settings (`RunSettings`), status, message, target, created, imported; tags and note, where there
            are any.
    """
    settings: RunSettings = columns["settings"]
    connection.execute(
        "INSERT INTO runs (id, name, settings, game_key, status, message, target, created, imported, tags, note) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            run, columns["name"], dumps(settings).decode("utf-8"), settings.game.key, columns["status"],
            columns["message"], columns["target"], columns["created"], int(columns["imported"]),
            dumps(columns.get("tags", ())).decode("utf-8"), columns.get("note", ""),
        ),
    )  # fmt: skip


def change_settings(connection: sqlite3.Connection, run: str, changes: Mapping[str, Any]) -> None:
    """Changes settings of a run that decide no rows.

    Args:
        connection: inside a write transaction.
        run: its id.
        changes: name of a setting → its new value.
    """
    settings = to_json(_settings(run_row(connection, run)["settings"])) | to_json(changes)
    connection.execute("UPDATE runs SET settings = ? WHERE id = ?", (dumps(settings).decode("utf-8"), run))


def secret_of(row: sqlite3.Row) -> Secret:
    """Returns what the numbers of a run come from: as its row keeps it, else stretched from its seed (0.4 s).

    Raises:
        DamagedError: the row keeps something else; the message says nothing of it.
    """
    try:
        settings = _settings(row["settings"])
    except (ValueError, TypeError) as error:
        raise DamagedError(_place(row), error) from error
    kept = row["secret"]
    if kept == "" or settings.seed_scheme == 1:
        return run_secret(settings.seed, settings.seed_scheme)
    if not isinstance(kept, str) or _KEPT_SECRET.fullmatch(kept) is None:
        raise DamagedError(_place(row), ValueError("its secret must be 64 hexadecimal digits"))
    return Secret.of_key(bytes.fromhex(kept))


def changes_of(row: sqlite3.Row, column: str) -> int:
    """Returns a count of the writes to a run.

    Args:
        row: with id, name and the column.
        column: "changed" or "rows_changed".

    Raises:
        DamagedError: it is no whole number.
    """
    count = row[column]
    if not isinstance(count, int):
        raise DamagedError(_place(row), ValueError(f"{column} must be a whole number"))
    return count


def keep_secret(connection: sqlite3.Connection, run: str, secret: Secret) -> None:
    """Keeps the secret of a run in its row, where it does not follow from the seed at once."""
    if secret.scheme != 1:
        connection.execute("UPDATE runs SET secret = ? WHERE id = ?", (secret.key.hex(), run))


def checked_name(name: str) -> str:
    """Returns a name for a run or a policy without spaces around it.

    Raises:
        UsageError: it is empty, too long, or has characters that cannot be printed.
    """
    cleaned = name.strip()
    if not cleaned or len(cleaned) > MAX_NAME or not cleaned.isprintable():
        raise UsageError(
            f"a name must have 1 to {MAX_NAME} printable characters, got {cleaned[:MAX_NAME]!r}"
        )
    return cleaned


def free_name(connection: sqlite3.Connection, name: str) -> str:
    """Returns the name, or where it is taken the name with the first free number: "demo", "demo (2)", …."""
    taken = _names(connection)
    stem = name[: MAX_NAME - 8]
    return name if name not in taken else next(n for i in range(2, 10**6) if (n := f"{stem} ({i})") not in taken)


def friendly_name(connection: sqlite3.Connection, settings: RunSettings) -> str:
    """Returns a new name made of game and oracle, such as "rps-linear-12"."""
    game = _SHORT_GAMES.get(settings.game.name, settings.game.name.replace("_", "-"))
    stem = f"{game}-{settings.oracle.removesuffix('-refinement')}"[: MAX_NAME - 8]
    taken = _names(connection)
    return next(name for i in range(1, 10**6) if (name := f"{stem}-{i}") not in taken)


def refuse_taken(connection: sqlite3.Connection, name: str) -> None:
    """Checks that no run has this name.

    Raises:
        UsageError: one has.
    """
    owner = connection.execute("SELECT id, deleted FROM runs WHERE name = ?", (name,)).fetchone()
    if owner is not None:
        where = "" if owner["deleted"] is None else " in the bin"
        raise UsageError(
            f"the name of a run must be new, got {name!r}, which run {owner['id']}{where} has: choose another"
        )


def _names(connection: sqlite3.Connection) -> set[str]:
    return {row["name"] for row in connection.execute("SELECT name FROM runs")}


def _place(row: sqlite3.Row) -> str:
    return f"the row of run {str(row['id'])[:64]} ({str(row['name'])[:MAX_NAME]})"


@lru_cache(maxsize=4096)
def _settings(text: str) -> RunSettings:
    """Returns the settings in a row; kept, because lists of runs are read again and again."""
    return from_json(RunSettings, with_defaults(RunSettings, orjson.loads(text)))


def _record(row: sqlite3.Row, now: float) -> RunRecord:
    """Returns the run in a row.

    Raises:
        DamagedError: something else stands in it than this program writes.
    """
    try:
        settings = _settings(row["settings"])
        own = from_json(_Row, {name: row[name] for name in fields(_Row)} | {"tags": orjson.loads(row["tags"])})
    except (ValueError, TypeError) as error:
        raise DamagedError(_place(row), error) from error
    status = own.status
    if status in {"running", "paused"} and not alive(own.heartbeat, now):
        status = "interrupted"
    return RunRecord(
        id=own.id,
        name=own.name,
        settings=settings,
        status=status,
        message=own.message,
        iteration=own.iteration,
        target=own.target,
        created=own.created,
        seconds=own.seconds,
        usd=None if row["unpriced"] else own.usd,
        tags=own.tags,
        note=own.note,
        archived=bool(row["archived"]),
        deleted=own.deleted,
        imported=bool(row["imported"]),
    )
