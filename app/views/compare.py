"""The Compare page: variants of the loop over seeds at equal cost, side by side."""

from pathlib import Path

import streamlit as st

from app import address, compare_data, comparisons, experiments, services
from app.compare_data import looks
from app.formats import number, plain, short
from app.panels import (
    compare_bin,
    compare_experiment,
    compare_final,
    compare_pick,
    compare_results,
    compare_watch,
    imported,
    new_experiment,
)
from app.panels.compare_pick import Picked
from app.panels.glossary import page_sentence
from csro_core.errors import CsroError
from csro_core.experiments.document import COSTS, Comparison
from csro_core.experiments.kept import IMPORTED
from csro_core.experiments.plan import Plan
from csro_core.experiments.requests import request_key
from csro_core.games import make_game

_SENTENCE = (
    "Which way of writing programs is better? Variants over seeds, at equal cost, against one common pool, with honest "
    "intervals."
)
_WORDS = ("oracle", "gap", "exploitability", "PopReturn", "PopExpl", "AggScore", "sigma", "meta-solver", "±")
_LATEST = "comparison_of_"
"""With what is compared: key of the comparison of it that was shown last."""


def render() -> None:
    """Draws the page."""
    page_sentence(_SENTENCE, *_WORDS)
    compare_bin.undo()
    picked = compare_pick.pick()
    _draw(picked)
    compare_bin.panel()
    compare_bin.dialog_where_wanted()


def _draw(picked: Picked) -> None:
    key = _key(picked)
    compare_watch.watch(picked, key)
    if picked.nothing:
        _empty()
        return
    if picked.experiment is not None:
        compare_experiment.panel(picked.experiment)
    imported.of_runs(_runs(picked))
    if picked.trouble:
        st.info(plain(short(picked.trouble, 600)), icon=":material/info:")
    document = _document(picked, key)
    if document is not None:
        _shown(picked, document)


def _runs(picked: Picked) -> list[str]:
    """Returns the runs that are compared, or belong to the experiment."""
    own = [one.run for one in picked.experiment.runs] if picked.experiment is not None else []
    return own or [run for _, runs in (picked.request.groups if picked.request is not None else ()) for run in runs]


def _place(picked: Picked) -> str:
    """Returns under what the session remembers the latest comparison of what is shown."""
    request = picked.request
    if request is None:
        return ""
    what = picked.experiment.record.id if picked.experiment else repr((request.groups, request.cost, request.budget))
    return f"{_LATEST}{what}-{request.baseline}-{request.without_human}"


def _key(picked: Picked) -> str:
    """Returns the key of the comparison of now, or of one under way: rows go on while it is computed."""
    if picked.request is None:
        return ""
    now, place = request_key(services.store(), picked.request), _place(picked)
    if st.session_state.pop(compare_pick.WANTED, False):
        _start(picked)
    asked = str(st.session_state.get(place, ""))
    if asked and comparisons.by_key(now).state == "absent" and comparisons.by_key(asked).under_way:
        return asked
    return now


def _document(picked: Picked, key: str) -> Comparison | None:
    """Returns the comparison, or an earlier one while there is none of the rows of now; offers to compute it."""
    if picked.request is None:
        if picked.experiment is not None and not picked.trouble:
            st.caption("The comparison appears here when runs have finished iterations.")
        return None
    state = comparisons.by_key(key)
    if state.document is not None:
        st.session_state[_place(picked)] = key
        return state.document
    earlier = _earlier(picked, str(st.session_state.get(_place(picked), "")))
    if not state.under_way:
        _offer(picked, state, earlier is not None)
    elif earlier is not None:
        st.caption("Below is the comparison of earlier rows; it is replaced when the new one is there.")
    return earlier


def _earlier(picked: Picked, remembered: str) -> Comparison | None:
    """Returns the latest comparison of the same kind that is there."""
    keys = [remembered, picked.experiment.record.comparison if picked.experiment is not None else ""]
    for key in keys:
        document = comparisons.by_key(key).document if key else None
        if document is not None and picked.request is not None and (
            (document.baseline, document.without_human) == (picked.request.baseline, picked.request.without_human)
        ):
            return document
    return None


def _start(picked: Picked, anew: bool = False) -> bool:
    """Asks for the comparison of now; returns whether that was possible, and says so where it was not."""
    try:
        if picked.request is not None:
            st.session_state[_place(picked)] = comparisons.start(picked.request, anew)
    except CsroError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return False
    return True


