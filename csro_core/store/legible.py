"""Rows of a run as records, where more than the kinds of their columns is checked, or a damaged one is left out."""

import sqlite3
from collections.abc import Iterable
from typing import Any, TypeVar

import orjson

from csro_core.store.codec import from_json
from csro_core.store.records import Member, SolutionRecord
from csro_core.store.rows import DamagedError, record
from csro_core.store.solution_kinds import check_kinds

T = TypeVar("T")


def legible(kind: type[T], rows: Iterable[sqlite3.Row]) -> list[T]:
    """Returns the records in those rows that can be read."""
    found = []
    for row in rows:
        try:
            found.append(record(kind, row))
        except DamagedError:
            continue
    return found


def solution(row: sqlite3.Row) -> SolutionRecord:
    """Returns the solution in a row.

    Raises:
        DamagedError: something else stands in it than this program writes.
    """
    found = record(SolutionRecord, row)
    try:
        check_kinds(found)
    except (ValueError, TypeError) as error:
        raise DamagedError(f"solution {found.number} of run {row['run']}", error) from error
    return found


def member(row: sqlite3.Row) -> Member:
    """Returns the member in a row that has the columns of its text too.

    Raises:
        DamagedError: something else stands in it than this program writes.
    """
    text = {name: row[name] for name in ("tree_hash", "source", "docstring", "lines")}
    own = {name: row[name] for name in ("player", "index", "name", "origin", "parent", "iteration", "forfeits")}
    try:
        return from_json(Member, own | {"policy": text | {"hash": row["policy"]}})
    except ValueError as error:
        raise DamagedError(f"member {row['index']} of player {row['player']} of run {row['run']}", error) from error


def progress(row: sqlite3.Row) -> dict[str, Any]:
    """Returns the live stages in the row of a run; none where they cannot be read: the next ones take their place."""
    try:
        found = orjson.loads(row["progress"])
    except (ValueError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}
