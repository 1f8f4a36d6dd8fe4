"""Saves a Plotly figure as SVG or PNG, made in the browser: no outside program, nothing that leaves the machine."""

import streamlit as st

from app.components import register_assets


def figure_save(chart: str, name: str, *, key: str) -> None:
    """Draws the buttons "SVG" and "PNG".

    Args:
        chart: key of the container that holds the `st.plotly_chart`.
        name: of the file, without its ending.
        key: key of this element.
    """
    register_assets()
    mount = st.components.v2.component(
        "csro.figure_save",
        html='<span class="save"><button type="button" data-format="svg">SVG</button>'
        '<button type="button" data-format="png">PNG</button></span>',
        css="figure_save.css",
        js="figure_save.js",
    )
    mount(key=key, data={"chart": chart, "name": name}, width="content", height="content")
