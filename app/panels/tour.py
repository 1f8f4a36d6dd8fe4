"""The tour: five quiet cards on top of five pages. Offered where the store holds the demo runs alone; never forced."""

from collections.abc import Sequence

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from app import address, services
from app.panels import controls
from app.snapshot import Snapshot, snapshot_of
from app.tour_steps import Facts, Step, facts_of, places, steps
from csro_core.store.records import RunRecord

_KEY = "tour"
_OFF = "off"
"""In the address where somebody did not want the tour: it outlives a reload, which a session does not."""

_OWN_RUNS = "tour_own_runs"
_DEMO = "demo: "
_GUIDED = "repeated_rps"
"""The game of the demo run with the most to see."""


def start(pages: Sequence[StreamlitPage]) -> None:
    """Shows the first step with the demo run open; ends this run of the script."""
    demo = next(
        (run for run in services.store().runs() if _is_demo(run) and run.settings.game.name == _GUIDED), None
    )
    if demo is not None and demo.id != address.get("run"):
        address.open_run(demo.id)
    # The steps are about the run as it is now, and about the run, not a matrix of one's own.
    address.put(iteration=None, source=None)
    _show(1, steps(_paths(pages)))


def card(pages: Sequence[StreamlitPage], page: StreamlitPage) -> None:
    """Draws the step that the address names, or the offer of the tour, or nothing.

    Args:
        pages: of the navigation.
        page: the one that is shown.
    """
    course = steps(_paths(pages))
    number = address.number(_KEY)
    if number is None or not 1 <= number <= len(course):
        if address.get(_KEY) != _OFF and _only_demos():
            _offer(pages)
        return
    step = course[number - 1]
    with st.container(border=True, key="tour"):
        st.html(
            f'<p class="csro-panel-title" role="status">{step.title} '
            f"<small>tour, step {number} of {len(course)}</small></p>"
        )
        if step.page != page.url_path:
            _elsewhere(number, course)
            return
        facts = _facts()
        st.markdown(step.about(facts) if facts else step.general)
        _buttons(number, course)


def _paths(pages: Sequence[StreamlitPage]) -> frozenset[str]:
    return frozenset(page.url_path for page in pages)


def _is_demo(run: RunRecord) -> bool:
    return run.name.startswith(_DEMO)


def _only_demos() -> bool:
    """True while nobody has made or imported a run."""
    if not st.session_state.get(_OWN_RUNS):
        runs = services.store().runs()
        st.session_state[_OWN_RUNS] = not runs or not all(_is_demo(run) for run in runs)
    return not st.session_state[_OWN_RUNS]


def _facts() -> Facts | None:
    snapshot = _snapshot()
    return facts_of(snapshot) if snapshot is not None else None


def _snapshot() -> Snapshot | None:
    run = controls.current_run()
    return snapshot_of(run.id) if run is not None else None


def _show(number: int, course: Sequence[Step]) -> None:
    """Shows the page of a step; ends this run of the script."""
    step = course[number - 1]
    address.put(**{_KEY: number}, **places(step, _facts()))
    address.go(step.file)


def _end() -> None:
    address.put(**{_KEY: _OFF if _only_demos() else None})


def _offer(pages: Sequence[StreamlitPage]) -> None:
    with st.container(border=True, key="tour", horizontal=True, gap="small", vertical_alignment="center"):
        st.markdown("New here? Five steps on a finished demo run show what each page is for.", width="content")
        if st.button("Take the tour", icon=":material/tour:", key="tour_start"):
            start(pages)
        st.button("No, thanks", type="tertiary", key="tour_no", on_click=_end)


def _elsewhere(number: int, course: Sequence[Step]) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.markdown("This step is about another page.", width="content")
        if st.button("Go there", key="tour_there"):
            _show(number, course)
        st.button("End the tour", type="tertiary", key="tour_end", on_click=_end)


def _buttons(number: int, course: Sequence[Step]) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if st.button("Back", key="tour_back", icon=":material/arrow_back:", disabled=number == 1):
            _show(number - 1, course)
        if number < len(course):
            if st.button("Next", key="tour_next", icon=":material/arrow_forward:"):
                _show(number + 1, course)
        elif st.button("New run", key="tour_new_run", icon=":material/add:", help="Ends the tour with a run of yours."):
            _end()
            st.session_state["new_run_wanted"] = True
            st.rerun()
        st.button("End the tour", type="tertiary", key="tour_end", on_click=_end)
