"""Curves of the Run page: plain data in, Plotly figures out. No Streamlit, no store.

Names come from models and people: they pass `safe`, because Plotly reads tags in labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from app import colours
from app.formats import number, safe, short


@dataclass(frozen=True)
class GainPoint:
    """What the search against one sigma found.

    Attributes:
        finished: iterations finished when that sigma was computed.
        gain: mean gain against it.
        half_width: half of its 95 % interval.
        found: False: the search found nothing better; drawn hollow.
        text: more for the tooltip.
    """

    finished: int
    gain: float
    half_width: float
    found: bool
    text: str = ""


@dataclass(frozen=True)
class GapPoint:
    """The gap with hindsight of one sigma: value, half of its 95 % interval, and the size of the pool."""

    finished: int
    value: float
    half_width: float
    pool: int


@dataclass(frozen=True)
class ExactPoint:
    """The exploitability of the game at one sigma, and whether it is exact."""

    finished: int
    value: float
    proven: bool


@dataclass(frozen=True)
class Curves:
    """The exploitability curves of one run, by the number of iterations finished."""

    name: str
    gains: tuple[GainPoint, ...] = ()
    gaps: tuple[GapPoint, ...] = ()
    exact: tuple[ExactPoint, ...] = ()


def exploitability_figure(curves: Curves, other: Curves | None, unit: str) -> go.Figure:
    """Returns the lower bounds on the exploitability of sigma, exact where marked.

    Args:
        curves: of the run shown.
        other: of a second run laid over it, dashed; None for no overlay.
        unit: unit of the vertical axis.
    """
    figure = go.Figure()
    _add_curves(figure, curves, dash="solid", suffix="")
    if other is not None:
        _add_curves(figure, other, dash="dot", suffix=f" · {short(other.name, 20)}")
    figure.update_layout(
        xaxis={"title": "iterations finished", "dtick": _tick(curves), "zeroline": False, "showgrid": False},
        yaxis={"title": unit, "zeroline": True, "zerolinecolor": colours.QUIET, "rangemode": "tozero"},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        height=330,
        margin={"l": 4, "r": 8, "t": 8, "b": 4},
        hovermode="closest",
    )
    return figure


def sigma_figure(
    iterations: Sequence[int], weights: NDArray[np.float64], names: Sequence[str], palette: Sequence[str]
) -> go.Figure:
    """Returns sigma over the iterations as a stacked area, one colour per policy.

    Args:
        iterations: `[T]` iterations finished when each sigma was computed.
        weights: `[T, N]` weights, 0 before a policy existed.
        names: `[N]` names of the policies.
        palette: `[N]` their colours.
    """
    figure = go.Figure()
    for index in np.flatnonzero(weights.max(axis=0) > 0.001).tolist():
        figure.add_trace(_share_trace(list(iterations), weights[:, index], names[index], palette[index]))
    figure.update_layout(
        xaxis={
            "title": "iterations finished",
            "showgrid": False,
            "zeroline": False,
            "dtick": max(1, len(iterations) // 10),
        },
        yaxis={"title": "weight in sigma", "range": [0, 1], "showgrid": False},
        barmode="stack",
        height=330,
        margin={"l": 4, "r": 8, "t": 8, "b": 4},
        hovermode="x unified",
        legend={"traceorder": "reversed", "font": {"size": 11}},
    )
    return figure


def _share_trace(
    iterations: list[int], shares: NDArray[np.float64], name: str, colour: str
) -> go.Scatter | go.Bar:
    """Returns the part of one policy. An area needs two points; a single sigma is a stack of bars."""
    tooltip = f"{safe(name)}: %{{y:.2f}}<extra></extra>"
    values = shares.astype(np.float32)
    if len(iterations) == 1:
        look = {"color": colour, "line": {"width": 0}}
        return go.Bar(x=iterations, y=values, width=0.4, name=safe(short(name)), marker=look, hovertemplate=tooltip)
    return go.Scatter(
        x=iterations,
        y=values,
        name=safe(short(name)),
        stackgroup="sigma",
        mode="lines",
        line={"width": 0.6, "color": colour},
        fillcolor=colour,
        hovertemplate=tooltip,
    )


def _add_curves(figure: go.Figure, curves: Curves, dash: str, suffix: str) -> None:
    tail = safe(suffix)
    if curves.gaps:
        figure.add_trace(
            go.Scatter(
                x=[point.finished for point in curves.gaps],
                y=[point.value for point in curves.gaps],
                name=f"gap, with hindsight{tail}",
                mode="lines+markers",
                marker={"size": 4},
                line={"color": colours.GAP, "width": 2, "dash": dash},
                customdata=[
                    f"gap {number(point.value, point.half_width)} ± {number(point.half_width, point.half_width)}"
                    f"<br>best of {point.pool} policies known by now"
                    for point in curves.gaps
                ],
                hovertemplate=f"after iteration %{{x}}: %{{customdata}}<extra>{tail}</extra>",
            )
        )
    for found, label in ((True, "gain found by the search ± 95 %"), (False, "nothing found, not a proof")):
        points = [point for point in curves.gains if point.found is found]
        if points:
            figure.add_trace(_gain_trace(points, found, f"{label}{tail}", dash == "solid"))
    if curves.exact:
        everywhere = all(point.proven for point in curves.exact)
        figure.add_trace(
            go.Scatter(
                x=[point.finished for point in curves.exact],
                y=[point.value for point in curves.exact],
                name=f"exploitability{', exact' if everywhere else ' (filled: exact)'}{tail}",
                mode="lines+markers",
                line={"color": colours.EXACT, "width": 2, "dash": dash},
                marker={"symbol": ["diamond" if point.proven else "diamond-open" for point in curves.exact], "size": 8},
                hovertemplate="after iteration %{x}: exploitability %{y:.4g}<extra></extra>",
            )
        )


def _gain_trace(points: Sequence[GainPoint], found: bool, name: str, own: bool) -> go.Scatter:
    return go.Scatter(
        x=[point.finished for point in points],
        y=[point.gain for point in points],
        error_y={
            "type": "data",
            "array": [point.half_width for point in points],
            "thickness": 1.2,
            "width": 3,
            "color": colours.GAIN,
        },
        name=name,
        mode="markers",
        marker={
            "color": colours.GAIN,
            "symbol": ("circle" if own else "square") + ("" if found else "-open"),
            "size": 8,
            "line": {"width": 1.5, "color": colours.GAIN},
        },
        customdata=[safe(point.text) for point in points],
        hovertemplate="sigma after iteration %{x}: gain %{y:.4g} ± %{error_y.array:.2g}"
        "<br>%{customdata}<extra></extra>",
    )


def _tick(curves: Curves) -> int:
    finished = [point.finished for point in curves.gains]
    finished += [gap.finished for gap in curves.gaps] + [exact.finished for exact in curves.exact]
    last = max(finished, default=1)
    return max(1, last // 10)
