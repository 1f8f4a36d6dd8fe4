"""The list of all runs: search, filters and the table. The address bar names all of it."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from app import address
from app.formats import short
from app.panels import imported
from app.panels.controls import STATUS
from csro_core.seeds import short_seed
from csro_core.store.finding import is_found
from csro_core.store.records import RunRecord
from csro_core.store.results import LastResult

FILTERS = ("find", "status", "game", "oracle", "tag", "archived")
"""Keys of the address that leave runs out of the table."""

MARKS = {
    "new": "○", "running": "▶", "paused": "⏸", "done": "✓", "stopped": "■", "interrupted": "⚠", "failed": "✗",
    "needs-key": "⚿",
}  # fmt: skip
"""Status → its mark, so that no status is known by its colour alone."""

BINNED = "runs_binned"
"""Key of the session: ids of the runs that were put into the bin just now."""

_TABLE_HEIGHT = 420
_LONGEST = 60
_ORDERS: Mapping[str, Callable[[RunRecord], Any]] = {
    "newest": lambda run: (-run.created,),
    "oldest": lambda run: (run.created,),
    "name": lambda run: (run.name.casefold(), run.name),
    "status": lambda run: (run.status, -run.created),
    "game": lambda run: (run.settings.game.key, -run.created),
    "oracle": lambda run: (run.settings.oracle, -run.created),
}


def status_words(run: RunRecord) -> str:
    """Returns the mark and the word of a run's status."""
    archived = " · archived" if run.archived else ""
    return f"{MARKS[run.status]} {STATUS[run.status][1]}{archived}{imported.words(run)}"


def filtered(runs: Sequence[RunRecord]) -> list[RunRecord]:
    """Draws search and filters; returns the runs that pass them, in the chosen order."""
    search, order, archived = st.columns([0.6, 0.2, 0.2], vertical_alignment="bottom")
    text = _search(search)
    names = [address.get("sort") or "newest"] if address.get("sort") in _ORDERS else ["newest"]
    st.session_state["runs_sort"] = names[0]
    chosen = order.selectbox(
        "Order", list(_ORDERS), key="runs_sort", help="A click on a title of the table sorts by any column, too.",
        on_change=lambda: _put("sort", st.session_state["runs_sort"], "newest"),
    )  # fmt: skip
    hidden = sum(run.archived for run in runs)
    st.session_state["runs_archived"] = bool(address.get("archived"))
    shown = archived.toggle(
        f"Archived too ({hidden})", key="runs_archived",
        on_change=lambda: _put("archived", "1" if st.session_state["runs_archived"] else "", ""),
    )  # fmt: skip
    places = st.columns(4)
    with places[0]:
        states = several("Status", "status", list(dict.fromkeys(run.status for run in runs)), lambda s: STATUS[s][1])
    with places[1]:
        games = several("Game", "game", sorted({run.settings.game.name for run in runs}))
    with places[2]:
        oracles = several("Oracle", "oracle", sorted({run.settings.oracle for run in runs}))
    with places[3]:
        tags = several("Tag", "tag", sorted({tag for run in runs for tag in run.tags}))
    found = [
        run
        for run in runs
        if (shown or not run.archived)
        and (not states or run.status in states)
        and (not games or run.settings.game.name in games)
        and (not oracles or run.settings.oracle in oracles)
        and (not tags or set(tags) & set(run.tags))
        and is_found(run, text)
    ]
    return sorted(found, key=_ORDERS[chosen or "newest"])


def _search(place: Any) -> str:
    st.session_state["runs_find"] = address.get("find")
    place.text_input(
        "Search", key="runs_find", max_chars=100, icon=":material/search:",
        placeholder="words of name, tags, note, game, oracle, model or status",
        on_change=lambda: _put("find", st.session_state["runs_find"].strip(), ""),
    )  # fmt: skip
    return address.get("find")


