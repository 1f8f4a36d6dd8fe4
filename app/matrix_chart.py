"""The payoff matrix as a heat-map with sigma on the same rows: plain data in, a Plotly figure out.

Names come from models and people: they pass `safe`, because Plotly reads tags in labels.
"""

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from app import colours
from app.formats import DUST, number, safe, short, weight

NUMBERS_UP_TO = 25
"""Numbers are written on the cells of a payoff matrix of at most this many policies a side."""

_LOWEST = 380
"""Pixels of a small matrix: as high as what stands beside it on the Run page."""

_MOST_NOTES = 60
"""Up to so many policies a side each cell has a tooltip that says everything; larger matrices have shorter ones."""

_MOST_NAMES = 50
"""Names are written beside at most so many rows, and below so many columns; the tooltips have them all."""


@dataclass(frozen=True)
class Matrix:
    """A payoff matrix as it is drawn, rows and columns already in the order wanted.

    Attributes:
        rows: names of the row policies.
        columns: names of the column policies.
        payoff: `[R, C]` payoff to the row policy, NaN where it was never played.
        half_width: `[R, C]` half of the 95 % interval.
        episodes: `[R, C]` episodes played.
        row_sigma: `[R]` weights of the row policies.
        column_sigma: `[C]` weights of the column policies where they are another population, else None.
        row_colours: `[R]` colours of the row policies.
        column_colours: `[C]` colours of the column policies.
        forfeited: names of members that forfeited an episode.
        unit: unit of a payoff.
        opens_match: True where a click on a cell opens the match.
        row_marks: `[R]` what stands behind the names of the rows, () for nothing.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    payoff: NDArray[np.float64]
    half_width: NDArray[np.float64]
    episodes: NDArray[np.int64]
    row_sigma: NDArray[np.float64]
    column_sigma: NDArray[np.float64] | None
    row_colours: tuple[str, ...]
    column_colours: tuple[str, ...]
    forfeited: frozenset[str]
    unit: str
    opens_match: bool = True
    row_marks: tuple[str, ...] = ()


def payoff_figure(matrix: Matrix, dark: bool) -> go.Figure:
    """Returns the heat-map "payoff to the row policy" with the weights of sigma on the same rows."""
    count_rows, count_columns = matrix.payoff.shape
    known = np.isfinite(matrix.payoff)
    limit = (float(np.abs(matrix.payoff[known]).max()) if known.any() else 0.0) or 1.0
    own = matrix.column_sigma is not None
    crowded = max(count_rows, count_columns) > _MOST_NOTES
    figure = go.Figure()
    figure.add_trace(
        go.Heatmap(
            z=matrix.payoff.astype(np.float32),
            zmin=-limit,
            zmax=limit,
            colorscale=colours.diverging(dark),
            showscale=False,
            # A gap of a pixel would leave nothing of cells that are not much wider.
            xgap=0 if crowded else 1,
            ygap=0 if crowded else 1,
            **(_lean_notes(matrix) if crowded else _full_notes(matrix)),
        )
    )
    _add_row_sigma(figure, matrix)
    if matrix.column_sigma is not None:
        _add_column_sigma(figure, matrix, matrix.column_sigma)
    _add_scale(figure, limit, dark)
    if max(count_rows, count_columns) <= NUMBERS_UP_TO:
        _add_numbers(figure, matrix, limit, dark)
    if not known.all():
        _add_hatching(figure, known)
    marks = matrix.row_marks or ("",) * count_rows
    marked = [
        f"{safe(short(name))}{' ⚠' if name in matrix.forfeited else ''}{mark}"
        for name, mark in zip(matrix.rows, marks, strict=True)
    ]
    figure.update_layout(
        xaxis={
            "domain": _CELLS,
            "tickangle": -45 if count_columns > 4 else 0,
            "range": [-0.5, count_columns - 0.5],
            **_names([safe(short(name, 12)) for name in matrix.columns]),
            "title": {"text": "opponent: column policy", "standoff": 6, "font": {"size": 11}},
        },
        yaxis={
            "domain": [0, 0.84] if own else [0, 1],
            "range": [count_rows - 0.5, -0.5],
            **_names(marked),
            "title": {"text": "row policy", "standoff": 14, "font": {"size": 11}},
        },
        plot_bgcolor="rgba(0,0,0,0)",
        showlegend=False,
        height=int(min(640, max(_LOWEST, 130 + 30 * count_rows))) + (50 if own else 0),
        margin={"l": 4, "r": 4, "t": 10, "b": 4},
        bargap=0.25,
        dragmode="zoom",
    )
    return figure


_CELLS, _SIGMA, _SCALE = [0.0, 0.77], [0.785, 0.925], [0.955, 0.972]
"""Shares of the width: the cells, the bars of sigma on their rows, the colour scale."""

_BARE = {"showgrid": False, "zeroline": False}


def _names(texts: list[str]) -> dict[str, object]:
    """Returns the ticks of an axis of policies; more names than fit are kept for the tooltips only."""
    shown = len(texts) <= _MOST_NAMES
    size = 12 if len(texts) <= NUMBERS_UP_TO else 9
    return {
        "tickvals": list(range(len(texts))), "ticktext": texts, "showticklabels": shown, "ticks": "",
        "tickfont": {"size": size}, **_BARE,
    }  # fmt: skip


def _add_row_sigma(figure: go.Figure, matrix: Matrix) -> None:
    figure.add_trace(
        go.Bar(
            x=matrix.row_sigma,
            y=list(range(len(matrix.rows))),
            orientation="h",
            xaxis="x2",
            marker={"color": list(matrix.row_colours), "line": {"width": 0}},
            text=[weight(float(share)) if share > 0.0005 else "" for share in matrix.row_sigma],
            textposition="outside",
            cliponaxis=False,
            customdata=[safe(name) for name in matrix.rows],
            hovertemplate="sigma plays %{customdata} with probability %{x:.3f}<extra></extra>",
        )
    )
    largest = float(matrix.row_sigma.max(initial=0.0)) or 1.0
    title = {"text": "sigma (weight)", "standoff": 4, "font": {"size": 11}}
    figure.update_layout(
        xaxis2={
            "domain": _SIGMA, "anchor": "y", "range": [0, largest * 1.45], "showticklabels": False, "title": title,
            **_BARE,
        }
    )  # fmt: skip


def _add_column_sigma(figure: go.Figure, matrix: Matrix, shares: NDArray[np.float64]) -> None:
    figure.add_trace(
        go.Bar(
            x=list(range(len(matrix.columns))),
            y=shares,
            yaxis="y2",
            marker={"color": list(matrix.column_colours)},
            text=[weight(float(share)) if share > 0.0005 else "" for share in shares]
            if len(matrix.columns) <= NUMBERS_UP_TO else None,
            textposition="outside",
            cliponaxis=False,
            customdata=[safe(name) for name in matrix.columns],
            hovertemplate="sigma of player 1 plays %{customdata} with probability %{y:.3f}<extra></extra>",
        )
    )  # fmt: skip
    largest = float(shares.max(initial=0.0)) or 1.0
    figure.update_layout(
        yaxis2={
            "domain": [0.86, 1], "anchor": "x", "range": [0, largest * 1.6], "showticklabels": False,
            "title": {"text": "sigma", "standoff": 2, "font": {"size": 11}}, **_BARE,
        }
    )  # fmt: skip


def _add_scale(figure: go.Figure, limit: float, dark: bool) -> None:
    """Draws the colour scale as a picture of its own: Plotly's colour bar is made of stripes with seams."""
    values = np.linspace(-limit, limit, 192)
    figure.add_trace(
        go.Heatmap(
            z=values[:, None].astype(np.float32),
            x=[0.0],
            y=values,
            xaxis="x3",
            yaxis="y3",
            zmin=-limit,
            zmax=limit,
            colorscale=colours.diverging(dark),
            showscale=False,
            hoverinfo="skip",
        )
    )
    figure.update_layout(
        xaxis3={"domain": _SCALE, "anchor": "y3", "showticklabels": False, "ticks": "", "fixedrange": True, **_BARE},
        yaxis3={
            "domain": [0, 1], "anchor": "x3", "side": "right", "range": [-limit, limit], "nticks": 6,
            "fixedrange": True, "tickfont": {"size": 10}, **_BARE,
        },
    )  # fmt: skip


