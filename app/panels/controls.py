"""The sidebar: which run is shown, and what it shall do."""

from dataclasses import asdict

import streamlit as st

from app import address, services
from app.formats import plain, short
from app.panels import budget, import_archive, imported, model_choice, stages
from csro_core.errors import UsageError
from csro_core.store.records import Caps, RequestKind, RunRecord

STATUS = {
    "new": ("gray", "new"),
    "running": ("blue", "running"),
    "paused": ("orange", "paused"),
    "done": ("green", "done"),
    "stopped": ("gray", "stopped"),
    "interrupted": ("orange", "interrupted"),
    "failed": ("red", "failed"),
    "needs-key": ("red", "needs a key"),
}
"""Status → colour and word."""

_STEPS = {
    "one stage": "stage",
    "one attempt": "attempt",
    "one iteration": "iteration",
}
_MOST_ITERATIONS = 1000


def current_run() -> RunRecord | None:
    """Returns the run that the address names, else the newest that is not archived; None where there is none."""
    runs = services.store().runs()
    wanted = address.get("run")
    newest = next((run for run in runs if not run.archived), runs[0] if runs else None)
    found = next((run for run in runs if run.id == wanted), newest)
    if found is not None and found.id != wanted:
        if wanted:
            st.session_state["missing_run"] = wanted
        address.open_run(found.id, chosen=False)
    return found


def sidebar() -> None:
    """Draws the sidebar."""
    with st.sidebar:
        st.button(
            "New run",
            icon=":material/add:",
            width="stretch",
            key="new_run_button",
            on_click=_want_new_run,
            help="Choose a game, an oracle and a budget.",
        )
        st.button(
            "Import", icon=":material/upload:", width="stretch", key="import_button", type="tertiary",
            on_click=import_archive.want, help="Read a run or an experiment that somebody has exported.",
        )  # fmt: skip
        run = current_run()
        if run is None:
            st.caption("There is no run yet.")
            return
        missing = st.session_state.pop("missing_run", "")
        if missing:
            st.warning(f"There is no run “{plain(short(missing, 40))}” in this store; the newest one is shown.")
        _picker(run)
        _buttons(run)


def _want_new_run() -> None:
    st.session_state["new_run_wanted"] = True
    st.session_state.pop("new_run_like", None)


def _picker(run: RunRecord) -> None:
    runs = {record.id: record for record in services.store().runs() if not record.archived} | {run.id: run}
    st.session_state["run_picker"] = run.id
    st.selectbox(
        "Run",
        list(runs),
        key="run_picker",
        format_func=lambda name: _title(runs[name]) if name in runs else name,
        on_change=lambda: address.open_run(st.session_state["run_picker"]),
        help="Type to search by name, game, oracle or status. The Runs page has all of them, also archived ones.",
    )


def _title(run: RunRecord) -> str:
    words = f"{run.settings.game.name} · {run.settings.oracle}{imported.words(run)}"
    return f"{short(run.name, 26)} · {STATUS[run.status][1]} · {words}"


def _buttons(run: RunRecord) -> None:
    active = services.is_active(run.id)
    busy = active and run.status != "paused"
    caps = _spending(run)
    _step_buttons(run, busy, caps)
    _run_button(run, busy, caps)
    desk = services.at_desk(run.id)
    if st.button(
        "Stop",
        icon=":material/stop:",
        key="stop",
        width="stretch",
        disabled=not active and desk is None,
        help="Ends the work under way within two seconds; what is finished stays.",
    ):
        ask(run.id, "stop", {})
    if desk is not None:
        st.html(f'<span class="csro-chip blue running" role="status">{stages.DESK_TITLES[desk.kind]} …</span>')
    if run.status == "stopped" and "budget of" in run.message:
        st.warning(plain(run.message), icon=":material/savings:")
    if run.status in {"failed", "needs-key", "interrupted"}:
        reason = run.message or "The process that worked on it has died."
        st.warning(f"{plain(reason)} Step or Run goes on from the last finished iteration.", icon=":material/error:")


def _spending(run: RunRecord) -> dict[str, object]:
    """Draws the key and the budget of a run whose model may cost something.

    Returns:
        What a request for work says of the budget: {} where it stays as it is.
    """
    caps = run.settings.caps
    if run.settings.model.partition(":")[0] not in {"gemini", "openai"} and caps == Caps():
        return {}
    try:
        model_choice.key_field(run.settings.model, run.id)
    except UsageError as error:
        st.error(plain(str(error)), icon=":material/error:")
    with st.expander("Budget"):
        wanted = budget.fields(run.id, caps)
    return {} if wanted == caps else {"caps": asdict(wanted)}


def _step_buttons(run: RunRecord, busy: bool, caps: dict[str, object]) -> None:
    if st.button(
        "Step",
        type="primary",
        icon=":material/skip_next:",
        key="step",
        disabled=busy,
        shortcut="S",
        width="stretch",
        help="One iteration of the loop, or what is left of the one under way.",
    ):
        ask(run.id, "step", {"until": "iteration", **caps})
    choice = st.menu_button(
        "Smaller steps",
        list(_STEPS),
        key="step_menu",
        disabled=busy,
        width="stretch",
        help="One stage is one of: solve, ask, check, play, decide. One attempt is one program asked for and played.",
    )
    if choice:
        ask(run.id, "step", {"until": _STEPS[choice], **caps})


def _run_button(run: RunRecord, busy: bool, caps: dict[str, object]) -> None:
    suggestion = min(_MOST_ITERATIONS, max(run.target, run.iteration + 1))
    number, go = st.columns([0.58, 0.42], gap="small", vertical_alignment="bottom")
    target = number.number_input(
        "Run to iteration",
        min_value=1,
        max_value=_MOST_ITERATIONS,
        value=suggestion,
        key=f"target-{run.id}-{suggestion}",
    )
    if go.button(
        "Run",
        icon=":material/play_arrow:",
        key="run_to",
        width="stretch",
        disabled=busy or target <= run.iteration,
        help="Runs until so many iterations are finished.",
    ):
        ask(run.id, "run", {"iterations": int(target), **caps})


def ask(run: str, kind: RequestKind, payload: dict[str, object]) -> None:
    """Asks for work on a run and shows what comes of it."""
    services.ask(run, kind, payload)
    # Follow what happens now: an earlier iteration that was looked at would hide it.
    address.put(iteration=None)
    st.rerun()
