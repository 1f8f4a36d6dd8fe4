"""Matrices from people: checks and readers whose messages say what is wrong, and in which row and column."""

import csv
import re
from dataclasses import dataclass
from typing import Any, TypeAlias

from csro_core.errors import UsageError

Rows: TypeAlias = tuple[tuple[float, ...], ...]
"""A matrix as canonical plain data: at least one row and column, equal lengths, finite floats, no negative zero."""

MAX_ACTIONS = 200
MAX_PAYOFF = 1e9

MAX_NAMED_SIDE = 1_000
MAX_NAMED_PAYOFF = 1e15
"""Limits of a matrix that is solved, not played."""

_LONGEST_NAME = 120
_QUOTED = re.compile('"[^"]*"')


@dataclass(frozen=True)
class NamedRows:
    """A matrix with the names that stood beside it.

    Attributes:
        rows: the numbers.
        row_names: one a row, () where there are none.
        column_names: one a column, () where there are none.
    """

    rows: Rows
    row_names: tuple[str, ...] = ()
    column_names: tuple[str, ...] = ()


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


def named_rows_from_csv_text(text: str) -> NamedRows:
    """Returns a matrix that is written as text, one row a line, perhaps with a header line and a column of names.

    Values are separated as `rows_from_csv_text` says; names may be in double quotes. The first line is a header where
    none of its cells is a number, or where it is an empty cell and then the numbers from 0 or 1 on. The first column
    holds names where no line has a number there, or the header's first cell is empty, or the header is one cell short
    and the column does not hold numbers other than 0, 1, 2, … or 1, 2, 3, …. Anything in between is a mistake and is
    refused: a line with a typing error is not taken for a header, and payoffs below a title are not taken for names.

    Raises:
        UsageError: a value is not a finite number of at most 1e15, or the matrix is ragged, empty, or larger than
            1,000 x 1,000; the message names the line and the column.
    """
    lines = [(number, line) for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1) if line.strip()]
    bare = _QUOTED.sub("", text)
    separator = next((mark for mark in "\t;" if mark in bare), ",")
    if len(lines) > MAX_NAMED_SIDE + 1:
        raise UsageError(f"a matrix has at most {MAX_NAMED_SIDE} rows and columns, got {len(lines)} rows")
    cells = [(number, _split(line, separator, number)) for number, line in lines]
    header: list[str] | None = None
    if len(cells) > 1 and _is_header(cells[0][1]):
        header = cells.pop(0)[1]
    if not cells:
        raise UsageError("a matrix must have at least one row and one column, got an empty one")
    width = len(cells[0][1])
    firsts = [line[0] for _, line in cells]
    named = width > 1 and (
        all(cell and not _is_number(cell) for cell in firsts)
        or (header is not None and (not header[0] or (len(header) == width - 1 and not _is_payoffs(firsts))))
    )
    first = 1 if named else 0
    _check_shape([len(line) - first for _, line in cells], "line", [number for number, _ in cells], MAX_NAMED_SIDE)
    if header is not None and len(header) not in {width, width - first}:
        raise UsageError(f"the header line must have one name a column: it has {len(header)}, the lines below {width}")
    rows = tuple(
        tuple(
            _read(cell, f"line {number}, column {column}", MAX_NAMED_PAYOFF)
            for column, cell in enumerate(line[first:], 1 + first)
        )
        for number, line in cells
    )
    columns = () if header is None else tuple(_name(cell) for cell in header[len(header) - (width - first) :])
    return NamedRows(rows, tuple(_name(line[0]) for _, line in cells) if named else (), columns)


def _split(line: str, separator: str, number: int) -> list[str]:
    """Returns the cells of a line without the spaces around them.

    Raises:
        UsageError: a cell is longer than any number or name.
    """
    try:
        reader = csv.reader([line], delimiter=separator, skipinitialspace=True, strict=True)
        return [cell.strip() for cell in next(reader)]
    except (csv.Error, StopIteration) as error:
        raise UsageError(f"line {number}: it cannot be read as values between {separator!r} ({error})") from error


def _is_header(cells: list[str]) -> bool:
    if not cells[0] and len(cells) > 1:
        return _is_counting(cells[1:]) or all(cell and not _is_number(cell) for cell in cells[1:])
    return all(cell and not _is_number(cell) for cell in cells)


def _is_counting(cells: list[str]) -> bool:
    return any(cells == [str(start + place) for place in range(len(cells))] for start in (0, 1))


def _is_payoffs(cells: list[str]) -> bool:
    return all(_is_number(cell) for cell in cells) and not _is_counting(cells)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _name(cell: str) -> str:
    """Returns a name on one line; signs that a terminal or a page would obey instead of showing are replaced."""
    shown = "".join(sign if sign.isprintable() else "\ufffd" for sign in " ".join(cell.split()))
    return shown[:_LONGEST_NAME]


def _check_shape(widths: list[int], what: str, numbers: list[int] | range, most: int = MAX_ACTIONS) -> None:
    """Checks the shape before anything is converted, so that a huge input is refused at once.

    Raises:
        UsageError: there is no row or column, the rows differ in length, or there are too many.
    """
    if not widths or widths[0] == 0:
        raise UsageError("a matrix must have at least one row and one column, got an empty one")
    if len(widths) > most or widths[0] > most:
        raise UsageError(f"a matrix has at most {most} rows and columns, got {len(widths)} x {widths[0]}")
    for number, width in zip(numbers, widths, strict=True):
        if width != widths[0]:
            raise UsageError(
                f"every {what} of a matrix must have the same number of values: {what} {numbers[0]} has {widths[0]}, "
                f"{what} {number} has {width}"
            )


def _read(cell: str, where: str, most: float = MAX_PAYOFF) -> float:
    if not cell:
        raise UsageError(f"{where}: a number is missing")
    try:
        value = float(cell)
    except ValueError:
        hint = " (a matrix has no header and no names)" if most == MAX_PAYOFF else ""
        raise UsageError(f"{where}: {cell[:40]!r} is not a number{hint}") from None
    return _number(value, where, most)


def _number(value: Any, where: str, most: float = MAX_PAYOFF) -> float:
    # bool counts as an int to isinstance, but a truth value in a matrix is a mistake.
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{where}: a payoff must be a number, got {repr(value)[:40]}")
    if not abs(value) <= most:  # written so that NaN is refused too
        raise UsageError(f"{where}: a payoff must be finite and at most {most:g} in size, got {str(value)[:40]}")
    return float(value) + 0.0  # turns -0.0 into 0.0, so that equal games have equal keys
