"""All calls of a run: what they came to by model and by accepted policy, and the table of every one of them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import streamlit as st

from app import address, services
from app.formats import duration, money, safe, short
from app.panels import call
from app.panels.attempts import task_word
from app.snapshot import Snapshot
from csro_core.store.calls import CallLine, CallTotals, call_lines

_ALL = 0
_LONGEST_NAME = 60
_TABLE_HEIGHT = 360
_TOTALS_HEAD = (
    ("model", ""),
    ("calls", "sent; the failed and the lost ones too"),
    ("failed", "no answer came"),
    ("lost", "under way when the process died: possibly billed"),
    ("tokens in", "cached ones included"),
    ("cached", "of the tokens in, those that the provider had in its cache"),
    ("tokens out", "thinking included"),
    ("thinking", "of the tokens out"),
    ("price", "of the calls with a known price"),
    ("saved", "answers that were used again instead of asking"),
    ("waited", "wall time, calls added up"),
)


def lines_of(run: str) -> tuple[CallLine, ...]:
    """Returns the calls of a run without their texts; read again only when its rows have changed."""
    return _lines(str(services.store().path), run, services.store().rows_version(run))


@st.cache_resource(max_entries=8, show_spinner=False)
def _lines(path: str, run: str, version: int) -> tuple[CallLine, ...]:
    """Reads the list; `path` and `version` are there for the cache."""
    return tuple(call_lines(services.store().connections, run))


def note(model: str) -> str:
    """Returns the sentence about a model that nothing is sent to, "" for the others."""
    if model.partition(":")[0] == "synthesiser":
        return (
            "The model of this run is the synthesiser, a hand-written grammar: its calls are free, and nothing was "
            "sent anywhere."
        )
    if model.startswith("recorded:"):
        return "The model of this run is a recording: its answers are those of a stored run, free, and nothing is sent."
    return ""


def totals_panel(snapshot: Snapshot, lines: Sequence[CallLine]) -> None:
    """Draws what the calls came to: a row a model, and the share of one accepted policy."""
    totals = services.store().call_totals(snapshot.run.id)
    rows = [(short(each.model, _LONGEST_NAME), _cells(each)) for each in totals]
    accepted = [member for member in snapshot.members if member.origin == "oracle"]
    if accepted:
        rows.append((f"per accepted policy ({len(accepted)})", _share(totals, len(accepted))))
    head = "".join(f'<th title="{safe(tip)}">{safe(title)}</th>' for title, tip in _TOTALS_HEAD)
    st.html(f'<table class="csro-table"><tr>{head}</tr>{"".join(_row(name, cells) for name, cells in rows)}</table>')
    if not accepted:
        st.caption("No policy was accepted yet.")
        return
    with st.expander("What each accepted policy cost: all calls of its iteration"):
        spent = []
        for member in accepted:
            own = [line for line in lines if line.iteration == member.iteration]
            spent.append(_row(short(member.name, _LONGEST_NAME), (str(member.iteration), *_spent(own))))
        titles = ("policy", "iteration", "calls", "tokens in", "tokens out", "price", "waited")
        head = "".join(f"<th>{title}</th>" for title in titles)
        st.html(f'<table class="csro-table"><tr>{head}</tr>{"".join(spent)}</table>')


def _row(name: str, cells: Iterable[str]) -> str:
    columns = "".join(f"<td>{safe(cell)}</td>" for cell in cells)
    return f"<tr><td>{safe(name)}</td>{columns}</tr>"


def _cells(total: CallTotals) -> tuple[str, ...]:
    saved = f"{total.reused}× {_price(total.saved_usd, total.saved_unpriced, total.reused)}" if total.reused else "–"
    return (
        f"{total.calls:,}", f"{total.failed:,}", f"{total.possibly_billed:,}", f"{total.tokens_in:,}",
        f"{total.tokens_cached:,}", f"{total.tokens_out:,}", f"{total.tokens_thinking:,}",
        _price(total.usd, total.unpriced, total.calls), saved, duration(total.seconds),
    )  # fmt: skip


def _share(totals: Sequence[CallTotals], accepted: int) -> tuple[str, ...]:
    """Returns the cells of one accepted policy: everything that was spent, divided by their number."""

    def mean(field: Callable[[CallTotals], float], places: int = 0) -> str:
        return f"{sum(field(total) for total in totals) / accepted:,.{places}f}"

    unpriced = sum(total.unpriced for total in totals)
    usd = sum(total.usd for total in totals) / accepted
    return (
        mean(lambda total: total.calls, 1), mean(lambda total: total.failed, 1),
        mean(lambda total: total.possibly_billed, 1), mean(lambda total: total.tokens_in),
        mean(lambda total: total.tokens_cached), mean(lambda total: total.tokens_out),
        mean(lambda total: total.tokens_thinking),
        _price(usd, unpriced, sum(total.calls for total in totals)), "–",
        duration(sum(total.seconds for total in totals) / accepted),
    )  # fmt: skip


def _price(usd: float, unpriced: int, calls: int) -> str:
    """Returns a sum of prices; an unknown one is never counted as 0."""
    if not unpriced:
        return money(usd)
    return "unpriced" if unpriced >= calls else f"{money(usd)} + {unpriced} unpriced"


def _spent(lines: Sequence[CallLine]) -> tuple[str, ...]:
    unpriced = sum(call.price(line) == "unpriced" for line in lines)
    return (
        f"{len(lines):,}",
        f"{sum(line.tokens_in for line in lines):,}",
        f"{sum(line.tokens_out for line in lines):,}",
        _price(sum(line.usd or 0.0 for line in lines), unpriced, len(lines)),
        duration(sum(line.seconds for line in lines)),
    )


def filtered(run: str, lines: Sequence[CallLine]) -> list[CallLine]:
    """Draws the filters, and returns the calls that pass them."""
    left, right = st.columns([0.25, 0.75], gap="medium")
    iterations = sorted({line.iteration for line in lines})
    iteration = left.selectbox(
        "Iteration", [_ALL, *(number for number in iterations if number != _ALL)], key=f"calls_iteration-{run}",
        format_func=lambda number: "all" if number == _ALL else str(number),
    )  # fmt: skip
    outcomes = right.multiselect(
        "Outcome", sorted({call.outcome(line) for line in lines}), key=f"calls_outcome-{run}", placeholder="any",
        format_func=lambda word: short(word, _LONGEST_NAME),
    )  # fmt: skip
    return [
        line
        for line in lines
        if iteration in (_ALL, line.iteration) and (not outcomes or call.outcome(line) in outcomes)
    ]


def table(run: str, lines: Sequence[CallLine], all_calls: int) -> None:
    """Draws the table; a click on a row names its call in the address."""
    if not lines:
        st.caption("No call is like that: choose another iteration or outcome.")
        return
    # The rows of a table are known by their places, so another choice of calls is another table.
    choice = (st.session_state.get(f"calls_iteration-{run}"), st.session_state.get(f"calls_outcome-{run}"))
    key = f"calls-{run}-{choice}"

    def choose() -> None:
        places = st.session_state[key].selection.rows
        if places and 0 <= places[0] < len(lines):
            address.put(call=lines[places[0]].id)

    st.dataframe(
        columns(lines), key=key, on_select=choose, selection_mode="single-row", hide_index=True,
        height=min(_TABLE_HEIGHT, 38 + 35 * len(lines)), column_config=_CONFIG, row_height=35,
    )  # fmt: skip
    st.caption(f"{len(lines):,} of {all_calls:,} calls; a click at the left of a row opens it, one on a title sorts")


_CONFIG = {
    "tokens in": st.column_config.NumberColumn(help="prompt tokens, cached ones included", format="localized"),
    "cached": st.column_config.NumberColumn(help="tokens in that the provider had in its cache", format="localized"),
    "tokens out": st.column_config.NumberColumn(help="answer tokens, thinking included", format="localized"),
    "thinking": st.column_config.NumberColumn(help="tokens out that were thoughts", format="localized"),
    "seconds": st.column_config.NumberColumn(help="wall time, waits included", format="%.1f"),
    "price": st.column_config.TextColumn(help="“unpriced”: it may have cost something, nobody knows how much"),
    "reused": st.column_config.NumberColumn(help="how often the stored answer was used instead of asking"),
}


def columns(lines: Sequence[CallLine]) -> dict[str, list[Any]]:
    """Returns the table, title → cells."""
    return {
        "call": [line.id for line in lines],
        "iteration": [line.iteration for line in lines],
        "attempt": [call.attempt_name(line) for line in lines],
        "task": [task_word(line.task) for line in lines],
        "model": [short(line.model, _LONGEST_NAME) for line in lines],
        "outcome": [short(call.outcome(line), _LONGEST_NAME) for line in lines],
        "led to": [line.verdict or line.attempt_status for line in lines],
        "tokens in": [line.tokens_in for line in lines],
        "cached": [line.tokens_cached for line in lines],
        "tokens out": [line.tokens_out for line in lines],
        "thinking": [line.tokens_thinking for line in lines],
        "price": [call.price(line) for line in lines],
        "seconds": [round(line.seconds, 2) for line in lines],
        "reused": [line.reused for line in lines],
    }


def neighbours(lines: Sequence[CallLine], chosen: CallLine) -> None:
    """Draws the buttons to the calls before and after this one in the table."""
    place = next((place for place, line in enumerate(lines) if line.id == chosen.id), None)
    with st.container(horizontal=True, gap="small"):
        for label, icon, step in (("earlier", "chevron_left", -1), ("later", "chevron_right", 1)):
            target = None if place is None else place + step
            there = target is not None and 0 <= target < len(lines)
            pressed = st.button(
                label, key=f"call_{label}", icon=f":material/{icon}:", type="tertiary", disabled=not there
            )
            if pressed and there and target is not None:
                address.put(call=lines[target].id)
                st.rerun()
