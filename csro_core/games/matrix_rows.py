"""Matrices from people: checks and readers whose messages say what is wrong, and in which row and column."""

from typing import Any, TypeAlias

from csro_core.errors import UsageError

Rows: TypeAlias = tuple[tuple[float, ...], ...]
"""A matrix as canonical plain data: at least one row and column, equal lengths, finite floats, no negative zero."""

MAX_ACTIONS = 200
MAX_PAYOFF = 1e9


def checked_rows(value: Any) -> Rows:
    """Returns a matrix as canonical plain data.

    Args:
        value: anything; good is a list of 1 to 200 rows of 1 to 200 finite numbers each.

    Raises:
        UsageError: it is something else; the message names the row and the column.
    """
    if not isinstance(value, list | tuple) or not all(isinstance(row, list | tuple) for row in value):
        raise UsageError(f"a matrix is a list of rows of numbers, such as [[0, 1], [-1, 0]], got {repr(value)[:60]}")
    _check_shape([len(row) for row in value], "row", range(1, len(value) + 1))
    return tuple(
        tuple(_number(entry, f"row {row}, column {column}") for column, entry in enumerate(entries, 1))
        for row, entries in enumerate(value, 1)
    )


def rows_from_csv_text(text: str) -> Rows:
    """Returns a matrix that is written as text, one row a line.

    Values are separated by tabs, else by semicolons, else by commas: the first of these that occurs anywhere.
    Empty lines are skipped. There is no header line and no column of names.

    Raises:
        UsageError: a value is not a finite number, or the matrix is ragged, empty or too large; the message names
            the line and the column.
    """
    separator = next((mark for mark in "\t;" if mark in text), ",")
    lines = [(number, line) for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1) if line.strip()]
    _check_shape([line.count(separator) + 1 for _, line in lines], "line", [number for number, _ in lines])
    return tuple(
        tuple(_read(cell.strip(), f"line {number}, column {column}") for column, cell in enumerate(cells, 1))
        for number, cells in ((number, line.split(separator)) for number, line in lines)
    )


def _check_shape(widths: list[int], what: str, numbers: list[int] | range) -> None:
    """Checks the shape before anything is converted, so that a huge input is refused at once.

    Raises:
        UsageError: there is no row or column, the rows differ in length, or there are too many.
    """
    if not widths or widths[0] == 0:
        raise UsageError("a matrix must have at least one row and one column, got an empty one")
    if len(widths) > MAX_ACTIONS or widths[0] > MAX_ACTIONS:
        raise UsageError(f"a matrix has at most {MAX_ACTIONS} rows and columns, got {len(widths)} x {widths[0]}")
    for number, width in zip(numbers, widths, strict=True):
        if width != widths[0]:
            raise UsageError(
                f"every {what} of a matrix must have the same number of values: {what} {numbers[0]} has {widths[0]}, "
                f"{what} {number} has {width}"
            )


def _read(cell: str, where: str) -> float:
    if not cell:
        raise UsageError(f"{where}: a number is missing")
    try:
        value = float(cell)
    except ValueError:
        raise UsageError(f"{where}: {cell[:40]!r} is not a number (a matrix has no header and no names)") from None
    return _number(value, where)


def _number(value: Any, where: str) -> float:
    # bool counts as an int to isinstance, but a truth value in a matrix is a mistake.
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{where}: a payoff must be a number, got {repr(value)[:40]}")
    if not abs(value) <= MAX_PAYOFF:  # written so that NaN is refused too
        raise UsageError(f"{where}: a payoff must be finite and at most {MAX_PAYOFF:g} in size, got {str(value)[:40]}")
    return float(value) + 0.0  # turns -0.0 into 0.0, so that equal games have equal keys
