"""The call of a model that wrote a policy: the tab *Prompt* of the Policies page."""

import streamlit as st

from app import address, services
from app.panels import call, calls, lineage
from app.snapshot import Snapshot
from csro_core.store.calls import CallLine, find_call
from csro_core.store.records import PolicyText


def line_of(snapshot: Snapshot, policy: PolicyText, player: int) -> CallLine | None:
    """Returns the call that wrote a text: the latest answer of its attempt; None where there is none."""
    own = lineage.attempt_of(snapshot, policy, player)
    if own is None:
        return None
    place = (own.iteration, own.index)
    made = [line for line in calls.lines_of(snapshot.run.id) if (line.iteration, line.attempt) == place]
    answered = [line for line in made if line.status == "answered"]
    return answered[-1] if answered else None


def panel(snapshot: Snapshot, policy: PolicyText, player: int) -> None:
    """Draws the call that wrote a policy."""
    line = line_of(snapshot, policy, player)
    found = None if line is None else find_call(services.store().connections, snapshot.run.id, line.id)
    if line is None or found is None:
        st.caption("No model call wrote this policy: it is a seed, an edit or an import, or its call was not kept.")
        return
    if not found.prompt:
        st.caption(calls.note(line.model) or "No text was sent for this policy.")
        return
    call.facts(line)
    if st.button("Open this call", key="open_call", icon=":material/forum:"):
        address.put(call=line.id)
        address.go("views/calls.py")
    st.html('<p class="csro-panel-title">what was sent</p>')
    call.prompt(found)
    st.html('<p class="csro-panel-title">what came back</p>')
    call.answer(found)
