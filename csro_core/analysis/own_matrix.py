"""A matrix that a person brought along, as a game that everything of a meta-game can be computed of."""

import numpy as np
from numpy.typing import NDArray

from csro_core.analysis.matrix_game import MatrixGame
from csro_core.errors import UsageError
from csro_core.games.matrix_rows import NamedRows

_ROUNDING = 1e-9


def matrix_game(
    row: NamedRows, column: NamedRows | None = None, stderr: NamedRows | None = None, unit: str = ""
) -> MatrixGame:
    """Returns the game of one or two matrices.

    It is symmetric where the second player's matrix is the first one's transposed: of one matrix, where it is
    antisymmetric.

    Args:
        row: payoffs to the row player.
        column: payoffs to the column player, row for row; None: the game is zero-sum.
        stderr: standard errors of the payoffs, the same for both players; None: the payoffs are exact.
        unit: of the payoffs, for people.

    Raises:
        UsageError: the matrices differ in shape, or a standard error is negative.
    """
    own = np.array(row.rows)
    other = -own if column is None else np.array(column.rows)
    _check_same_shape("the column player's matrix", other, own)
    errors: NDArray[np.float64] | None = None
    if stderr is not None:
        table = np.array(stderr.rows)
        _check_same_shape("the matrix of standard errors", table, own)
        if float(table.min()) < 0:
            place = np.unravel_index(int(table.argmin()), table.shape)
            raise UsageError(
                f"standard errors must not be negative, got {table.min():g} in row {place[0] + 1}, "
                f"column {place[1] + 1} of the numbers"
            )
        errors = np.stack([table, table])
    symmetric = own.shape[0] == own.shape[1] and bool(
        np.abs(other - own.T).max() <= _ROUNDING * max(np.abs(own).max(), np.abs(other).max())
    )
    # + 0.0 turns the negative zeros of -own into zeros.
    return MatrixGame(np.stack([own, other]) + 0.0, errors, symmetric, _names(row, own.shape), unit)


def _names(row: NamedRows, shape: tuple[int, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the names of both players' policies: of a square matrix, one list of names serves both."""
    rows, columns = row.row_names, row.column_names
    if not rows and not columns:
        return (), ()
    if shape[0] == shape[1]:
        rows, columns = rows or columns, columns or rows
    rows, columns = rows or ("",) * shape[0], columns or ("",) * shape[1]
    return _filled(rows), _filled(columns)


def _filled(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name or str(index) for index, name in enumerate(names))


def _check_same_shape(what: str, table: NDArray[np.float64], own: NDArray[np.float64]) -> None:
    """Does nothing where a table has the shape of the row player's matrix.

    Raises:
        UsageError: it has another.
    """
    if table.shape != own.shape:
        raise UsageError(f"the row player's matrix and {what} must have one shape, got {own.shape} and {table.shape}")
