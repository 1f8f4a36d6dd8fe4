"""The Run page: what game, how far, who is winning, why."""

import streamlit as st

from app.panels import attempts, controls, curves, header, opening, payoff, roster, stages
from app.panels.glossary import page_sentence
from app.panels.link import copy_link
from app.snapshot import Snapshot, snapshot_of


def render() -> None:
    """Draws the page."""
    run = controls.current_run()
    if run is None:
        opening.offer_first_run()
        return
    shown = stages.pulse(run.id)
    snapshot = snapshot_of(run.id)
    header.header(snapshot)
    opening.damage(snapshot)
    page_sentence(
        "Each iteration solves the meta-game of all policies so far for a mixture, sigma, and looks for a program that "
        "beats it.",
        "meta-game", "sigma", "oracle", "target", "gain", "gap", "lift", "exploitability", "admitted", "NashConv",
        "champion", "±", link=lambda: copy_link(("run", "iteration")),
    )  # fmt: skip
    left, right = st.columns([0.69, 0.31], gap="medium")
    with left, st.container(border=True, height="stretch"):
        iteration = payoff.iteration_slider(snapshot)
        payoff.payoff_panel(snapshot, iteration)
    with right, st.container(height="stretch", gap="small"):
        with st.container(border=True):
            stages.live(run.id, shown, drawn=True)
        with st.container(border=True, height="stretch"):
            _state(snapshot, iteration)
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True, height="stretch"):
        curves.exploitability_panel(snapshot)
    with right, st.container(border=True, height="stretch"):
        curves.sigma_panel(snapshot)
    with st.container(border=True):
        attempts.attempts_panel(snapshot, iteration)
    curves.downloads(snapshot)


def _state(snapshot: Snapshot, iteration: int) -> None:
    solution = snapshot.solution_at(iteration)
    last = " (now)" if iteration == snapshot.run.iteration else ""
    st.html(f'<p class="csro-panel-title">after iteration {iteration}{last}</p>')
    if solution is None:
        st.caption("Nothing is solved yet.")
        return
    payoff.decision(snapshot, iteration)
    payoff.champion(snapshot, solution)
    payoff.solver_note(snapshot, solution)
    roster.support(snapshot, solution)


render()
