"""Records as rows: one table per record type, columns named after its fields; what is no scalar is JSON text."""

import sqlite3
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

import orjson

from csro_core.errors import NotFoundError, StoreError
from csro_core.seeds import Seed
from csro_core.store.codec import dumps, fields, from_json, to_json

T = TypeVar("T")


_MOST_SAID = 300


class DamagedError(StoreError):
    """What stands in a row is not what this program writes: by a disk, another program, or somebody's hand."""

    def __init__(self, place: str, error: Exception) -> None:
        """Says in one line which row it is ("solution 3 of run 0a1b2c3d"), and what is wrong with it."""
        super().__init__(f"{place} is damaged in the store: {' '.join(str(error).split())[:_MOST_SAID]}")


# SQLite has no booleans: a `bool` field is an INTEGER column.
_SCALARS = {int, float, str, bool, Seed}


_COLUMNS: dict[type, dict[str, tuple[bool, bool]]] = {}


def _columns(kind: type) -> dict[str, tuple[bool, bool]]:
    """Returns field → (kept as it is, is a bool); worked out once, because it is asked for every row."""
    if kind not in _COLUMNS:
        _COLUMNS[kind] = {name: (_scalar(hint), hint is bool) for name, hint in fields(kind).items()}
    return _COLUMNS[kind]


def _scalar(hint: Any) -> bool:
    if get_origin(hint) in {Union, UnionType}:
        return all(_scalar(choice) for choice in get_args(hint) if choice is not NoneType)
    return hint in _SCALARS or get_origin(hint) is Literal


def insert(connection: sqlite3.Connection, table: str, run: str, record: Any, replace: bool = False) -> None:
    """Writes a record as a row of a run.

    Args:
        connection: inside a write transaction.
        table: the table, whose columns are `run` and the fields of the record.
        run: id of the run.
        record: a dataclass.
        replace: True: a row with the same key gives way; False: it is an error.

    Raises:
        ValueError: the record has no JSON form.
    """
    values: dict[str, Any] = {"run": run}
    for name, (scalar, _) in _columns(type(record)).items():
        value = getattr(record, name)
        empty = value is None
        values[name] = to_json(value) if scalar else None if empty else dumps(value).decode("utf-8")
    names = ", ".join(f'"{name}"' for name in values)
    marks = ", ".join("?" for _ in values)
    verb = "INSERT OR REPLACE" if replace else "INSERT"
    connection.execute(f"{verb} INTO {table} ({names}) VALUES ({marks})", tuple(values.values()))


def record(kind: type[T], row: sqlite3.Row) -> T:
    """Returns the record in a row that `insert` wrote; columns that are no field of it are left alone.

    Raises:
        DamagedError: something else stands in it; the message names the row.
    """
    data: dict[str, Any] = {}
    try:
        for name, (scalar, boolean) in _columns(kind).items():
            value = row[name]
            if value is not None and not scalar:
                value = orjson.loads(value)
            data[name] = bool(value) if boolean else value
        return from_json(kind, data)
    except (ValueError, TypeError) as error:
        raise DamagedError(_place(kind, row), error) from error


def _place(kind: type, row: sqlite3.Row) -> str:
    there = set(row.keys())
    what = kind.__name__.removesuffix("Record").removesuffix("Text").removesuffix("Line").lower()
    own = next((str(row[name])[:64] for name in ("number", "index", "id", "hash") if name in there), "")
    parts = [f"{what} {own}".strip()]
    parts += [f"{name} {str(row[name])[:64]}" for name in ("iteration", "run") if name in there]
    return " of ".join(parts)


def touch(connection: sqlite3.Connection, run: str, rows: bool = True) -> None:
    """Counts a write to a run.

    Args:
        connection: inside a write transaction.
        run: id of the run.
        rows: True where results changed (members, cells, solutions, …), not only a request or the progress.

    Raises:
        NotFoundError: there is no such run.
    """
    changed = connection.execute(
        "UPDATE runs SET changed = changed + 1, rows_changed = rows_changed + ? WHERE id = ?", (int(rows), run)
    )
    if changed.rowcount == 0:
        raise NotFoundError(f"run must be the id of a run in the store, got {run!r}: `runs` lists them")


def run_row(connection: sqlite3.Connection, run: str) -> sqlite3.Row:
    """Returns the row of a run.

    Raises:
        NotFoundError: there is no such run.
    """
    row = connection.execute("SELECT * FROM runs WHERE id = ?", (run,)).fetchone()
    if row is None:
        raise NotFoundError(f"run must be the id of a run in the store, got {run!r}: `runs` lists them")
    found: sqlite3.Row = row
    return found
