"""The curves of the Compare page: a document in, a figure out. Names pass `safe`: Plotly reads tags in labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, sinh

import plotly.graph_objects as go

from app import compare_data
from app.compare_data import Curve, Look
from app.formats import interval_text, number, safe, short, wrapped
from app.scales import Scale, signed_log
from csro_core.experiments.bands import Band, bands
from csro_core.experiments.document import COSTS, MEASURES, Comparison, Cost, Course
from csro_core.seeds import short_seed

HEIGHT = 430
_BAND = "30"
"""Opacity of a band, as two hexadecimal digits."""

_LONGEST = 34
_UNITS: dict[Cost, str] = {"usd": "US dollars, so far", "seconds": "seconds of iterations"}
GAIN_TITLE = "gain of the oracle against its own target"


@dataclass(frozen=True)
class View:
    """How the curves are looked at.

    Attributes:
        curve: the number.
        cost: the axis.
        seeds: True: a thin line for every run as well.
        logarithmic: True: a signed logarithmic height.
    """

    curve: Curve
    cost: Cost
    seeds: bool = True
    logarithmic: bool = False


def curve_title(curve: Curve) -> str:
    """Returns what a curve shows, for axes."""
    return GAIN_TITLE if curve == "oracle_gain" else MEASURES[curve].title


def end_of(document: Comparison, cost: Cost) -> float | None:
    """Returns where the axis ends: at the budget where the axis is what was budgeted."""
    return document.budget if cost == document.cost else None


def curves_figure(document: Comparison, view: View, drawn: Mapping[str, Look]) -> go.Figure:
    """Returns the mean of every variant with its 95 % band over seeds, and the runs as thin lines.

    Args:
        document: the comparison.
        view: what of it.
        drawn: how variants are drawn, see `compare_data.looks`.
    """
    figure = go.Figure()
    scale, end = _scale(document, view), end_of(document, view.cost)
    means = bands(document, compare_data.measure(view.curve), view.cost)
    for mean in means:
        _add_band(figure, drawn[mean.variant], _Stairs(mean, end), scale)
    for course in document.courses if view.seeds else ():
        _add_run(figure, course, drawn[course.variant], view, scale)
    for mean in means:
        _add_mean(figure, drawn[mean.variant], _Stairs(mean, end), (view, scale))
    _finish(figure, document, view, scale)
    return figure


class _Stairs:
    """A variant's course, led on to the end of the axis: a run keeps its mixture until the next one."""

    def __init__(self, band: Band, end: float | None) -> None:
        self.name, self.seeds = band.variant, int(band.seeds[-1])
        self.x, self.mean = band.cost.tolist(), band.mean.tolist()
        half = [half if isfinite(half) else 0.0 for half in band.half_width.tolist()]
        if end is not None and end > self.x[-1]:
            self.x, self.mean, half = [*self.x, end], [*self.mean, self.mean[-1]], [*half, half[-1]]
        self.half: list[float] = half


def _scale(document: Comparison, view: View) -> Scale:
    if not view.logarithmic:
        return Scale()
    values = [y for course in document.courses for _, y in compare_data.steps(course, view.cost, view.curve)]
    return signed_log(values, [])


def _add_band(figure: go.Figure, look: Look, mean: _Stairs, scale: Scale) -> None:
    if mean.seeds < 2:
        return
    ends = [(middle + half, middle - half) for middle, half in zip(mean.mean, mean.half, strict=True)]
    # One outline there and back: as two lines the band would be filled up to whatever was drawn before.
    up_x, up_y = _stairs(mean.x, [scale.height(value) for value, _ in ends])
    down_x, down_y = _stairs(mean.x, [scale.height(value) for _, value in ends])
    figure.add_trace(
        go.Scatter(
            x=[*up_x, *reversed(down_x)], y=[*up_y, *reversed(down_y)], mode="lines", fill="toself",
            line={"width": 0}, fillcolor=f"{look.colour}{_BAND}", hoverinfo="skip", showlegend=False,
            legendgroup=safe(mean.name), name=f"{safe(mean.name)} 95 %",
        )
    )  # fmt: skip


