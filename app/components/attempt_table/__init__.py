"""The table of attempts: the texts get the room, whole on hover; a button opens each program."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import streamlit as st

from app.components import register_assets


@dataclass(frozen=True)
class Column:
    """One column: its title, its tooltip, and how it is laid out."""

    title: str
    help: str
    kind: Literal["verdict", "word", "idea", "number", "reason"]


@dataclass(frozen=True)
class Row:
    """One attempt.

    Attributes:
        cells: one text a column.
        titles: one tooltip a column; "" shows the whole text of the cell.
        tone: "good", "bad", "final" or "".
        readable: True: it has a program to open.
        number: what a screen reader calls the attempt, None for its place in the table.
    """

    cells: tuple[str, ...]
    titles: tuple[str, ...]
    tone: Literal["good", "bad", "final", ""]
    readable: bool
    number: int | None = None


def attempt_table(columns: Sequence[Column], rows: Sequence[Row], *, key: str, height: int, label: str) -> int | None:
    """Returns the place of the row whose program was asked for in this run of the script, else None.

    Args:
        columns: in order.
        rows: in order.
        key: key of this element.
        height: pixels above which the table scrolls.
        label: what a screen reader calls it.
    """
    register_assets()
    mount = st.components.v2.component(
        "csro.attempt_table",
        html='<div class="frame"></div>',
        css="attempt_table.css",
        js="attempt_table.js",
    )
    data = {
        "columns": [asdict(column) for column in columns],
        "rows": [asdict(row) for row in rows],
        "height": height,
        "label": label,
    }
    read = mount(key=key, data=data, on_read_change=_nothing).read
    return int(read) if read is not None and 0 <= int(read) < len(rows) else None


def _nothing() -> None:
    """Streamlit wants a callback for each trigger it shall return."""
