"""The live panel: what is under way for a run, as the owner of the run tells it."""

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import streamlit as st

from app import services
from app.formats import duration, plain, safe
from csro_core.errors import CsroError
from csro_core.progress import time_left
from csro_core.store.records import RequestRecord, RunRecord

TITLES = {
    "solve": ("solve meta-game", "payoffs of the population → sigma, the mixture to beat"),
    "ask": ("ask the model", "the oracle asks the model for a program"),
    "check": ("check", "the static check of the program, before it may run"),
    "play": ("play", "matches of the program against the opponents of the target"),
    "decide": ("accept?", "fresh matches decide whether the finalist joins the population"),
}
DESK_TITLES = {
    "check": "checking an edit",
    "score": "scoring an edit",
    "add": "adding an edit",
    "benchmark": "measuring a benchmark",
    "exploitability": "computing exploitability",
}
_IN_PARTS = frozenset({"benchmark", "exploitability"})
"""Kinds of requests whose bar counts parts of the work, each of many matches."""

Look: TypeAlias = Callable[[str], tuple[object, ...]]
"""What a page of a run must be redrawn for, as it is now."""

FAST_SECONDS, SLOW_SECONDS = 0.5, 5.0
MANY_MATCHES, CALM_SECONDS = 300, 4.0
"""In a stage of so many matches new cells arrive all the time and the matrix is large: it is drawn anew this often."""
_SLOW_START_SECONDS = 3.0
MOST_LIVE, MOST_LIVE_CHARACTERS, _LIVE_HEIGHT = 8, 4_000, 180
"""Most answers under way that are shown, and the most of each: its end."""


def live(run: str, shown: tuple[object, ...], drawn: bool, look: Look | None = None) -> None:
    """Watches a run: draws its stages, and redraws the page when its rows have changed.

    The only piece of a page that beats: where two do, Streamlit's page can lose the place that one of them draws into
    and go white ("Cannot set a node at a delta path").

    Args:
        run: id of the run.
        shown: `look(run)` of the page as it is drawn.
        drawn: True: draw the stages; False: only what is asked for at the desk, while it is under way.
        look: what the page must be redrawn for; None: `pulse`. It begins with the version of the rows, as `pulse` does.
    """
    began = time.monotonic()

    def beat() -> None:
        try:
            complaint = services.keep_waiting_served(run)
            if drawn:
                _draw(run, complaint)
            elif (desk := services.at_desk(run)) is not None:
                _draw_desk(desk, services.store().progress(run))
            changed = _is_due(run, shown, time.monotonic() - began, look)
        except CsroError as error:
            # A fragment runs outside of the page's own net: say it here, and look again at the next beat.
            st.warning(plain(str(error)), icon=":material/error:")
            return
        if changed:
            st.rerun()

    st.fragment(beat, run_every=FAST_SECONDS if services.is_busy(run) else SLOW_SECONDS)()


def _is_due(run: str, shown: tuple[object, ...], age: float, look: Look | None = None) -> bool:
    """Returns whether a page of so many seconds is drawn anew: at once, but for cells in a stage of many matches."""
    now = (look or pulse)(run)
    if now[1:] != shown[1:]:
        return True
    bar = services.store().progress(run).get("bar")
    crowded = isinstance(bar, list) and len(bar) == 2 and bar[1] > MANY_MATCHES and bar[0] < bar[1]
    return now != shown and (not crowded or age >= CALM_SECONDS)


def pulse(run: str) -> tuple[object, ...]:
    """Returns what a page must be redrawn for: rows, status, the desk, the list of runs, and the colour theme."""
    own = services.store().run(run)
    state = (own.status, own.message, own.target, own.name, own.deleted)
    desk = services.at_desk(run)
    desk_state = (desk.id, desk.state) if desk else None
    active = services.is_active(run)
    version, count = services.store().rows_version(run), services.store().count_runs()
    return version, state, active, desk_state, count, st.context.theme.type


def _draw(run: str, complaint: str) -> None:
    record, desk = services.store().run(run), services.at_desk(run)
    progress = services.store().progress(run)
    if complaint:
        st.html(f'<div class="csro-note">{safe(complaint)}</div>')
    elif record.status in {"running", "paused"} and progress.get("stages"):
        _draw_stages(progress)
        _draw_live(progress)
        if desk is not None:
            _draw_desk(desk, progress)
    elif services.is_active(run):
        st.html(f'<div class="csro-note" role="status">Starting … {safe(_since(services.store().waiting(run)))}</div>')
    elif desk is not None:
        # What an earlier piece of work has left in the stages is not this one's: only a bar that moves is shown.
        _draw_desk(desk, progress)
    else:
        st.html(f'<div class="csro-note">{_idle(record)}</div>')


