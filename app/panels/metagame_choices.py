"""Choices of the Meta-game page that the address bar names, so that a link shows the same."""

from collections.abc import Mapping

import streamlit as st

from app import address


def choice(label: str, options: Mapping[str, str], key: str, default: str) -> str:
    """Draws a row of choices, one of which the address names under `key`; returns the chosen one.

    Args:
        label: for screen readers.
        options: what stands in the address → what stands on the page.
        key: of the widget and in the address.
        default: what is shown where the address names none; it is left out of the address.
    """
    named = address.get(key)
    st.session_state[key] = named if named in options else default
    chosen = st.segmented_control(
        label, list(options), key=key, required=True, label_visibility="collapsed", width="content",
        format_func=lambda one: options.get(one, one), on_change=_follow, args=(key, default),
    )  # fmt: skip
    return str(chosen)


def _follow(key: str, default: str) -> None:
    chosen = st.session_state[key]
    address.put(**{key: None if chosen == default else chosen})
