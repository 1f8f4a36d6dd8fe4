"""Matches between policies of different runs: cells by the hashes of their texts, which belong to no run."""

from collections.abc import Iterable, Sequence

import numpy as np

from csro_core.metagame.cells import Cell, Key
from csro_core.policies.source import CONTRACT_VERSION
from csro_core.store.connection import Connections

_AT_ONCE = 500
"""Most cells of one query: SQLite takes 32,766 values, of which each cell has one."""


class CrossPlayCells:
    """A `CellStore` whose keys are hashes of texts, not of syntax trees: what an imported run says of those may lie.

    Methods raise `StoreError` when the file cannot be read or written.
    """

    def __init__(self, connections: Connections, game_key: str) -> None:
        """Keeps the connections (`Store.connections`) and which game it is about (`GameSpec.key`)."""
        self._connections = connections
        self._game = game_key

    def get(self, row: str, column: str) -> Cell | None:
        """Returns the cell of exactly this ordered pair, None where it was never played."""
        return self.many([(row, column)]).get((row, column))

    def many(self, keys: Iterable[Key]) -> dict[Key, Cell]:
        """Returns those of the cells that were played."""
        found = {}
        for row, columns in _by_row(keys):
            marks = ", ".join("?" * len(columns))
            with self._connections.reading() as connection:
                lines = connection.execute(
                    f'SELECT "column", episodes, "returns", forfeits FROM crossplay WHERE game = ? AND contract = ? '
                    f'AND "row" = ? AND "column" IN ({marks})',
                    (self._game, CONTRACT_VERSION, row, *columns),
                ).fetchall()
            for line in lines:
                shape = (line["episodes"], 2)
                found[row, line["column"]] = Cell(
                    row,
                    line["column"],
                    np.frombuffer(line["returns"], dtype="<f8").reshape(shape),
                    np.frombuffer(line["forfeits"], dtype=np.bool_).reshape(shape),
                )
        return found

    def lengths(self, keys: Iterable[Key]) -> dict[Key, int]:
        """Returns how many episodes those of the cells have that were played."""
        return {key: cell.episodes for key, cell in self.many(keys).items()}

    def put(self, cell: Cell) -> None:
        """Keeps a cell; one with more episodes replaces an earlier one."""
        self.put_all([cell])

    def put_all(self, cells: Sequence[Cell]) -> None:
        """Keeps several cells in one transaction."""
        with self._connections.writing() as connection:
            connection.executemany(
                'INSERT INTO crossplay (game, contract, "row", "column", episodes, "returns", forfeits) '
                'VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (game, contract, "row", "column") DO UPDATE SET '
                'episodes = excluded.episodes, "returns" = excluded."returns", forfeits = excluded.forfeits '
                "WHERE excluded.episodes > crossplay.episodes",
                [
                    (
                        self._game, CONTRACT_VERSION, cell.row, cell.column, cell.episodes,
                        cell.returns.astype("<f8").tobytes(), cell.forfeits.astype(np.uint8).tobytes(),
                    )
                    for cell in cells
                ],
            )  # fmt: skip


def _by_row(keys: Iterable[Key]) -> list[tuple[str, list[str]]]:
    rows: dict[str, list[str]] = {}
    for row, column in keys:
        rows.setdefault(row, []).append(column)
    return [
        (row, columns[first : first + _AT_ONCE])
        for row, columns in rows.items()
        for first in range(0, len(columns), _AT_ONCE)
    ]