def _add_numbers(figure: go.Figure, matrix: Matrix, limit: float, dark: bool) -> None:
    """Writes the numbers as points with text: each has the colour that can be read on its own cell."""
    rows, columns = matrix.payoff.shape
    inks = []
    for payoff in matrix.payoff.ravel():
        known = np.isfinite(payoff)
        ground = colours.diverging_at(0.5 + 0.5 * float(payoff) / limit, dark) if known else colours.page(dark)
        inks.append(colours.text_on(ground, dark))
    figure.add_trace(
        go.Scatter(
            x=np.tile(np.arange(columns), rows),
            y=np.repeat(np.arange(rows), columns),
            mode="text",
            text=[text for line in _cell_texts(matrix) for text in line],
            textfont={"size": 12 if max(rows, columns) <= 14 else 10, "color": inks},
            hoverinfo="skip",
        )
    )


def _add_hatching(figure: go.Figure, known: NDArray[np.bool_]) -> None:
    """Hatches the cells where nothing was played."""
    across: list[float | None] = []
    down: list[float | None] = []
    for row, column in np.argwhere(~known).tolist():
        across += [column - 0.47, column + 0.47, column + 0.47, column - 0.47, column - 0.47, None]
        down += [row - 0.47, row - 0.47, row + 0.47, row + 0.47, row - 0.47, None]
    figure.add_trace(
        go.Scatter(
            x=across,
            y=down,
            mode="lines",
            line={"width": 0},
            fill="toself",
            fillpattern={"shape": "/", "fgcolor": colours.HATCH, "bgcolor": colours.UNKNOWN, "size": 6},
            hoverinfo="skip",
        )
    )