def several(label: str, key: str, options: list[str], title: Callable[[str], str] = str) -> list[str]:
    """Draws a choice of several, which the address names with commas between them; none means any.

    Args:
        label: what is chosen.
        key: in the address.
        options: what can be chosen; none has a comma.
        title: option → how the page calls it.
    """
    widget = f"runs_{key}"
    st.session_state[widget] = [one for one in address.get(key).split(",") if one in options]
    return st.multiselect(
        label, options, key=widget, placeholder="any", format_func=lambda one: short(title(one), 40),
        on_change=lambda: _put(key, ",".join(st.session_state[widget]), ""),
    )  # fmt: skip


def _put(key: str, value: str, default: str) -> None:
    address.put(**{key: None if value == default else value})


def clear_filters() -> None:
    """Takes search and filters out of the address."""
    address.put(**dict.fromkeys(FILTERS))


def show_archived() -> None:
    """Lets the table show archived runs, too."""
    address.put(archived="1")


def picked(runs: Sequence[RunRecord]) -> list[RunRecord]:
    """Returns the runs that are selected, as the address says."""
    wanted = address.get("picked").split(".")
    return [run for run in runs if run.id in wanted]


def table(runs: Sequence[RunRecord], results: Mapping[str, LastResult]) -> None:
    """Draws the table; the selected rows are named in the address."""
    ids = [run.id for run in runs]
    # The rows of a table are known by their places, so other runs or another order are another table.
    key = f"runs_table-{hash(tuple(ids))}"
    begun = st.session_state.get("runs_table_begun")
    if begun is None or begun[0] != key:
        begun = (key, [ids.index(run.id) for run in picked(runs)])
        st.session_state["runs_table_begun"] = begun

    def choose() -> None:
        rows = [ids[place] for place in st.session_state[key].selection.rows if 0 <= place < len(ids)]
        address.put(picked=".".join(rows) or None)
        st.session_state.pop(BINNED, None)

    st.dataframe(
        columns(runs, results), key=key, on_select=choose, selection_mode="multi-row", hide_index=True,
        selection_default={"selection": {"rows": begun[1]}}, height=min(_TABLE_HEIGHT, 38 + 35 * len(runs)),
        column_config=_CONFIG, row_height=35, alt="All runs with their settings, status and results.",
    )  # fmt: skip


_CONFIG = {
    "name": st.column_config.TextColumn(width="medium", pinned=True),
    "done": st.column_config.NumberColumn(help="iterations finished"),
    "wanted": st.column_config.NumberColumn(help="iterations wanted"),
    "last gain": st.column_config.NumberColumn(
        help="what the finalist of the last iteration gained against sigma, in the unit of the game", format="%.4g"
    ),
    "exploitability": st.column_config.NumberColumn(
        help="of the last sigma in the game itself; empty where it was not computed", format="%.4g"
    ),
    "tags": st.column_config.ListColumn(),
    "created": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
    "cost": st.column_config.NumberColumn(help="US dollars; empty where a call is unpriced", format="$%.4f"),
}


def local_time(seconds: float) -> datetime:
    """Returns a time since the epoch as the clock on the wall shows it; a table would show another zone otherwise."""
    return datetime.fromtimestamp(seconds, UTC).astimezone().replace(tzinfo=None)


def columns(runs: Sequence[RunRecord], results: Mapping[str, LastResult]) -> dict[str, list[Any]]:
    """Returns the table, title → cells."""
    last = [results.get(run.id, LastResult()) for run in runs]
    return {
        "name": [run.name for run in runs],
        "status": [status_words(run) for run in runs],
        "game": [short(run.settings.game.name, _LONGEST) for run in runs],
        "oracle": [short(run.settings.oracle, _LONGEST) for run in runs],
        "model": [short(run.settings.model, _LONGEST) for run in runs],
        "meta-solver": [short(run.settings.meta_solver, _LONGEST) for run in runs],
        "done": [run.iteration for run in runs],
        "wanted": [max(run.target, run.iteration) for run in runs],
        "last gain": [result.gain.mean if result.gain else None for result in last],
        "exploitability": [result.exploitability for result in last],
        "tags": [list(run.tags) for run in runs],
        "seed": [short_seed(run.settings.seed) for run in runs],
        "created": [local_time(run.created) for run in runs],
        "cost": [run.usd for run in runs],
    }
