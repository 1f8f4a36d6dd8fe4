"""Clicks on heat-map cells, which `st.plotly_chart` does not report (streamlit issue 8760)."""

import streamlit as st

from app.components import register_assets


def heat_click(chart: str, *, key: str) -> tuple[int, int] | None:
    """Returns the (row, column) of the cell whose click caused this run of the script, else None.

    Args:
        chart: key of the `st.plotly_chart` to listen to.
        key: key of this element.
    """
    register_assets()
    mount = st.components.v2.component("csro.heat_click", html="<span hidden></span>", js="heat_click.js")
    result = mount(key=key, data={"chart": chart}, on_cell_change=_nothing, height=1)
    cell = result.cell
    return (int(cell["row"]), int(cell["column"])) if cell else None


def _nothing() -> None:
    """Streamlit wants a callback for each trigger it shall return."""
