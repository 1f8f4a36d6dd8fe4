"""What is shown, as the address bar says it: `?run=…&policy=…&iteration=…`.

Streamlit drops the query when a page is changed by the navigation, so the state of the session fills it up again;
what the address bar does say wins, so that links, the back button and a second tab work.
"""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

import streamlit as st

OF_RUN = ("policy", "player", "iteration", "row", "column", "episode", "call", "measured", "three")
"""What belongs to a run, and leaves the address with it."""

OF_COMPARISON = (
    "compared", "experiment", "runs", "cost", "budget", "baseline", "evaluator", "play", "measure", "axis", "edits",
)  # fmt: skip
"""What the Compare page shows."""

OF_LIST = ("find", "status", "game", "oracle", "tag", "archived", "sort", "picked", "bin")
"""What the Runs page shows."""

KEYS = (
    "run", *OF_RUN, "source", "matrix", "solver", "order", "pictures", "alpha", "tour", *OF_COMPARISON,
    *OF_LIST,
)  # fmt: skip
_MOST_DIGITS = 9
_MEMORY = "address"


def restore() -> None:
    """Brings session and address bar together; once at the start of each run of the script."""
    memory: dict[str, str] = st.session_state.setdefault(_MEMORY, {})
    for key in KEYS:
        value = st.query_params.get(key)
        if value is not None:
            memory[key] = value
        elif key in memory:
            st.query_params[key] = memory[key]


def get(key: str) -> str:
    """Returns what the address says under a key, "" where it says nothing."""
    return str(st.session_state.get(_MEMORY, {}).get(key, ""))


def number(key: str) -> int | None:
    """Returns the whole number >= 0 that the address names under a key; None where it names none."""
    text = get(key)
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None


def put(**values: str | int | None) -> None:
    """Changes the address; None takes a key out of it."""
    memory: dict[str, str] = st.session_state.setdefault(_MEMORY, {})
    for key, value in values.items():
        if value is None:
            memory.pop(key, None)
            if key in st.query_params:
                del st.query_params[key]
        elif memory.get(key) != str(value) or st.query_params.get(key) != str(value):
            memory[key] = str(value)
            st.query_params[key] = str(value)


def link(keys: Sequence[str], shown: Mapping[str, str]) -> str:
    """Returns the address of the page with what it shows and nothing of other pages; "" where the browser told none.

    Args:
        keys: those of the page.
        shown: what is shown where the address says nothing under a key.
    """
    page = _page()
    said = {key: get(key) or shown.get(key, "") for key in keys}
    query = urlencode({key: value for key, value in said.items() if value})
    return f"{page}?{query}" if page and query else page


def _page() -> str:
    return st.context.url or ""


def go(page: str) -> None:
    """Shows another page, and ends this run of the script.

    The address is handed over whole: left to itself, Streamlit would refuse to clear what a widget is bound to (the
    tab of the Policies page).

    Args:
        page: its file, such as "views/policies.py".
    """
    memory: dict[str, str] = st.session_state.get(_MEMORY, {})
    st.switch_page(page, query_params=dict(memory))


def open_run(run: str, chosen: bool = True) -> None:
    """Shows another run: everything that belonged to the old one leaves the address.

    Args:
        run: its id.
        chosen: True: somebody wants to see it, so a matrix of one's own gives way; False: the address named none.
    """
    others: dict[str, None] = dict.fromkeys((*OF_RUN, *(("source",) if chosen else ())))
    put(run=run, **others)
