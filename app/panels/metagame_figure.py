"""One figure of the Meta-game page with its downloads: the numbers as CSV, the picture as SVG and PNG."""

from collections.abc import Callable, Sequence

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.components.figure_save import figure_save
from app.formats import file_name, safe


def heading(title: str, how_to_read: str) -> None:
    """Draws the title of a panel and the sentence that says how to read it."""
    st.html(f'<p class="csro-panel-title">{safe(title)}</p><p class="csro-note csro-reads">{safe(how_to_read)}</p>')


def figure(drawn: go.Figure, key: str, alt: str) -> None:
    """Draws a figure; `foot` finds it by its key."""
    with st.container(key=f"{key}_box"):
        st.plotly_chart(drawn, key=key, config={"displaylogo": False}, alt=alt)


def foot(
    charts: Sequence[tuple[str, str]], numbers: Callable[[], str], title: str, what: str
) -> DeltaGenerator:
    """Draws the downloads of a panel; returns their row, for more of them.

    Args:
        charts: (key, what it shows) of each figure; the latter is "" where there is only one.
        numbers: returns the CSV text, called when it is asked for.
        title: of the meta-game, for names of files.
        what: of the panel, for names of files and keys.
    """
    row = st.container(horizontal=True, gap="small", vertical_alignment="center", key=f"foot_{what}")
    with row:
        st.download_button(
            "CSV", data=numbers, file_name=file_name(title, f"-{what}.csv"), mime="text/csv",
            icon=":material/download:", on_click="ignore", key=f"csv_{what}", type="tertiary",
            help="The numbers of this picture.",
        )  # fmt: skip
        for key, part in charts:
            if part:
                st.caption(part, width="content")
            ending = f"-{what}{f'-{part}' if part else ''}"
            figure_save(f"{key}_box", file_name(title, file_name(ending, "")), key=f"save_{key}")
    return row
