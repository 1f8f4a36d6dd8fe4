"""Deleting runs: the question before, the *Undo* after, and the bin."""

from collections.abc import Callable, Sequence

import streamlit as st

from app import address, experiments, services
from app.formats import plain, short
from app.panels.bin_question import answered_yes, may_open
from app.panels.run_list import BINNED, local_time
from csro_core.errors import CsroError
from csro_core.store.labels import BIN_DAYS, RunLabels
from csro_core.store.records import RunRecord

_ASKED = "runs_asked"
_SAID = "runs_said"
_MOST_NAMED = 5


def labels() -> RunLabels:
    """Returns what changes names, tags, notes, the archive and the bin."""
    return RunLabels(services.store().connections, services.store().clock)


def each(runs: Sequence[str], action: Callable[[str], object]) -> list[str]:
    """Does something to every run; what is refused is said once the page is drawn anew.

    Args:
        runs: ids.
        action: what is done to one.

    Returns:
        The ids of those it was done to.
    """
    done, said = [], []
    for run in runs:
        try:
            action(run)
        except CsroError as error:
            said.append(str(error))
        else:
            done.append(run)
    st.session_state[_SAID] = said
    return done


def complaints() -> None:
    """Draws what was refused in the last run of the script."""
    for message in st.session_state.pop(_SAID, []):
        st.error(plain(message), icon=":material/error:")


def ask_to_delete(runs: Sequence[RunRecord], for_good: bool = False) -> None:
    """Asks before runs are put into the bin, or before they are deleted for good."""
    st.session_state[_ASKED] = ([run.id for run in runs], [run.name for run in runs], for_good)
    st.rerun()


def dialog_where_wanted() -> None:
    """Opens the question where it was asked for."""
    if not may_open(_ASKED):
        return
    ids, names, for_good = st.session_state[_ASKED]
    title = "Delete for good?" if for_good else "Delete?"
    st.dialog(title, on_dismiss=_forget, icon=":material/delete:")(_question)(ids, names, for_good)


def _forget() -> None:
    st.session_state.pop(_ASKED, None)


def _question(ids: list[str], names: list[str], for_good: bool) -> None:
    st.write(_named(names))
    if for_good:
        st.write("All rows go, and every program that no other run has. This cannot be undone.")
    else:
        st.write(f"It goes into the bin, from where it can be taken back for {BIN_DAYS} days.")
    if not answered_yes("runs", for_good, _forget):
        return
    _forget()
    if for_good:
        each(ids, labels().erase)
    else:
        _put_away(ids)
    st.rerun()


def _put_away(ids: list[str]) -> None:
    gone = each(ids, labels().put_into_bin)
    st.session_state[BINNED] = gone
    address.put(picked=None)
    if address.get("run") in gone:
        address.open_run("", chosen=False)
        address.put(run=None)


def undo() -> None:
    """Draws the way back, right after runs were put into the bin."""
    wanted = st.session_state.get(BINNED, [])
    gone = [run for run in services.store().bin() if run.id in wanted] if wanted else []
    if not gone:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="runs_undo_box"):
        st.markdown(f":material/delete: In the bin: {_named([run.name for run in gone])}")
        if st.button("Undo", key="runs_undo", icon=":material/undo:"):
            each([run.id for run in gone], labels().take_back)
            address.put(picked=".".join(run.id for run in gone))
            st.session_state.pop(BINNED, None)
            st.rerun()


def _named(names: Sequence[str]) -> str:
    shown = ", ".join(f"“{plain(short(name, 60))}”" for name in names[:_MOST_NAMED])
    return shown + (f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else "")


def panel() -> None:
    """Draws the bin, open where the address says so; what is old in it goes when it is opened."""
    st.session_state["runs_bin"] = bool(address.get("bin"))
    opened = st.toggle(
        f"Show the bin ({len(services.store().bin())})", key="runs_bin",
        on_change=lambda: address.put(bin="1" if st.session_state["runs_bin"] else None),
    )  # fmt: skip
    if not opened:
        return
    experiments.labels().purge()  # first: it keeps its runs from going
    labels().purge()
    runs = services.store().bin()
    if not runs:
        st.caption("The bin is empty.")
        return
    key = f"runs_bin_table-{hash(tuple(run.id for run in runs))}"
    event = st.dataframe(
        {
            "name": [run.name for run in runs],
            "deleted": [local_time(run.deleted or 0.0) for run in runs],
            "game": [run.settings.game.name for run in runs],
            "oracle": [run.settings.oracle for run in runs],
            "iterations": [run.iteration for run in runs],
        },
        key=key, on_select="rerun", selection_mode="multi-row", hide_index=True, row_height=35,
        height=min(280, 38 + 35 * len(runs)), alt="Runs in the bin.",
        column_config={"deleted": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm")},
    )  # fmt: skip
    chosen = [runs[place] for place in event["selection"]["rows"] if place < len(runs)]
    with st.container(horizontal=True, gap="small"):
        if st.button("Take back", key="runs_take_back", icon=":material/undo:", disabled=not chosen):
            each([run.id for run in chosen], labels().take_back)
            st.rerun()
        if st.button("Delete for good", key="runs_erase", icon=":material/delete_forever:", disabled=not chosen):
            ask_to_delete(chosen, for_good=True)
    st.caption(f"Select runs at the left. What is in the bin for more than {BIN_DAYS} days goes for good.")
