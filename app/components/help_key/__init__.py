"""The key "?", wherever nobody is typing: Streamlit's own shortcuts know letters and digits only."""

import streamlit as st

from app.components import register_assets


def help_key(*, key: str) -> bool:
    """Returns True in the run of the script that pressing "?" has caused.

    Args:
        key: key of this element.
    """
    register_assets()
    mount = st.components.v2.component("csro.help_key", html="<span hidden></span>", js="help_key.js")
    return bool(mount(key=key, data={}, on_pressed_change=_nothing, height=1).pressed)


def _nothing() -> None:
    """Streamlit wants a callback for each trigger it shall return."""
