"""Payoff cells in the store: packed arrays, so that the whole table of a run is one quick query."""

import sqlite3
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import orjson

from csro_core.metagame.cells import Cell, Key
from csro_core.policies.source import CONTRACT_VERSION
from csro_core.store.codec import dumps
from csro_core.store.rows import DamagedError

Lend: TypeAlias = Callable[[], AbstractContextManager[sqlite3.Connection]]
"""Lends a connection, for reading or for one write transaction."""

_COLUMNS = '"row", "column", episodes, "returns", forfeits, failures'

_MOST_COLUMNS = 500  # opponents asked for in one query; older builds of SQLite take 999 values in a statement


@dataclass(frozen=True)
class CellKey:
    """The namespace of cells.

    Attributes:
        run: id of the run.
        game: `GameSpec.key` of its game.
        contract: version of the contract of a policy.
    """

    run: str
    game: str
    contract: int = CONTRACT_VERSION


class CellReader:
    """Reads the cells of one run."""

    def __init__(self, key: CellKey, reading: Lend) -> None:
        self._key = key
        self._reading = reading

    def get(self, row: str, column: str) -> Cell | None:
        """Returns the cell of exactly this ordered pair, without its moves; None where it was never played."""
        with self._reading() as connection:
            found = connection.execute(
                f'SELECT {_COLUMNS} FROM cells WHERE run = ? AND game = ? AND contract = ? AND "row" = ? '
                f'AND "column" = ?',
                (self._key.run, self._key.game, self._key.contract, row, column),
            ).fetchone()
        return None if found is None else _cell(found)

    def many(self, keys: Iterable[Key]) -> dict[Key, Cell]:
        """Returns those of the cells that were played, without their moves; one query for each row policy."""
        return {(row["row"], row["column"]): _cell(row) for row in self._found(_COLUMNS, keys)}

    def lengths(self, keys: Iterable[Key]) -> dict[Key, int]:
        """Returns how many episodes those of the cells have that were played; one query for each row policy."""
        return {(row["row"], row["column"]): row["episodes"] for row in self._found('"row", "column", episodes', keys)}

    def _found(self, selected: str, keys: Iterable[Key]) -> Iterator[sqlite3.Row]:
        columns: dict[str, list[str]] = {}
        for row, column in keys:
            columns.setdefault(row, []).append(column)
        with self._reading() as connection:
            for row, others in columns.items():
                for first in range(0, len(others), _MOST_COLUMNS):
                    part = others[first : first + _MOST_COLUMNS]
                    marks = ", ".join("?" * len(part))
                    yield from connection.execute(
                        f'SELECT {selected} FROM cells WHERE run = ? AND game = ? AND contract = ? AND "row" = ? '
                        f'AND "column" IN ({marks})',
                        (self._key.run, self._key.game, self._key.contract, row, *part),
                    ).fetchall()

    def all(self) -> list[Cell]:
        """Returns every cell without its moves, oldest first."""
        with self._reading() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM cells WHERE run = ? AND game = ? AND contract = ? ORDER BY id",
                (self._key.run, self._key.game, self._key.contract),
            ).fetchall()
        return [_cell(row) for row in rows]

    def moves(self, row: str, column: str) -> tuple[bytes, ...]:
        """Returns the compressed logs of the pair, one an episode; empty where none were kept.

        In stores of earlier versions b"" stands for an episode that was played before others were added.

        Raises:
            DamagedError: something else stands in the row than this program writes.
        """
        with self._reading() as connection:
            found = connection.execute(
                "SELECT logs FROM moves JOIN cells ON cells.id = moves.cell "
                'WHERE run = ? AND game = ? AND contract = ? AND "row" = ? AND "column" = ?',
                (self._key.run, self._key.game, self._key.contract, row, column),
            ).fetchone()
        try:
            return () if found is None else unpack_logs(found["logs"])
        except (struct.error, TypeError) as error:
            raise DamagedError(f"the logs of {row[:12]}… against {column[:12]}…", error) from error


class CellWriter(CellReader):
    """Reads and writes the cells of one run: a `CellStore`."""

    def __init__(self, key: CellKey, reading: Lend, writing: Lend) -> None:
        super().__init__(key, reading)
        self._writing = writing

    def put(self, cell: Cell) -> None:
        """Keeps a cell; one with more episodes replaces an earlier one, another changes nothing.

        Raises:
            LeaseError: the lease is lost.
        """
        self.put_all([cell])

    def put_all(self, cells: Sequence[Cell]) -> None:
        """Keeps several cells in one transaction (see `put`).

        Raises:
            LeaseError: the lease is lost.
        """
        with self._writing() as connection:
            for cell in cells:
                write_cell(connection, self._key, cell)


