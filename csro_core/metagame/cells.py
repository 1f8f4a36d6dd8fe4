"""Payoff cells: the episodes between two texts, and where they are kept."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Key: TypeAlias = tuple[str, str]
"""Identity of a cell in its namespace: the tree hashes of the row and the column policy."""


@dataclass(frozen=True)
class Cell:
    """Episodes 0 … E-1 between two texts. The row policy sits first in every pair.

    Attributes:
        row: tree hash of the row policy.
        column: tree hash of the column policy.
        returns: `[E, 2]` as played.
        forfeits: `[E, 2]` who forfeited which episode.
        failures: the first failures of either side: {policy, status, message, line, episode, step}.
        moves: per episode the compressed log (see `MatchResult.moves`); empty where it was not kept or not read.
    """

    row: str
    column: str
    returns: NDArray[np.float64]
    forfeits: NDArray[np.bool_]
    failures: tuple[Mapping[str, Any], ...] = ()
    moves: tuple[bytes, ...] = ()

    @property
    def episodes(self) -> int:
        """Number of episodes."""
        return int(self.returns.shape[0])

    def mirrored(self) -> "Cell":
        """Returns the same episodes seen from the column policy."""
        failures = tuple({**failure, "policy": 1 - int(failure["policy"])} for failure in self.failures)
        return Cell(self.column, self.row, self.returns[:, ::-1], self.forfeits[:, ::-1], failures, ())


class KnownCells(Protocol):
    """The cells of one namespace (a run) and one game, to read many of them."""

    def many(self, keys: Iterable[Key]) -> dict[Key, Cell]:
        """Returns those of the cells that were played, without their moves."""
        ...


class CellStore(KnownCells, Protocol):
    """Cells of one namespace (a run) and one game."""

    def get(self, row: str, column: str) -> Cell | None:
        """Returns the cell of exactly this ordered pair, without its moves; None where it was never played."""
        ...

    def lengths(self, keys: Iterable[Key]) -> dict[Key, int]:
        """Returns how many episodes those of the cells have that were played."""
        ...

    def put(self, cell: Cell) -> None:
        """Keeps a cell; one with more episodes replaces an earlier one."""
        ...

    def put_all(self, cells: Sequence[Cell]) -> None:
        """Keeps several cells at once (see `put`): all of them, or none where it fails."""
        ...