def _cell_texts(matrix: Matrix) -> list[list[str]]:
    return [
        [_cell_text(float(payoff), float(half)) for payoff, half in zip(*line, strict=True)]
        for line in zip(matrix.payoff, matrix.half_width, strict=True)
    ]


def _cell_text(payoff: float, half_width: float) -> str:
    if not np.isfinite(payoff):
        return "?"
    # A cell has room for four characters; the tooltip has all digits that the error allows.
    return number(payoff, max(half_width, 2.0) if abs(payoff) >= 100 else half_width)


def _full_notes(matrix: Matrix) -> dict[str, object]:
    """Returns tooltips that say everything: one text a cell."""
    return {"customdata": _cell_notes(matrix), "hovertemplate": "%{customdata}<extra></extra>", "hoverongaps": True}


def _lean_notes(matrix: Matrix) -> dict[str, object]:
    """Returns tooltips made in the browser from numbers: texts of 10,000 cells and more take seconds to send."""
    click = " · click for the match" if matrix.opens_match else ""
    known = np.isfinite(matrix.payoff)
    told: dict[str, object] = {"hoverongaps": False}
    error, count = "", ""
    if (matrix.half_width[known] > DUST).any() or matrix.episodes.any():
        told["customdata"] = np.stack([matrix.half_width, matrix.episodes], axis=2).astype(np.float32)
        error, count = " ± %{customdata[0]:.2~g} (95 %)", ", %{customdata[1]:d} episodes"
    pair = "<b>%{y}</b> against <b>%{x}</b>"
    told["hovertemplate"] = f"{pair}<br>%{{z:+.4~g}}{error}<br>{safe(matrix.unit)}{count}{click}<extra></extra>"
    return told


def _cell_notes(matrix: Matrix) -> list[list[str]]:
    """Returns the tooltip of each cell: both names, the payoff with its error, and on how much it rests."""
    notes = []
    for row, name in enumerate(matrix.rows):
        line = []
        for column, opponent in enumerate(matrix.columns):
            payoff, half = float(matrix.payoff[row, column]), float(matrix.half_width[row, column])
            pair = f"<b>{safe(name)}</b> against <b>{safe(opponent)}</b>"
            if not np.isfinite(payoff):
                line.append(f"{pair}<br>not played")
                continue
            error = _error(half)
            line.append(
                f"{pair}<br>{number(payoff, half, signed=True)}{error}<br>{safe(matrix.unit)}"
                f"{_count(int(matrix.episodes[row, column]), matrix.opens_match)}"
            )
        notes.append(line)
    return notes


def _count(episodes: int, opens_match: bool) -> str:
    if opens_match:
        return f", {episodes} episodes · click for the match"
    return f", {episodes} episodes" if episodes else ""  # what people bring along has none


def _error(half_width: float) -> str:
    if not np.isfinite(half_width):
        return ", error unknown"
    if half_width < DUST:
        return ", exact"
    return f" ± {number(half_width, half_width)} (95 %), standard error {number(half_width / 1.96)}"
