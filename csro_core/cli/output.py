"""What commands print: one JSON document, or tables for people; everything else goes to standard error."""

import argparse
import sys
from collections.abc import Sequence
from math import isnan
from typing import Any

import orjson

from csro_core.estimates import Estimate
from csro_core.store.codec import to_json


def emit(args: argparse.Namespace, document: Any, text: str) -> None:
    """Prints the answer of a command on standard output.

    Args:
        args: parsed arguments with the common options.
        document: the answer as JSON data or dataclasses, for `--json`; NaN becomes null.
        text: the answer for people.
    """
    print(orjson.dumps(to_json(document), option=orjson.OPT_INDENT_2).decode("utf-8") if args.json else text)


def note(text: str) -> None:
    """Prints a line about what is going on to standard error."""
    if sys.stderr is not None:  # closed by whoever started us: print would choose standard output instead
        print(text, file=sys.stderr, flush=True)


def table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Returns a table in aligned columns: numbers to the right, texts to the left.

    Args:
        headers: titles of the columns.
        rows: as many values each; None is shown as "-", floats as they come out of `rounded`.
    """
    cells = [["-" if value is None else rounded(value) for value in row] for row in rows]
    widths = [max(len(header), *(len(row[i]) for row in cells), 0) for i, header in enumerate(headers)]
    right = [
        bool(rows) and all(isinstance(row[i], (int, float, type(None))) for row in rows) for i in range(len(headers))
    ]
    lines = [list(headers), ["-" * width for width in widths], *cells]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if flush else cell.ljust(width)
            for cell, width, flush in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    )


def rounded(value: object) -> str:
    """Returns a value for people: floats with five significant digits, "-" for NaN, texts on one line."""
    if isinstance(value, float):
        if isnan(value):
            return "-"
        return f"{value:.5g}"
    return " ".join(str(value).split())


def interval(value: Estimate | None) -> str:
    """Returns an estimate with its 95 % interval, "-" where there is none; a single episode has no interval."""
    if value is None:
        return "-"
    return f"{value.mean:.4g}" + ("" if isnan(value.half_width) else f" ± {value.half_width:.2g}")
