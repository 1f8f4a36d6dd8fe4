"""The Benchmark page: policies of the run against a fixed population, among published results."""

import streamlit as st

from app import address, services
from app.formats import plain, short
from app.panels import assessment, benchmark, benchmark_course, benchmark_detail, controls, opening
from app.panels.benchmark_rows import benchmark_of, measured
from app.panels.glossary import page_sentence
from app.snapshot import Snapshot
from csro_core.errors import UsageError
from csro_core.evaluation.benchmark import BENCHMARKS, Benchmark
from csro_core.games import make_game

_SENTENCE = (
    "How programs of this run do against a fixed population that none of them meets in training, among published "
    "results."
)
_WORDS = ("PopReturn", "PopExpl", "AggScore", "nemesis", "champion", "sigma", "±")


def render() -> None:
    """Draws the page."""
    snapshot = opening.opened()
    if snapshot is None:
        return
    page_sentence(_SENTENCE, *_WORDS)
    own = benchmark_of(snapshot)
    if own is None:
        _without(snapshot)
        return
    known = assessment.asked(snapshot.run.id, "benchmark")
    rows = measured(snapshot, own.name, known.answered)
    with st.container(border=True):
        if snapshot.members:
            benchmark.measure(snapshot, own, known, benchmark.missing(own))
        else:
            st.write("This run has no policies yet: its initial population is written and played with the first step.")
            if st.button("Step", type="primary", icon=":material/skip_next:", key="first_step"):
                controls.ask(snapshot.run.id, "step", {"until": "iteration"})
    with st.container(border=True):
        benchmark.table(snapshot, own, rows)
    with st.container(border=True):
        benchmark_course.panel(snapshot, own)
    if rows:
        with st.container(border=True):
            benchmark_detail.panel(snapshot, own, rows)
    elif snapshot.members:
        st.caption("Measure something to see how it does against each opponent.")


def _without(snapshot: Snapshot) -> None:
    """Says which games have a benchmark, and opens one."""
    st.subheader("This game has no benchmark")
    st.write(
        f"The run plays {plain(snapshot.game.title)}. A benchmark is a population of strong and odd opponents that "
        "nobody trains against, so that scores can be compared with those of others. There is one for:"
    )
    games = {one.game.key: one for one in BENCHMARKS.values()}
    st.markdown("\n".join(f"- {plain(_title(one))}: {plain(one.title)}" for one in games.values()))
    fitting = next((run for run in services.store().runs() if run.settings.game.key in games), None)
    with st.container(horizontal=True, gap="small"):
        if fitting is not None and st.button(
            f"Open the run {plain(short(fitting.name, 40))}", type="primary", key="open_fitting",
            icon=":material/open_in_new:",
        ):  # fmt: skip
            address.open_run(fitting.id)
            st.rerun()
        if st.button("New run", key="new_for_benchmark", icon=":material/add:"):
            st.session_state["new_run_wanted"] = True
            st.rerun()


def _title(benchmark: Benchmark) -> str:
    try:
        return make_game(benchmark.game).title
    except UsageError:  # this system lacks OpenSpiel
        return benchmark.game.name


render()
