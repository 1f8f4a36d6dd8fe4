"""The Model calls page: every word that went to a model and came back, what it cost, and what it led to."""

import streamlit as st

from app import address
from app.panels import call, calls, controls, opening
from app.panels.glossary import page_sentence


def render() -> None:
    """Draws the page."""
    snapshot = opening.opened()
    if snapshot is None:
        return
    run = snapshot.run
    page_sentence(
        "Every call of the model in this run: what was sent, what came back, what it cost and what it led to.",
        "model", "oracle", "admitted", "policy",
    )  # fmt: skip
    lines = calls.lines_of(run.id)
    model = snapshot.run.settings.model
    free = calls.note(model)
    if free and all(line.model == model for line in lines):
        st.info(free, icon=":material/info:")
    if not lines:
        st.subheader("There are no model calls yet")
        st.write("Each attempt of an iteration asks the model; its calls are listed here while the run is under way.")
        if st.button("Step", type="primary", icon=":material/skip_next:", key="first_call"):
            controls.ask(run.id, "step", {"until": "iteration"})
        return
    with st.container(border=True):
        calls.totals_panel(snapshot, lines)
    with st.container(border=True):
        found = calls.filtered(run.id, lines)
        calls.table(run.id, found, len(lines))
    wanted = address.number("call")
    chosen = next((line for line in lines if line.id == wanted), None)
    if chosen is None:
        if address.get("call"):
            st.info("This run has no call of that number.", icon=":material/info:")
            address.put(call=None)
        st.caption("Choose a call in the table to read its prompt and its answer.")
        return
    with st.container(border=True):
        calls.neighbours(found, chosen)
        call.panel(run.id, chosen)


render()
