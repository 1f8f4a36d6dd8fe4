"""Figures of final mixtures on the Compare page: each against each, and whose policies an equilibrium plays."""

from collections.abc import Mapping
from math import isfinite

import numpy as np
import plotly.graph_objects as go

from app import colours, compare_data
from app.compare_data import Look
from app.formats import interval_text, number, safe, short, weight, wrapped
from csro_core.experiments.document import Comparison, CrossPlay

_CELL, _MOST_HEIGHT = 64, 760
_MOST_TEXTS = 14
_LONGEST, _FOLD = 24, 12
_BAR = 34


def cross_figure(document: Comparison, dark: bool) -> go.Figure:
    """Returns the payoffs between the final mixtures as a heat-map with their 95 % intervals in the cells.

    Args:
        document: the comparison.
        dark: the theme.
    """
    cross = document.cross_play
    size = len(cross.variants)
    values = np.array(cross.mean, dtype=np.float64).reshape(size, size)
    finite = np.abs(values[np.isfinite(values)])
    limit = float(finite.max()) if finite.size and finite.max() > 0 else 1.0
    labels = [wrapped(short(name, _LONGEST), _FOLD) for name in cross.variants]
    figure = go.Figure(
        go.Heatmap(
            z=values.astype(np.float32), zmin=-limit, zmax=limit, colorscale=colours.diverging(dark), xgap=2, ygap=2,
            customdata=_notes(document), hovertemplate="%{customdata}<extra></extra>", hoverongaps=False,
            showscale=size > _MOST_TEXTS,
            colorbar={"title": {"text": wrapped(document.unit, 20), "font": {"size": 11}}, "thickness": 12},
        )
    )  # fmt: skip
    if size <= _MOST_TEXTS:
        _add_texts(figure, cross, values / limit, dark)
    axis = {"tickvals": list(range(size)), "ticktext": labels, "showgrid": False, "zeroline": False,
            "automargin": True, "tickfont": {"size": 12}}  # fmt: skip
    figure.update_layout(
        xaxis={**axis, "side": "top", "title": {"text": "against the mixture of", "font": {"size": 11}},
               "range": [-0.5, size - 0.5], "tickangle": 0 if size <= 6 else -40},
        yaxis={**axis, "title": {"text": "payoff to the mixture of", "font": {"size": 11}},
               "range": [size - 0.5, -0.5]},
        plot_bgcolor="rgba(0,0,0,0)", showlegend=False, margin={"l": 4, "r": 8, "t": 8, "b": 4},
        height=min(_MOST_HEIGHT, 130 + max(_CELL * size, 150)),
    )  # fmt: skip
    return figure


def _add_texts(figure: go.Figure, cross: CrossPlay, shares: np.ndarray, dark: bool) -> None:
    """Writes the numbers into the cells, in a colour that can be read on each."""
    size = len(cross.variants)
    places = [(row, column) for row in range(size) for column in range(size) if isfinite(cross.mean[row][column])]
    inks = [
        colours.text_on(colours.diverging_at((float(shares[row, column]) + 1) / 2, dark), dark)
        for row, column in places
    ]
    figure.add_trace(
        go.Scatter(
            x=[column for _, column in places], y=[row for row, _ in places], mode="text", hoverinfo="skip",
            text=[_cell(cross, row, column) for row, column in places],
            textfont={"size": 13 if size <= 6 else 11, "color": inks},
        )
    )  # fmt: skip


def _cell(cross: CrossPlay, row: int, column: int) -> str:
    if row == column and cross.mean[row][column] == 0:
        return "0"
    half = cross.half_width[row][column]
    lines = number(cross.mean[row][column], half, signed=True)
    return lines if half is None else f"{lines}<br>± {number(half, half)}"


def _notes(document: Comparison) -> list[list[str]]:
    cross, notes = document.cross_play, []
    for row, name in enumerate(cross.variants):
        line = []
        for column, other in enumerate(cross.variants):
            seeds = cross.seeds[row][column]
            told = interval_text(cross.mean[row][column], cross.half_width[row][column], signed=True)
            line.append(
                f"<b>{safe(name)}</b> against <b>{safe(other)}</b><br>{told} (95 %), "
                f"{seeds} {'seed' if seeds == 1 else 'seeds'}<br>{safe(document.unit)}"
            )
        notes.append(line)
    return notes


def shares_figure(document: Comparison, drawn: Mapping[str, Look]) -> go.Figure:
    """Returns whose policies the equilibrium of the joint population plays, as bars.

    Args:
        document: the comparison.
        drawn: how variants are drawn, see `compare_data.looks`.
    """
    names = [line.name for line in document.variants]
    shares = {name: document.joint.shares.get(name, 0.0) for name in names}
    shares |= {name: share for name, share in document.joint.shares.items() if name not in shares and share > 0}
    owners = list(shares)
    places = list(range(len(owners)))
    figure = go.Figure(
        go.Bar(
            x=[shares[owner] for owner in owners], y=places, orientation="h",
            marker={"color": [compare_data.colour_of(drawn, owner) for owner in owners], "line": {"width": 0}},
            text=[weight(shares[owner]) for owner in owners], textposition="outside", cliponaxis=False,
            customdata=[f"<b>{safe(owner)}</b>: {shares[owner]:.3f} of the equilibrium" for owner in owners],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )  # fmt: skip
    top = max([*shares.values(), 0.01])
    figure.update_layout(
        height=70 + _BAR * len(owners), margin={"l": 4, "r": 36, "t": 6, "b": 4}, showlegend=False, bargap=0.34,
        xaxis={"title": "share of the equilibrium", "range": [0, min(1.0, 1.12 * top)], "zeroline": False},
        yaxis={"tickvals": places, "ticktext": [safe(short(owner, _LONGEST)) for owner in owners],
               "range": [len(owners) - 0.5, -0.5], "showgrid": False, "zeroline": False, "automargin": True},
    )  # fmt: skip
    return figure