def _draw_desk(desk: RequestRecord, progress: Mapping[str, Any]) -> None:
    st.html(f'<div class="csro-note" role="status">{_desk_sentence(desk)}{_desk_meter(desk, progress)}</div>')


def _desk_sentence(desk: RequestRecord) -> str:
    """Returns what is being done at the desk and for how long, as HTML."""
    seconds = max(0.0, time.time() - desk.created)
    words = f"{DESK_TITLES[desk.kind].capitalize()}: "
    if desk.state == "waiting":
        words += "its turn comes before the next stage" if services.has_owner(desk.run) else "starting"
    else:
        words += "its matches are played" if desk.kind != "check" else "in a jailed process"
    return f"{safe(words)} … {seconds:.0f} s"


def _desk_meter(desk: RequestRecord, progress: Mapping[str, Any]) -> str:
    """Returns the bar of what is done at the desk, "" while it waits: then the bar is that of a stage."""
    if desk.state != "working":
        return ""
    return meter(progress.get("bar"), "parts" if desk.kind in _IN_PARTS else "matches")


def meter(bar: object, of_what: str = "matches") -> str:
    """Returns a bar of matches played, "" for one that is full or missing: that is an old one."""
    if not isinstance(bar, list) or len(bar) != 2 or not 0 <= bar[0] < bar[1]:
        return ""
    done, total = int(bar[0]), int(bar[1])
    share = round(100 * done / total)
    return f', {done}/{total} {of_what}<span class="csro-meter"><span style="width:{share}%"></span></span>'


def _since(waiting: list[RequestRecord]) -> str:
    seconds = time.time() - waiting[0].created if waiting else 0.0
    return f"{seconds:.0f} s" if seconds > _SLOW_START_SECONDS else ""


def _idle(record: RunRecord) -> str:
    step = f"<b>Step</b> runs iteration {record.iteration + 1}"
    if record.status == "interrupted":
        return f"The process that worked on this run has died. {step} from its start; nothing finished is lost."
    if record.status in {"failed", "needs-key"}:
        return f"{safe(record.message) or 'The last iteration failed.'} {step} once more."
    last = f"The {record.iteration} iterations so far took {duration(record.seconds)}. " if record.seconds > 0 else ""
    return f"Nothing is under way. {last}{step}."


def _draw_stages(progress: Mapping[str, Any]) -> None:
    paused = progress.get("paused")
    title = f"iteration {int(progress.get('iteration', 0))}"
    if paused:
        title += f" · paused after one {safe(str(paused))}, Step goes on"
    stages = progress.get("stages") or []
    rows = "".join(_row(number, stage, progress) for number, stage in enumerate(stages, start=1))
    message = str(progress.get("message") or "")
    st.html(
        f'<p class="csro-panel-title">{title}</p><table class="csro-stages">{rows}</table>'
        f'<div class="csro-note">{safe(message)}</div>'
    )


def live_texts(progress: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Returns (title, text so far) of the answers that are being written, as far as the owner of the run tells."""
    told = progress.get("live")
    found = []
    for each in told[:MOST_LIVE] if isinstance(told, list) else []:
        attempt, text = (each.get("attempt"), each.get("text")) if isinstance(each, dict) else (None, None)
        if isinstance(text, str) and text:
            title = f"attempt {attempt + 1}" if isinstance(attempt, int) and attempt >= 0 else "a call"
            found.append((title, text[-MOST_LIVE_CHARACTERS:]))
    return found


def _draw_live(progress: Mapping[str, Any]) -> None:
    """Draws what the model has written so far; letters only, it may be anything."""
    for title, text in live_texts(progress):
        st.html(f'<p class="csro-panel-title">{safe(title)}<small> · the model writes</small></p>')
        st.code(text, language=None, wrap_lines=True, height=_LIVE_HEIGHT)


def _row(number: int, stage: Mapping[str, Any], progress: Mapping[str, Any]) -> str:
    name, state = str(stage.get("name", "")), str(stage.get("state", "waiting"))
    title, tip = TITLES.get(name, (name, ""))
    detail = safe(str(stage.get("detail", "")))
    bar, left = progress.get("bar"), progress.get("left")
    if state == "now" and bar:
        done, total = bar
        share = round(100 * done / total) if total else 0
        words = "" if left is None else f", {time_left(float(left))}"
        detail += f' {done}/{total}{words}<span class="csro-meter"><span style="width:{share}%"></span></span>'
    seconds = float(stage.get("seconds", 0.0) or 0.0)
    mark = {"done": f"✓ {duration(seconds)}", "failed": "✗", "now": "…"}.get(state, "")
    return (
        f'<tr class="{safe(state)}" title="{safe(tip)}"><td class="number">{number}</td><td class="name">{safe(title)}'
        f'</td><td class="detail">{detail}</td><td class="state">{mark}</td></tr>'
    )
