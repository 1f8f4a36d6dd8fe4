"""What the pages about one run begin with."""

import streamlit as st

from app.formats import plain, short
from app.panels import controls, imported, stages
from app.snapshot import Snapshot, snapshot_of


def opened() -> Snapshot | None:
    """Returns the run that the page is about, and watches it; None where there is none yet, and the page says so."""
    run = controls.current_run()
    if run is None:
        st.info("There is no run yet. Make one with “New run” on the left.", icon=":material/info:")
        return None
    shown = stages.pulse(run.id)
    snapshot = snapshot_of(run.id)
    stages.live(run.id, shown, drawn=False)
    imported.line(snapshot.run)
    damage(snapshot)
    return snapshot


def damage(snapshot: Snapshot) -> None:
    """Says which rows of the run are damaged and left out; nothing where none is."""
    if snapshot.damage:
        st.warning(plain(short(" ".join(snapshot.damage), 600)), icon=":material/broken_image:")


def offer_first_run() -> None:
    """Draws what a page says where the store has no run at all."""
    st.subheader("There is no run yet")
    st.write("A run is one course of the loop: a game, an oracle that writes programs, and how many iterations.")
    if st.button("Make the first one", type="primary", icon=":material/add:", key="first_run"):
        st.session_state["new_run_wanted"] = True
        st.rerun()
