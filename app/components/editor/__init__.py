"""The code editor: CodeMirror 6 with Python colours, line numbers, search, undo, and problems underlined."""

from collections.abc import Callable, Sequence

import streamlit as st

from app.components import register_assets
from csro_core.policies.source import Problem

_CSS = ".editor { min-height: 6rem; }"


def code_editor(
    text: str, *, key: str, revision: int, problems: Sequence[Problem] = (), on_change: Callable[[], None] | None = None
) -> str:
    """Shows the editor and returns its present text.

    The browser owns the text: it is sent 0.8 s after the last key, on leaving the editor, and on Ctrl+Enter.

    Args:
        text: the text to start from.
        key: the element's key; `st.session_state[key]["value"]` is the text, for `on_change`.
        revision: a number that changes when `text` shall replace what the browser shows.
        problems: what to underline.
        on_change: called before the rerun that a changed text causes.
    """
    register_assets()
    mount = st.components.v2.component("csro.editor", html='<div class="editor"></div>', css=_CSS, js="editor.js")
    data = {
        "value": text,
        "revision": revision,
        "height": 480,
        "debounce": 800,
        "label": "source code of the policy",
        "problems": [{"line": problem.line, "message": problem.message} for problem in problems],
    }
    result = mount(
        key=key,
        data=data,
        default={"value": text},
        on_value_change=on_change or _nothing,
        on_submitted_change=_nothing,
    )
    return str(result.value)


def _nothing() -> None:
    """Streamlit wants a callback for each state it shall return."""
