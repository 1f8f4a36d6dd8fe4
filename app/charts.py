"""Curves of the Run page: plain data in, Plotly figures out. No Streamlit, no store.

Names come from models and people: they pass `safe`, because Plotly reads tags in labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from app import colours
from app.formats import DUST, number, safe, short, wrapped
from app.scales import Scale, signed_log

CHART_HEIGHT = 340
"""Pixels of the two charts that stand side by side."""


@dataclass(frozen=True)
class GainPoint:
    """What the search against one sigma found.

    Attributes:
        finished: iterations finished when that sigma was computed.
        gain: mean gain against it.
        half_width: half of its 95 % interval.
        found: False: the search found nothing better; drawn hollow.
        text: more for the tooltip.
        episodes: how many it rests on.
    """

    finished: int
    gain: float
    half_width: float
    found: bool
    text: str = ""
    episodes: int = 0


@dataclass(frozen=True)
class GapPoint:
    """The gap with hindsight of one sigma: value, half of its 95 % interval, size of the pool, episodes."""

    finished: int
    value: float
    half_width: float
    pool: int
    episodes: int = 0


@dataclass(frozen=True)
class ExactPoint:
    """The exploitability of the game at one sigma, and whether it is exact."""

    finished: int
    value: float
    proven: bool


@dataclass(frozen=True)
class Curves:
    """The exploitability curves of one run, by the number of iterations finished.

    Attributes:
        name: of the run.
        gains: what the searches found.
        gaps: with hindsight.
        exact: exploitability of sigma, where it is known.
        evaluated: that of the evaluation solver's mixture, where the run has another one.
    """

    name: str
    gains: tuple[GainPoint, ...] = ()
    gaps: tuple[GapPoint, ...] = ()
    exact: tuple[ExactPoint, ...] = ()
    evaluated: tuple[ExactPoint, ...] = ()

    @property
    def values(self) -> list[float]:
        """The heights of all points."""
        return [point.gain for point in self.gains] + [
            point.value for point in (*self.gaps, *self.exact, *self.evaluated)
        ]

    @property
    def half_widths(self) -> list[float]:
        """Half of the interval of each of `values` that is drawn with error bars, 0 for the others."""
        return [point.half_width for point in self.gains] + [0.0] * (
            len(self.gaps) + len(self.exact) + len(self.evaluated)
        )


def exploitability_figure(
    curves: Curves, other: Curves | None, unit: str, logarithmic: bool = False, dark: bool = False
) -> go.Figure:
    """Returns the lower bounds on the exploitability of sigma, exact where marked.

    Args:
        curves: of the run shown.
        other: of a second run laid over it, dashed; None for no overlay.
        unit: unit of the vertical axis.
        logarithmic: True: a signed logarithmic axis; its ticks and tooltips tell the values themselves.
        dark: the theme.
    """
    drawn = (curves,) if other is None else (curves, other)
    values = [value for one in drawn for value in one.values]
    reach = [half if isfinite(half) else 0.0 for one in drawn for half in one.half_widths]
    scale = signed_log(values, reach) if logarithmic else Scale()
    figure = go.Figure()
    _add_curves(figure, curves, _Look(scale, "solid", "", dark))
    if other is not None:
        _add_curves(figure, other, _Look(scale, "dot", safe(f" · {short(other.name, 20)}"), dark))
    low = min(0.0, *(value - half for value, half in zip(values, reach, strict=True)))
    high = max(0.0, *(value + half for value, half in zip(values, reach, strict=True)))
    bottom, top = scale.height(low), scale.height(high)
    room = 0.07 * (top - bottom) or 1.0
    title = f"{wrapped(unit, 28)}{',<br>signed log scale' if scale.linear_to else ''}"
    figure.update_layout(
        xaxis={
            "title": "iterations finished", "dtick": _tick(drawn), "zeroline": False, "showgrid": False,
            "range": [-0.4, _last(drawn) + 0.4],
        },
        yaxis={
            "title": title, "zeroline": True, "zerolinecolor": colours.QUIET,
            "range": [bottom - room, top + room],
            **scale.ticks(low, high),
        },
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        height=CHART_HEIGHT,
        margin={"l": 4, "r": 8, "t": 8, "b": 4},
        hovermode="closest",
    )  # fmt: skip
    return figure


def sigma_figure(
    iterations: Sequence[int],
    weights: NDArray[np.float64],
    names: Sequence[str],
    palette: Sequence[str],
    dark: bool = False,
) -> go.Figure:
    """Returns sigma over the iterations as a stacked area, one colour per policy.

    Args:
        iterations: `[T]` iterations finished when each sigma was computed.
        weights: `[T, N]` weights, 0 before a policy existed.
        names: `[N]` names of the policies.
        palette: `[N]` their colours.
        dark: the theme.
    """
    figure = go.Figure()
    edge = colours.page(dark)
    for index in np.flatnonzero(weights.max(axis=0) > 0.001).tolist():
        figure.add_trace(_share_trace(list(iterations), weights[:, index], names[index], (palette[index], edge)))
    figure.update_layout(
        xaxis={
            "title": "iterations finished",
            "showgrid": False,
            "zeroline": False,
            "dtick": max(1, len(iterations) // 10),
        },
        yaxis={"title": "weight in sigma (probability)", "range": [0, 1], "showgrid": False},
        barmode="stack",
        height=CHART_HEIGHT,
        margin={"l": 4, "r": 8, "t": 8, "b": 4},
        hovermode="x unified",
        legend={"traceorder": "reversed", "font": {"size": 11}},
    )
    return figure


def _share_trace(
    iterations: list[int], shares: NDArray[np.float64], name: str, palette: tuple[str, str]
) -> go.Scatter | go.Bar:
    """Returns the part of one policy, in its colour and edged with that of the page.

    An area needs two points; a single sigma is a stack of bars.
    """
    colour, edge = palette
    tooltip = f"{safe(name)}: %{{y:.2f}}<extra></extra>"
    values = shares.astype(np.float32)
    if len(iterations) == 1:
        look = {"color": colour, "line": {"width": 1, "color": edge}}
        return go.Bar(x=iterations, y=values, width=0.4, name=safe(short(name)), marker=look, hovertemplate=tooltip)
    return go.Scatter(
        x=iterations,
        y=values,
        name=safe(short(name)),
        stackgroup="sigma",
        mode="lines",
        line={"width": 1, "color": edge},
        fillcolor=colour,
        hovertemplate=tooltip,
    )


@dataclass(frozen=True)
class _Look:
    """How the curves of one run are drawn: their scale, dash, the end of their names (safe), and the theme."""

    scale: Scale
    dash: str
    suffix: str
    dark: bool


def _add_curves(figure: go.Figure, curves: Curves, look: _Look) -> None:
    if curves.gaps:
        figure.add_trace(_gap_trace(curves.gaps, look))
    for found, label in ((True, "gain found ± 95 %"), (False, "nothing found, not a proof")):
        points = [point for point in curves.gains if point.found is found]
        if points:
            figure.add_trace(_gain_trace(points, found, label, look))
    if curves.exact:
        figure.add_trace(_exact_trace(curves.exact, "exploitability", colours.EXACT, look))
    if curves.evaluated:
        figure.add_trace(_exact_trace(curves.evaluated, "that of the evaluation mixture", colours.ACCENT, look))


def _gap_trace(points: Sequence[GapPoint], look: _Look) -> go.Scatter:
    return go.Scatter(
        x=[point.finished for point in points],
        y=[look.scale.height(point.value) for point in points],
        name=f"gap, with hindsight{look.suffix}",
        mode="lines+markers",
        marker={"size": 4},
        line={"color": colours.GAP, "width": 2, "dash": look.dash},
        customdata=[
            f"gap {plus_minus(point.value, point.half_width, point.episodes)}"
            f"<br>best of {point.pool} policies known by now"
            for point in points
        ],
        hovertemplate=f"after iteration %{{x}}: %{{customdata}}<extra>{look.suffix}</extra>",
    )


def _exact_trace(points: Sequence[ExactPoint], name: str, colour: str, look: _Look) -> go.Scatter:
    everywhere = all(point.proven for point in points)
    return go.Scatter(
        x=[point.finished for point in points],
        y=[look.scale.height(point.value) for point in points],
        name=f"{name}{', exact' if everywhere else ' (filled: exact)'}{look.suffix}",
        mode="lines+markers",
        line={"color": colour, "width": 2, "dash": look.dash},
        marker={"symbol": ["diamond" if point.proven else "diamond-open" for point in points], "size": 9},
        customdata=[f"{number(point.value)}{', exact' if point.proven else ', estimated'}" for point in points],
        hovertemplate=f"after iteration %{{x}}: {name} %{{customdata}}<extra></extra>",
    )


def _gain_trace(points: Sequence[GainPoint], found: bool, label: str, look: _Look) -> go.Scatter:
    """Returns gains with their error bars; hollow ones are filled with the colour of the page."""
    colour = colours.gain(look.dark)
    values = [point.gain for point in points]
    up, down = look.scale.bars(values, [point.half_width for point in points])
    return go.Scatter(
        x=[point.finished for point in points],
        y=[look.scale.height(value) for value in values],
        error_y={
            "type": "data", "symmetric": False, "array": up, "arrayminus": down, "thickness": 1.6, "width": 5,
            "color": colour,
        },
        name=f"{label}{look.suffix}",
        mode="markers",
        marker={
            "color": colour if found else colours.page(look.dark),
            "symbol": "circle" if look.dash == "solid" else "square",
            "size": 10,
            "opacity": 1,
            "line": {"width": 2, "color": colour},
        },
        customdata=[
            f"gain {plus_minus(point.gain, point.half_width, point.episodes)}<br>{safe(point.text)}"
            for point in points
        ],
        hovertemplate="sigma after iteration %{x}: %{customdata}<extra></extra>",
    )  # fmt: skip


def plus_minus(value: float, half_width: float, episodes: int) -> str:
    """Returns a value for a tooltip: its 95 % interval, standard error, and count."""
    count = f", {episodes} episodes" if episodes else ""
    if not isfinite(half_width):
        return f"{number(value, signed=True)}, error unknown{count}"
    if half_width < DUST:
        return f"{number(value, signed=True)}, exact{count}"
    return (
        f"{number(value, half_width, signed=True)} ± {number(half_width, half_width)} (95 %)"
        f"<br>standard error {number(half_width / 1.96)}{count}"
    )


def _last(drawn: Sequence[Curves]) -> int:
    finished = [point.finished for one in drawn for point in (*one.gains, *one.gaps, *one.exact, *one.evaluated)]
    return max(1, *finished) if finished else 1


def _tick(drawn: Sequence[Curves]) -> int:
    return max(1, _last(drawn) // 10)
