"""The dialog that reads an exported run or experiment into the store."""

import streamlit as st

from app import address, share
from app.formats import plain
from csro_core.errors import CsroError
from csro_core.experiments.archive import Shared

_OPEN = "import_wanted"
_FILE = "import_file"


def want() -> None:
    """Opens the dialog at the next run of the script."""
    st.session_state[_OPEN] = True


def dialog_where_wanted() -> None:
    """Opens the dialog where somebody asked for it."""
    if st.session_state.get(_OPEN):
        _dialog()


def _close() -> None:
    st.session_state[_OPEN] = False


@st.dialog("Import", on_dismiss=_close, icon=":material/upload:")
def _dialog() -> None:
    form()


def form() -> None:
    """Draws the form; reads the file and shows what was in it."""
    st.caption("A zip file that *Export* made, of a run or of an experiment. Nothing in it is run; it is only read.")
    # Its limit is that of the server (`server.maxUploadSize`), which would refuse whatever else the field allowed.
    upload = st.file_uploader("Zip file", type=["zip"], key=_FILE)
    st.caption("A larger file is read by `python -m csro_core import FILE.zip`.")
    if not st.button("Import", type="primary", key="import_do", disabled=upload is None) or upload is None:
        return
    try:
        with st.spinner("Checking every part of it …"):
            shared = share.take(upload.getvalue())
    except CsroError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    _close()
    _show(shared)


def _show(shared: Shared) -> None:
    address.open_run(shared.runs[0])
    if shared.kind == "experiment":
        address.put(experiment=shared.id, runs=None, compared=None)
        address.go("views/compare.py")
    st.rerun()
