"""A quiet button with the link of what is shown, to be copied."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import streamlit as st

from app import address


def copy_link(keys: Sequence[str], shown: Mapping[str, str] = MappingProxyType({})) -> None:
    """Draws the button.

    Args:
        keys: of the address, those that say what the page shows.
        shown: what the page shows where the address says nothing of it.
    """
    text = address.link(keys, shown)
    if not text:
        return
    with st.popover("link", type="tertiary", icon=":material/link:", help="The link of what is shown here.",
                    key="copy_link"):  # fmt: skip
        st.code(text, language=None, wrap_lines=True)
        st.caption("It opens where this dashboard runs. For somebody else, *Export* what it shows.")