def write_cell(connection: sqlite3.Connection, key: CellKey, cell: Cell) -> None:
    """Writes a cell inside a write transaction (see `CellWriter.put`).

    Raises:
        ValueError: the arrays of the cell do not speak of the same episodes.
    """
    shape = (cell.episodes, 2)
    if cell.returns.shape != shape or cell.forfeits.shape != shape or len(cell.moves) not in {0, cell.episodes}:
        raise ValueError(
            f"a cell needs returns and forfeits of one shape [E, 2] and no or E logs, got {cell.returns.shape}, "
            f"{cell.forfeits.shape} and {len(cell.moves)} logs"
        )
    forfeited = cell.forfeits.sum(axis=0)
    written = connection.execute(
        f"INSERT INTO cells (run, game, contract, {_COLUMNS}, row_forfeits, column_forfeits) "
        f"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        f'ON CONFLICT (run, game, contract, "row", "column") DO UPDATE SET '
        f'episodes = excluded.episodes, "returns" = excluded."returns", forfeits = excluded.forfeits, '
        f"failures = excluded.failures, row_forfeits = excluded.row_forfeits, "
        f"column_forfeits = excluded.column_forfeits "
        f"WHERE excluded.episodes > cells.episodes RETURNING id",
        (
            key.run, key.game, key.contract, cell.row, cell.column, cell.episodes,
            cell.returns.astype("<f8").tobytes(), cell.forfeits.astype(np.uint8).tobytes(),
            dumps(cell.failures).decode("utf-8"), int(forfeited[0]), int(forfeited[1]),
        ),
    ).fetchone()  # fmt: skip
    if written is None:
        return
    logs = _with_earlier(connection, written["id"], cell.moves)
    connection.execute("DELETE FROM moves WHERE cell = ?", (written["id"],))
    if logs:
        connection.execute("INSERT INTO moves (cell, logs) VALUES (?, ?)", (written["id"], pack_logs(logs)))


def _with_earlier(connection: sqlite3.Connection, cell: int, logs: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """Returns the logs with those of earlier episodes, for which a cell that was played further holds b""."""
    if all(logs):
        return logs
    found = connection.execute("SELECT logs FROM moves WHERE cell = ?", (cell,)).fetchone()
    before = () if found is None else unpack_logs(found["logs"])
    return tuple(log or (before[place] if place < len(before) else b"") for place, log in enumerate(logs))


def pack_logs(logs: Sequence[bytes]) -> bytes:
    """Returns logs in one piece: each with its length before it, four bytes, little-endian."""
    return b"".join(struct.pack("<I", len(log)) + log for log in logs)


def unpack_logs(data: bytes) -> tuple[bytes, ...]:
    """Returns what `pack_logs` packed."""
    logs: list[bytes] = []
    place = 0
    while place < len(data):
        (length,) = struct.unpack_from("<I", data, place)
        logs.append(data[place + 4 : place + 4 + length])
        place += 4 + length
    return tuple(logs)


def _cell(row: sqlite3.Row) -> Cell:
    """Returns the cell in a row.

    Raises:
        DamagedError: something else stands in it than this program writes.
    """
    try:
        shape = (row["episodes"], 2)
        failures = row["failures"]
        return Cell(
            row["row"],
            row["column"],
            np.frombuffer(row["returns"], dtype="<f8").reshape(shape),
            np.frombuffer(row["forfeits"], dtype=np.bool_).reshape(shape),
            # Nearly every cell has none, and this is the hot path of the heat-map.
            () if failures == "[]" else _failures(failures),
        )
    except (ValueError, TypeError) as error:
        pair = f"{str(row['row'])[:12]}… against {str(row['column'])[:12]}…"
        raise DamagedError(f"the payoff cell of {pair}", error) from error


def _failures(text: str) -> tuple[dict[str, Any], ...]:
    found = orjson.loads(text)
    if not isinstance(found, list) or not all(isinstance(one, dict) and one.get("policy") in {0, 1} for one in found):
        raise ValueError("its failures must be a list of objects")
    return tuple(found)
