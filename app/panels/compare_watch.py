"""The piece of the Compare page that beats: how far an experiment and a comparison are. There is no other one on it."""

import streamlit as st

from app import comparisons, experiments, services
from app.formats import plain, safe, short
from app.panels.compare_pick import Picked
from csro_core.errors import CsroError
from csro_core.experiments.forecast import outlook

STATUS = {
    "new": ("gray", "not started"),
    "running": ("blue", "running"),
    "paused": ("orange", "paused"),
    "interrupted": ("orange", "interrupted"),
    "done": ("green", "done"),
    "failed": ("red", "failed"),
}
"""Status of an experiment → colour and word."""

_FAST_SECONDS, _CALM_SECONDS, _SLOW_SECONDS = 0.5, 2.0, 5.0


def watch(picked: Picked, key: str) -> None:
    """Shows how far things are, and draws the page anew when something has come of them.

    Args:
        picked: what the page shows.
        key: of its comparison, "" where there is none.
    """
    shown = _pulse(picked, key)

    def beat() -> None:
        try:
            if picked.experiment is not None:
                _draw_experiment(picked.experiment.record.id)
            if key:
                _draw_comparison(key)
            changed = _pulse(picked, key) != shown
        except CsroError as error:
            # A fragment runs outside of the page's own net: say it here, and look again at the next beat.
            st.warning(plain(str(error)), icon=":material/error:")
            return
        if changed:
            st.rerun()

    st.fragment(beat, run_every=_pace(picked, key))()


def _pace(picked: Picked, key: str) -> float:
    if key and comparisons.by_key(key).under_way:
        return _FAST_SECONDS
    return _CALM_SECONDS if picked.experiment is not None and picked.experiment.busy else _SLOW_SECONDS


def _pulse(picked: Picked, key: str) -> tuple[object, ...]:
    """Returns what the page must be redrawn for."""
    comparison = comparisons.by_key(key).state if key else ""
    every = {one.id: one for one in experiments.table().all()}
    count = len(every)
    # Somebody may have deleted it in another window: the page is drawn anew, and says so.
    if picked.experiment is None or picked.experiment.record.id not in every:
        return comparison, count, st.context.theme.type
    now = experiments.opened(every[picked.experiment.record.id])
    record = now.record
    rest = (record.name, record.wanted, record.message, record.comparison)
    told = (*rest, now.status, now.starting, len(now.plan.seeds))
    return comparison, count, told, tuple((run.run, run.state) for run in now.runs), st.context.theme.type


def _draw_experiment(experiment: str) -> None:
    record = next((one for one in experiments.table().all() if one.id == experiment), None)
    if record is None:
        return
    now = experiments.opened(record)
    colour, word = ("blue", "starting") if now.starting and not now.record.worked_on else STATUS[now.status]
    total = len(now.plan.variants) * len(now.plan.seeds)
    done = sum(run.state == "done" for run in now.runs)
    share = round(100 * done / total) if total else 0
    running = " running" if now.busy else ""
    sentence = f"all {total} runs are done"
    if done < total:
        sentence = outlook(services.store(), now.plan, now.runs, experiments.at_a_time(now.plan))
    meter = f'<span class="csro-meter"><span style="width:{share}%"></span></span>' if done < total else ""
    st.html(
        f'<div class="csro-head"><span class="title">{safe(short(now.record.name, 80))}</span>'
        f'<span class="csro-chip {colour}{running}" role="status">{word}</span>'
        f'<span class="fact">{safe(sentence)}</span></div>{meter}'
    )
    if now.record.message and not now.record.worked_on:
        st.warning(plain(short(now.record.message, 600)), icon=":material/error:")
    elif now.status == "interrupted" and not now.starting:
        st.caption(
            "The process that worked on it has gone; Resume goes on, and nothing finished is lost. The reason may be "
            f"at the end of {plain(str(services.log_path()))}."
        )


def _draw_comparison(key: str) -> None:
    state = comparisons.by_key(key)
    if not state.under_way:
        return
    share = min(1.0, state.done / state.total) if state.total > 0 else 0.0
    words = "Starting …" if state.state == "waiting" else f"Comparing … {100 * share:.0f}\u00a0%"
    bar, button = st.columns([0.86, 0.14], vertical_alignment="center")
    bar.progress(share, text=words)
    if button.button("Cancel", key="cancel_comparison", icon=":material/close:"):
        comparisons.cancel(key)
        st.rerun()
