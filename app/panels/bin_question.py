"""What the questions before something is deleted have in common: when one may open, and its two answers."""

from collections.abc import Callable

import streamlit as st

_OTHER_DIALOGS = ("new_run_wanted", "new_experiment_wanted", "import_wanted")


def may_open(asked: str) -> bool:
    """Returns whether a question was asked and no other dialog is wanted: Streamlit shows one at a time.

    Args:
        asked: place in the session state of what was asked.
    """
    return asked in st.session_state and not any(st.session_state.get(other) for other in _OTHER_DIALOGS)


def answered_yes(key: str, for_good: bool, forget: Callable[[], None]) -> bool:
    """Draws both answers; the one that says no ends this run of the script.

    Args:
        key: begins the keys of the buttons.
        for_good: True where there is no way back.
        forget: called on a no.

    Returns:
        True where the answer was yes.
    """
    with st.container(horizontal=True, gap="small"):
        sure = st.button("Delete for good" if for_good else "Delete", type="primary", key=f"{key}_sure")
        if st.button("Cancel", key=f"{key}_cancel"):
            forget()
            st.rerun()
    return sure
