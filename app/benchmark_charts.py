"""Figures of the Benchmark page: plain data in, Plotly figures out. Names pass `safe`: Plotly reads tags in labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
import plotly.graph_objects as go

from app import colours
from app.formats import interval, number, safe, short, wrapped
from csro_core.estimates import Estimate

_LINE, _BAR, _STANDING = 15, 44, 400
"""Pixels: of a row of the table with its name, of a bar that lies, and of all bars that stand."""

_AXIS_TITLE = 36
"""Pixels of the title of an axis that lies above a footnote."""

_FEW = 8
_FEW_POINTS, _SQUASHED = 3, 2.5
_FOOT_LETTERS = 170
"""One line of so many fits at 1280 px; the title, which the footnote is, shows no more than one."""


@dataclass(frozen=True)
class Scores:
    """What something got against each opponent of a benchmark.

    Attributes:
        name: of what was measured.
        opponents: `[B]` their names.
        payoffs: `[B]` what it got.
        nemesis: the opponent that wins most.
        informed: True for what the synthesiser wrote.
        footnote: what has to stand on the chart, "" for nothing.
        unit: of a return.
    """

    name: str
    opponents: tuple[str, ...]
    payoffs: tuple[Estimate, ...]
    nemesis: str
    informed: bool
    footnote: str
    unit: str

    @property
    def colour(self) -> str:
        """The colour of what was measured."""
        return colours.INFORMED if self.informed else colours.OWN


@dataclass(frozen=True)
class CoursePoint:
    """What sigma scored after an iteration.

    Attributes:
        finished: iterations finished.
        pop_return: mean return over the opponents.
        pop_expl: the largest mean loss.
        agg_score: the difference.
        nemesis: the opponent of `pop_expl`.
    """

    finished: int
    pop_return: Estimate
    pop_expl: Estimate
    agg_score: Estimate
    nemesis: str


def course_figure(points: Sequence[CoursePoint], unit: str, footnote: str) -> go.Figure:
    """Returns the three scores of sigma as lines over the iterations, with 95 % intervals.

    The axis is that of the later iterations where the starters would squash them; a double click shows everything.
    """
    figure = go.Figure()
    curves = (
        ("AggScore", colours.INFORMED if footnote else colours.OWN, "solid", [point.agg_score for point in points]),
        ("PopReturn", colours.GAP, "dot", [point.pop_return for point in points]),
        ("PopExpl", colours.LOST, "dash", [point.pop_expl for point in points]),
    )
    for name, colour, dash, values in curves:
        halves = [value.half_width if isfinite(value.half_width) else 0.0 for value in values]
        figure.add_trace(
            go.Scatter(
                x=[point.finished for point in points], y=[value.mean for value in values], name=name,
                mode="lines+markers", line={"color": colour, "width": 2, "dash": dash}, marker={"size": 6},
                error_y={"type": "data", "array": halves, "thickness": 1.2, "width": 3},
                customdata=[
                    f"<b>{name}</b> {safe(interval(value))} (95 %), {value.episodes} episodes an opponent"
                    f"<br>nemesis {safe(short(point.nemesis, 30))}<br>{safe(unit)}"
                    for point, value in zip(points, values, strict=True)
                ],
                hovertemplate="after iteration %{x}: %{customdata}<extra></extra>",
            )
        )  # fmt: skip
    last = max(1, *(point.finished for point in points))
    figure.update_layout(
        xaxis={"title": "iterations finished", "range": [-0.4, last + 0.4], "dtick": max(1, last // 10)},
        yaxis={
            "title": wrapped(unit, 36), "zeroline": True, "zerolinecolor": "rgba(127,135,145,.7)",
            "range": _reach(points[1:]) if squashed_by_starters(points) else _reach(points),
        },
    )  # fmt: skip
    _finish(figure, footnote, 320)
    figure.update_layout(
        showlegend=True, legend={"orientation": "h", "y": 1.12, "x": 0}, margin_b=figure.layout.margin.b + _AXIS_TITLE
    )
    return figure


def squashed_by_starters(points: Sequence[CoursePoint]) -> bool:
    """Returns whether the scores before the first iteration would hide how the later ones move."""
    if len(points) < _FEW_POINTS or points[0].finished > 0:
        return False
    (low, high), (least, most) = _reach(points), _reach(points[1:])
    return high - low > _SQUASHED * (most - least)


def _reach(points: Sequence[CoursePoint]) -> tuple[float, float]:
    """Returns from where to where the axis goes, 0 included."""
    ends = [0.0]
    for point in points:
        for score in (point.pop_return, point.pop_expl, point.agg_score):
            half = score.half_width if isfinite(score.half_width) else 0.0
            ends += [score.mean - half, score.mean + half]
    room = 0.06 * (max(ends) - min(ends)) or 1.0
    return min(ends) - room, max(ends) + room


def opponents_figure(scores: Scores) -> go.Figure:
    """Returns the mean return against each opponent as bars with 95 % intervals, the best first.

    A few bars lie, each beside its name; many stand side by side.
    """
    order = sorted(range(len(scores.opponents)), key=lambda place: -scores.payoffs[place].mean)
    names = [scores.opponents[place] for place in order]
    payoffs = [scores.payoffs[place] for place in order]
    worst = [name == scores.nemesis for name in names]
    lying = len(names) <= _FEW
    means, places = [payoff.mean for payoff in payoffs], list(range(len(names)))
    halves = [payoff.half_width if isfinite(payoff.half_width) else 0.0 for payoff in payoffs]
    error = {"type": "data", "array": halves, "thickness": 1.2, "width": 3, "color": "#7f8791"}
    figure = go.Figure(
        go.Bar(
            x=means if lying else places,
            y=places if lying else means,
            orientation="h" if lying else "v",
            marker={"color": [colours.LOST if nemesis else scores.colour for nemesis in worst], "opacity": 0.85},
            **{"error_x" if lying else "error_y": error},
            customdata=[
                f"<b>{safe(name)}</b>{', the nemesis' if nemesis else ''}<br>{safe(interval(payoff))} (95 %), "
                f"standard error {number(payoff.stderr)}, {payoff.episodes} episodes<br>{safe(scores.unit)}"
                for name, payoff, nemesis in zip(names, payoffs, worst, strict=True)
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    labels = [
        f"<b>nemesis: {safe(short(name, 22))}</b>" if nemesis else safe(short(name, 22))
        for name, nemesis in zip(names, worst, strict=True)
    ]
    edge = len(names) - 0.5
    named = {
        "tickvals": places, "ticktext": labels, "tickfont": {"size": 11}, "showgrid": False, "zeroline": False,
        "automargin": True, "range": [edge, -0.5] if lying else [-0.5, edge], "tickangle": 0 if lying else -60,
    }  # fmt: skip
    valued = {
        "title": f"return to {safe(short(scores.name, 30))},<br>{wrapped(scores.unit, 36)}", "zeroline": True,
        "zerolinecolor": "rgba(127,135,145,.7)",
    }  # fmt: skip
    figure.update_layout(xaxis=valued if lying else named, yaxis=named if lying else valued, bargap=0.3)
    _finish(figure, scores.footnote, 110 + _BAR * len(names) if lying else _STANDING)
    return figure


def cross_figure(scores: Scores, bots: Sequence[str], means: Sequence[Sequence[float]], dark: bool) -> go.Figure:
    """Returns the published table of the bots with what was measured as its first row.

    Args:
        scores: what was measured; an opponent that the table lacks has no cell.
        bots: `[B]` names, in the order of rows and columns.
        means: `[B][B]` mean return of the row's bot against the column's.
        dark: the theme.
    """
    own = dict(zip(scores.opponents, scores.payoffs, strict=True))
    gap = [float("nan")] * len(bots)
    first = [own[bot].mean if bot in own else float("nan") for bot in bots]
    values = np.array([first, gap, *means], dtype=np.float64)
    rows = [scores.name, "", *bots]
    notes = [
        [
            f"<b>{safe(name)}</b> against {safe(bot)}: {number(value, signed=True)}"
            for bot, value in zip(bots, line, strict=True)
        ]
        for name, line in zip(rows, values.tolist(), strict=True)
    ]
    notes[0] = [
        f"<b>{safe(scores.name)}</b> against {safe(bot)}: {safe(interval(own[bot]))} (95 %)" if bot in own else ""
        for bot in bots
    ]
    limit = float(np.nanmax(np.abs(values))) or 1.0
    figure = go.Figure(
        go.Heatmap(
            z=values.astype(np.float32), zmin=-limit, zmax=limit, colorscale=colours.diverging(dark), xgap=1, ygap=1,
            customdata=notes, hovertemplate="%{customdata}<extra></extra>", hoverongaps=False,
            colorbar={"title": {"text": wrapped(scores.unit, 20), "font": {"size": 11}}, "thickness": 12},
        )
    )  # fmt: skip
    label = f'<b><span style="color:{scores.colour}">{safe(short(scores.name, 22))}</span></b>'
    figure.update_layout(
        xaxis={
            "tickvals": list(range(len(bots))), "ticktext": [safe(short(bot, 16)) for bot in bots], "tickangle": -60,
            "tickfont": {"size": 10}, "side": "top", "showgrid": False, "zeroline": False, "automargin": True,
            "title": {"text": "opponent", "font": {"size": 11}},
        },
        yaxis={
            "tickvals": [0, *range(2, len(rows))], "ticktext": [label, *(safe(short(bot, 16)) for bot in bots)],
            "tickfont": {"size": 10}, "range": [len(rows) - 0.5, -0.5], "showgrid": False, "zeroline": False,
            "automargin": True, "title": {"text": "return to", "font": {"size": 11}},
        },
        plot_bgcolor="rgba(0,0,0,0)",
    )  # fmt: skip
    _finish(figure, scores.footnote, 150 + _LINE * len(rows))
    return figure


def _finish(figure: go.Figure, footnote: str, height: int) -> None:
    """Sets the height, and writes the footnote below, where an image of the chart has it too."""
    foot = wrapped(footnote, _FOOT_LETTERS) if footnote else ""
    room = 16 * (foot.count("<br>") + 1) + 12 if foot else 4
    if foot:
        figure.update_layout(
            title={
                "text": f"† {foot}", "font": {"size": 11}, "xref": "container", "x": 0.005,
                "xanchor": "left", "yref": "container", "y": 0.0, "yanchor": "bottom", "pad": {"b": 4, "t": 0},
            }
        )  # fmt: skip
    figure.update_layout(height=height + room, margin={"l": 4, "r": 8, "t": 8, "b": room}, showlegend=False)
