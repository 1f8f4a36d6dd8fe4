"""The name of an experiment and its way into the bin: the question before, the *Undo* after, and the bin."""

import streamlit as st

from app import address, experiments
from app.experiments import Opened
from app.formats import plain, short
from app.panels.bin_question import answered_yes, may_open
from app.panels.run_list import local_time
from csro_core.errors import CsroError
from csro_core.store.labels import BIN_DAYS

_ASKED = "experiment_asked"
_BINNED = "experiment_binned"
_LONGEST_NAME = 100


def rename(shown: Opened) -> None:
    """Draws the field for another name."""
    record = shown.record
    with st.popover("Rename", icon=":material/edit:"):
        # A name that somebody else has given meanwhile makes the field new.
        name = st.text_input(
            "Name", value=record.name, key=f"experiment_rename-{record.id}-{hash(record.name)}", max_chars=_LONGEST_NAME
        )
        st.caption("Its runs keep their names.")
        if st.button("Save", key="experiment_rename_save", type="primary"):
            try:
                experiments.labels().rename(record.id, name)
            except CsroError as error:
                st.error(plain(str(error)), icon=":material/error:")
            else:
                st.rerun()


def delete_button(shown: Opened, why_not: str | None) -> None:
    """Draws the button that asks whether an experiment is to be deleted.

    Args:
        shown: the experiment.
        why_not: why it cannot be deleted now, None where it can.
    """
    if st.button("Delete", key="delete_experiment", icon=":material/delete:", disabled=why_not is not None,
                 help=why_not):  # fmt: skip
        _ask(shown.record.id, shown.record.name, len(shown.runs))


def _ask(experiment: str, name: str, runs: int, for_good: bool = False) -> None:
    st.session_state[_ASKED] = (experiment, name, runs, for_good)
    st.rerun()


def dialog_where_wanted() -> None:
    """Opens the question where it was asked for."""
    if not may_open(_ASKED):
        return
    experiment, name, runs, for_good = st.session_state[_ASKED]
    title = "Delete the experiment for good?" if for_good else "Delete the experiment?"
    st.dialog(title, on_dismiss=_forget, icon=":material/delete:")(_question)(experiment, name, runs, for_good)


def _forget() -> None:
    st.session_state.pop(_ASKED, None)


def _question(experiment: str, name: str, runs: int, for_good: bool) -> None:
    st.write(f"“{plain(short(name, 60))}”")
    if for_good:
        st.write("Its plan goes, and which run belongs to it. This cannot be undone.")
    else:
        st.write(f"It goes into the bin, from where it can be taken back for {BIN_DAYS} days.")
    if runs:
        st.write(f"Its runs ({runs}) are not deleted: they stay on the Runs page.")
    if not answered_yes("experiment", for_good, _forget):
        return
    try:
        if for_good:
            experiments.labels().erase(experiment)
        else:
            experiments.labels().put_into_bin(experiment)
    except CsroError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    _forget()
    if not for_good:
        st.session_state[_BINNED] = experiment
        address.put(experiment=None, baseline=None, edits=None)
    st.rerun()


def undo() -> None:
    """Draws the way back, right after an experiment was put into the bin."""
    wanted = st.session_state.get(_BINNED)
    gone = next((one for one in experiments.labels().bin() if one.id == wanted), None) if wanted else None
    if gone is None:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="experiment_undo_box"):
        st.markdown(f":material/delete: In the bin: the experiment “{plain(short(gone.name, 60))}”. Its runs are kept.")
        if st.button("Undo", key="experiment_undo", icon=":material/undo:"):
            _take_back(gone.id)


def _take_back(experiment: str) -> None:
    try:
        experiments.labels().take_back(experiment)
    except CsroError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    if st.session_state.get(_BINNED) == experiment:
        st.session_state.pop(_BINNED)
    experiments.show(experiment)
    st.rerun()


def panel() -> None:
    """Draws the bin where there is something in it; what is old in it goes."""
    experiments.labels().purge()
    records = experiments.labels().bin()
    if not records:
        return
    with st.expander(f"Bin: {len(records)} deleted experiment{'s' if len(records) != 1 else ''}", key="experiment_bin"):
        for record in records:
            with st.container(horizontal=True, gap="small", vertical_alignment="center"):
                when = local_time(record.deleted or 0.0)
                st.markdown(f"**{plain(short(record.name, 60))}**, deleted {when:%Y-%m-%d %H:%M}", width="content")
                if st.button("Take back", key=f"experiment_take_back-{record.id}", icon=":material/undo:"):
                    _take_back(record.id)
                if st.button("Delete for good", key=f"experiment_erase-{record.id}", icon=":material/delete_forever:"):
                    _ask(record.id, record.name, len(experiments.table().runs(record.id)), for_good=True)
        st.caption(
            f"Taking one back takes those of its runs back too that are in the bin. After {BIN_DAYS} days it goes for "
            "good, without its runs."
        )
