"""The Runs page: all runs of the store; find, label, resume, repeat, compare, archive and delete them."""

import streamlit as st

from app import services
from app.formats import plain, short
from app.panels import controls, opening, run_list, run_list_bin, run_list_picked, stages
from app.panels.glossary import page_sentence
from csro_core.store.damage import unlisted
from csro_core.store.results import last_results


def render() -> None:
    """Draws the page."""
    page_sentence(
        "All runs of this store: select one to label, resume or repeat it, several to compare them.",
        "oracle", "model", "meta-solver", "gain", "exploitability",
    )  # fmt: skip
    run = controls.current_run()
    for sentence in unlisted(services.store().connections, services.store().clock()):
        st.warning(plain(short(sentence, 600)), icon=":material/broken_image:")
    run_list_bin.complaints()
    run_list_bin.undo()
    if run is None:
        opening.offer_first_run()
    else:
        shown = _pulse(run.id)
        _list()
        stages.live(run.id, shown, drawn=False, look=_pulse)
    with st.container(border=True):
        run_list_bin.panel()
    run_list_bin.dialog_where_wanted()


def _pulse(run: str) -> tuple[object, ...]:
    """Returns what the page must be drawn anew for: that of the open run, and how every run stands."""
    runs = services.store().runs()
    rows = tuple((one.id, one.status, one.iteration, one.name, one.tags, one.archived) for one in runs)
    return *stages.pulse(run), rows


def _list() -> None:
    runs = services.store().runs()
    with st.container(border=True):
        found = run_list.filtered(runs)
        if not found:
            st.write(f"None of {len(runs)} runs is like that.")
            st.button("Show all", key="runs_show_all", icon=":material/filter_alt_off:", on_click=_show_all)
            return
        run_list.table(found, last_results(services.store().connections))
        of_all = f"{len(found):,} of {len(runs):,} runs"
        st.caption(f"{of_all}; a click at the left of a row selects it, one on a title sorts")
    picked = run_list.picked(found)
    if not picked:
        return
    with st.container(border=True):
        if len(picked) == 1:
            run_list_picked.one(picked[0], sorted({tag for run in runs for tag in run.tags}))
        else:
            run_list_picked.several(picked)


def _show_all() -> None:
    run_list.clear_filters()
    if all(run.archived for run in services.store().runs()):
        run_list.show_archived()


render()