def _stairs(x: Sequence[float], y: Sequence[float]) -> tuple[list[float], list[float]]:
    """Returns the corners of a line that keeps each value until the next one."""
    across, up = [x[0]], [y[0]]
    for place in range(1, len(x)):
        across += [x[place], x[place]]
        up += [y[place - 1], y[place]]
    return across, up


def _add_run(figure: go.Figure, course: Course, look: Look, view: View, scale: Scale) -> None:
    known = compare_data.steps(course, view.cost, view.curve)
    if not known:
        return
    figure.add_trace(
        go.Scatter(
            x=[x for x, _ in known], y=[scale.height(y) for _, y in known], mode="lines",
            line={"color": look.colour, "width": 1, "dash": look.dash, "shape": "hv"}, opacity=0.38,
            legendgroup=safe(course.variant), showlegend=False, name=safe(course.run_name),
            customdata=[
                f"{safe(short(course.run_name, 40))}, seed {short_seed(course.seed)}<br>{number(y)} after {number(x)} "
                f"{COSTS[view.cost]}"
                for x, y in known
            ],
            hovertemplate=f"<b>{safe(short(course.variant, _LONGEST))}</b><br>%{{customdata}}<extra></extra>",
        )
    )  # fmt: skip


def _add_mean(figure: go.Figure, look: Look, mean: _Stairs, seen: tuple[View, Scale]) -> None:
    view, scale = seen
    figure.add_trace(
        go.Scatter(
            x=mean.x, y=[scale.height(value) for value in mean.mean], mode="lines",
            name=safe(short(mean.name, _LONGEST)), legendgroup=safe(mean.name),
            line={"color": look.colour, "width": 2.6, "dash": look.dash, "shape": "hv"},
            customdata=[
                f"{interval_text(value, half if mean.seeds > 1 else None)} (95 %, {_seeds(mean.seeds)})<br>"
                f"{safe(curve_title(view.curve))} after {number(x)} {COSTS[view.cost]}"
                for x, value, half in zip(mean.x, mean.mean, mean.half, strict=True)
            ],
            hovertemplate=f"<b>{safe(short(mean.name, 60))}</b><br>%{{customdata}}<extra></extra>",
        )
    )  # fmt: skip


def _seeds(count: int) -> str:
    return "1 seed" if count == 1 else f"{count} seeds"


def _finish(figure: go.Figure, document: Comparison, view: View, scale: Scale) -> None:
    end = end_of(document, view.cost)
    if end is not None:
        figure.add_vline(x=end, line={"color": "rgba(127,135,145,.8)", "width": 1, "dash": "dot"})
        figure.add_annotation(
            x=end, y=1, yref="paper", yanchor="bottom", xanchor="right", showarrow=False, font={"size": 11},
            text=f"budget: {number(end)}",
        )  # fmt: skip
    heights = [value for trace in figure.data if trace.hoverinfo != "skip" for value in trace.y]
    low, high = (min(heights), max(heights)) if heights else (0.0, 0.0)
    back = scale.linear_to
    ticks = scale.ticks(_value(low, back), _value(high, back)) if heights else {}
    figure.update_layout(
        height=HEIGHT, margin={"l": 4, "r": 12, "t": 34, "b": 4}, hovermode="closest", hoverlabel={"align": "left"},
        legend={"orientation": "h", "y": 1.02, "x": 0, "yanchor": "bottom", "itemclick": "toggleothers"},
        xaxis={"title": _UNITS.get(view.cost, COSTS[view.cost]), "rangemode": "tozero", "zeroline": False},
        yaxis={
            "title": f"{curve_title(view.curve)},<br>{wrapped(document.unit, 44)}", "zeroline": True,
            "zerolinecolor": "rgba(127,135,145,.7)", "rangemode": "normal" if view.logarithmic else "tozero", **ticks,
        },
    )  # fmt: skip
    if not heights:
        figure.add_annotation(text="nothing is known of this yet", showarrow=False, x=0.5, y=0.5, xref="paper",
                              yref="paper")  # fmt: skip


def _value(height: float, linear_to: float) -> float:
    return sinh(height) * linear_to if linear_to else height
