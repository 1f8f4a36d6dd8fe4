"""The Meta-game page: the payoffs between policies and what they mean, of the open run or of a matrix of one's own."""

import streamlit as st

from app import metagame_data, services
from app.formats import plain, safe, short
from app.panels import controls, imported, metagame_board, metagame_own, metagame_pictures, payoff, stages
from app.panels.glossary import page_sentence
from app.panels.metagame_choices import choice
from app.snapshot import snapshot_of

_SOURCES = {"run": "the open run", "own": "a matrix of your own"}
_WORDS = ("meta-game", "payoff", "sigma", "meta-solver", "NashConv", "population", "±")


def render() -> None:
    """Draws the page."""
    page_sentence(
        "The game whose actions are policies: who beats whom, how one should mix, and whether there is a best one.",
        *_WORDS,
    )
    source = choice("Source", _SOURCES, "source", "run")
    shown = metagame_own.opened() if source == "own" else _of_run()
    if shown is None:
        return
    metagame_board.board(shown, metagame_pictures.dominated(shown))
    metagame_pictures.panel(shown)


def _of_run() -> metagame_data.Shown | None:
    """Returns the meta-game of the open run at the iteration chosen; None where there is none, and the page says so."""
    run = controls.current_run()
    if run is None:
        _empty()
        return None
    pulse = stages.pulse(run.id)
    snapshot = snapshot_of(run.id)
    stages.live(run.id, pulse, drawn=False)
    title = f'<span class="title">{safe(short(snapshot.run.name, 80))}</span>'
    st.html(f'<div class="csro-head">{title}{imported.chip(run)}</div>')
    iteration = payoff.iteration_slider(snapshot)
    solution = snapshot.solution_at(iteration)
    if solution is None:
        st.write(f"{plain(short(run.name, 80))} has no payoffs yet: they come with its first step.")
        if not services.is_active(run.id) and st.button(
            "Step", key="first_step", type="primary", icon=":material/skip_next:"
        ):
            controls.ask(run.id, "step", {"until": "iteration"})
        return None
    try:
        shown = metagame_data.of_run(snapshot, solution, services.store().rows_version(run.id))
    except ValueError as error:
        st.error(plain(f"This meta-game cannot be shown: {error}"), icon=":material/error:")
        return None
    if shown is None:
        st.caption("Some payoffs of this population are being played: the meta-game appears when all are known.")
    return shown


def _empty() -> None:
    st.subheader("There is no run yet")
    st.write("Make a run, and its meta-game is shown here; or look at a matrix of your own, without any run.")
    with st.container(horizontal=True, gap="small"):
        if st.button("New run", type="primary", icon=":material/add:", key="first_run"):
            st.session_state["new_run_wanted"] = True
            st.rerun()
        st.button(
            "Use a matrix of your own", icon=":material/upload:", key="first_matrix",
            on_click=metagame_own.choose_own,
        )  # fmt: skip


render()
