"""Help on every page: the foot of the sidebar, and the dialog that the key "?" opens."""

from collections.abc import Sequence

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from app.components.help_key import help_key
from app.panels import tour
from app.panels.glossary import glossary

_OPEN = "help_wanted"

SHORTCUTS = {
    "S": "one step of the open run",
    "?": "this help",
    "Tab, Shift + Tab": "to the next control, or back",
    "Enter, Space": "press it",
    "← ↑ → ↓": "move along tabs, sliders and lists of choices",
    "Esc": "close a dialog or a list; in the editor, Esc and then Tab leaves it",
    "Ctrl + Enter": "in the editor: take the text over now",
    "Ctrl + F, Ctrl + Z": "in the editor: search, undo",
}
"""Key → what it does. Single letters do nothing while somebody types. On a Mac, Ctrl is ⌘."""


def foot(pages: Sequence[StreamlitPage]) -> None:
    """Draws what stands at the foot of the sidebar, and the dialog where somebody asked for it.

    Args:
        pages: of the navigation.
    """
    with st.sidebar:
        glossary()
        with st.container(horizontal=True, gap="small", key="guide"):
            if st.button(
                "Tour", icon=":material/tour:", type="tertiary", key="tour_button",
                help="Five steps that show what each page is for.",
            ):  # fmt: skip
                tour.start(pages)
            asked = st.button(
                "Help", icon=":material/keyboard:", type="tertiary", key="help_button",
                help="Keys, and what each page is for. Press ? for it.",
            )  # fmt: skip
        if help_key(key="help_key") or asked:
            st.session_state[_OPEN] = True
    # Streamlit draws one dialog at a time; a form that is being filled in has precedence.
    if st.session_state.get(_OPEN) and not _form_wanted():
        _dialog(pages)


def _form_wanted() -> bool:
    return bool(st.session_state.get("new_run_wanted") or st.session_state.get("new_experiment_wanted"))


def _close() -> None:
    st.session_state[_OPEN] = False


@st.dialog("Keys and pages", width="medium", on_dismiss=_close, icon=":material/keyboard:")
def _dialog(pages: Sequence[StreamlitPage]) -> None:
    rows = "".join(f"<tr><td><kbd>{key}</kbd></td><td>{what}</td></tr>" for key, what in SHORTCUTS.items())
    st.html(
        '<table class="csro-keys"><caption>Keys</caption><thead><tr><th scope="col">key</th>'
        f'<th scope="col">what it does</th></tr></thead><tbody>{rows}</tbody></table>'
    )
    st.caption("Letters and ? do nothing while you type. On a Mac, Ctrl is ⌘.")
    st.html('<p class="csro-panel-title">What each page is for</p>')
    st.markdown("\n".join(f"- **{page.title}**: {page.help}" for page in pages))
    if st.button("Take the tour", icon=":material/tour:", key="tour_from_help"):
        _close()
        tour.start(pages)
