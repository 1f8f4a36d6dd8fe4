"""The live panel: the stages of the iteration under way, as the owner of the run tells them."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from app import services
from app.formats import duration, safe

TITLES = {
    "solve": ("solve meta-game", "payoffs of the population → sigma, the mixture to beat"),
    "ask": ("ask the model", "the oracle asks the model for a program"),
    "check": ("check", "the static check of the program, before it may run"),
    "play": ("play", "matches of the program against the opponents of the target"),
    "decide": ("accept?", "fresh matches decide whether the finalist joins the population"),
}
FAST_SECONDS, SLOW_SECONDS = 0.5, 5.0


def live(run: str, shown: tuple[object, ...], drawn: bool) -> None:
    """Watches a run: draws its stages, and redraws the page when its rows have changed.

    Args:
        run: id of the run.
        shown: `pulse(run)` of the page as it is drawn.
        drawn: True: draw the stages; False: watch only.
    """

    def beat() -> None:
        complaint = services.keep_waiting_served(run)
        if drawn:
            _draw(run, complaint)
        if pulse(run) != shown:
            st.rerun()

    st.fragment(beat, run_every=FAST_SECONDS if services.is_active(run) else SLOW_SECONDS)()


def pulse(run: str) -> tuple[object, ...]:
    """Returns what a page must be redrawn for: rows, status, the list of runs, and the colour theme."""
    runs = services.store().runs()
    own = next((record for record in runs if record.id == run), None)
    state = (own.status, own.message, own.target, own.name) if own else None
    return services.store().rows_version(run), state, services.is_active(run), len(runs), st.context.theme.type


def _draw(run: str, complaint: str) -> None:
    if not services.is_active(run):
        # What a process that died or only scored an edit has left behind is not shown as work under way.
        st.html('<div class="csro-note">Nothing is under way. <b>Step</b> runs the next iteration.</div>')
        return
    progress = services.store().progress(run)
    stages = progress.get("stages") or []
    if not stages or complaint:
        st.html(f'<div class="csro-note">{safe(complaint) or "Starting …"}</div>')
        return
    paused = progress.get("paused")
    title = f"iteration {int(progress.get('iteration', 0))}"
    if paused:
        title += f" · paused after one {safe(str(paused))}, Step goes on"
    rows = "".join(_row(number, stage, progress.get("bar")) for number, stage in enumerate(stages, start=1))
    message = str(progress.get("message") or "")
    st.html(
        f'<p class="csro-panel-title">{title}</p><table class="csro-stages">{rows}</table>'
        f'<div class="csro-note">{safe(message)}</div>'
    )


def _row(number: int, stage: Mapping[str, Any], bar: list[int] | None) -> str:
    name, state = str(stage.get("name", "")), str(stage.get("state", "waiting"))
    title, tip = TITLES.get(name, (name, ""))
    detail = safe(str(stage.get("detail", "")))
    if state == "now" and bar:
        done, total = bar
        share = round(100 * done / total) if total else 0
        detail += f' {done}/{total}<span class="csro-meter"><span style="width:{share}%"></span></span>'
    seconds = float(stage.get("seconds", 0.0) or 0.0)
    mark = {"done": f"✓ {duration(seconds)}", "failed": "✗", "now": "…"}.get(state, "")
    return (
        f'<tr class="{safe(state)}" title="{safe(tip)}"><td class="number">{number}</td><td class="name">{safe(title)}'
        f'</td><td class="detail">{detail}</td><td class="state">{mark}</td></tr>'
    )