def _offer(picked: Picked, state: comparisons.ComparisonState, has_earlier: bool) -> None:
    if state.state == "failed":
        st.error(plain(short(state.message or "It failed without a reason.", 600)), icon=":material/error:")
    elif state.state == "cancelled":
        st.caption("The comparison was cancelled.")
    elif has_earlier:
        st.caption("The runs have gone on since this comparison was computed.")
    else:
        runs = sum(len(of) for _, of in picked.request.groups) if picked.request else 0
        st.caption(
            f"Nobody has compared these {runs} runs yet: their policies meet each other and the held-out responders, "
            "which takes from seconds to minutes. It can be cancelled, and what was played is kept."
        )
    again = state.state != "absent" or has_earlier
    word = "Compare again" if again else "Compare"
    if st.button(word, key="compare_now", type="primary", icon=":material/calculate:") and _start(picked):
        st.rerun()


def _equal(picked: Picked, document: Comparison) -> None:
    """Offers a comparison at an amount that all runs have used, where runs were picked that have used unequally."""
    amount = compare_data.common_amount(document) if document.budget is None else None
    if picked.experiment is not None or amount is None:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        words = COSTS[document.cost]
        st.caption(f"These runs have used unequally many {words}; each is shown with all that it has.", width="content")
        if st.button(f"Compare at {number(amount)} {words}", key="compare_equally", icon=":material/balance:"):
            compare_pick.put_budget(amount)
            st.session_state[compare_pick.WANTED] = True
            st.rerun()


def _imported(picked: Picked) -> None:
    """Says that nobody has checked the numbers, and offers to compute them here."""
    st.warning(plain(IMPORTED), icon=":material/warning:")
    if picked.request is not None and st.button(
        "Compute them here", key="compare_here", icon=":material/calculate:",
        help="Plays the matches between the imported programs in the sandbox of this machine.",
    ) and _start(picked, anew=True):  # fmt: skip
        st.rerun()


def _shown(picked: Picked, document: Comparison) -> None:
    if IMPORTED in document.notes:
        _imported(picked)
    planned = [variant.name for variant in picked.experiment.plan.variants] if picked.experiment else []
    drawn = looks(document, planned)
    with st.container(border=True, key="compare_headline"):
        measure = compare_results.measure_of(document)
        compare_results.headline(document, measure, drawn)
        _equal(picked, document)
        people = compare_final.human_edits(document)
        if people:
            st.caption(plain(people))
    with st.container(border=True):
        compare_results.curves(document, measure, drawn)
    with st.container(border=True, key="compare_table"):
        compare_results.table(document, measure, drawn)
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True, height="stretch"):
        compare_final.cross_play(document)
    with right, st.container(border=True, height="stretch"):
        compare_final.joint(document, drawn)
    with st.container(border=True):
        compare_final.settings(document, drawn)
        compare_final.notes(document)


def _demo_button(plan: Plan) -> None:
    seeds, calls = len(plan.seeds), number(plan.budget)
    if not st.button(
        "Run the demo experiment (less than a minute)", key="demo_experiment", icon=":material/play_circle:",
        help=f"{' and '.join(one.name for one in plan.variants)} on {make_game(plan.game).title}, {seeds} seeds each, "
        f"{calls} programs of the synthesiser a run: on this machine, in the background, without a key.",
    ):  # fmt: skip
        return
    try:
        experiment = experiments.create(plan)
        experiments.resume(experiment)
    except CsroError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    experiments.show(experiment)
    st.rerun()


def _empty() -> None:
    st.subheader("Nothing is compared yet")
    st.write(
        "A single run of a noisy method proves nothing. An experiment runs every variant over the same seeds at equal "
        "cost; or pick two or more runs that are there."
    )
    plan = experiments.demo_plan()
    # One that is there is chosen above, and one in the bin is taken back below.
    offered = plan.name not in experiments.table().names()
    if offered:
        st.write("To see what comes of it, run the demo experiment: a small one, really played on this machine.")
    with st.container(horizontal=True, gap="small"):
        new_experiment.button(primary=True)
        if offered:
            _demo_button(plan)
        if (Path(__file__).parent / "runs.py").exists() and st.button(
            "Pick runs on the Runs page", key="to_runs", icon=":material/checklist:"
        ):
            address.go("views/runs.py")
        if address.get("compared") != "runs" and st.button(
            "Pick runs here", key="pick_runs", icon=":material/playlist_add:", disabled=not services.store().runs()
        ):
            address.put(compared="runs")
            st.rerun()


render()
