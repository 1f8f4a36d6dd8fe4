"""The payoff matrix as a heat-map with sigma on the same rows: plain data in, a Plotly figure out.

Names come from models and people: they pass `safe`, because Plotly reads tags in labels.
"""

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from app import colours
from app.formats import number, safe, short, weight

NUMBERS_UP_TO = 25
"""Numbers are written on the cells of a payoff matrix of at most this many policies a side."""


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


def payoff_figure(matrix: Matrix, dark: bool) -> go.Figure:
    """Returns the heat-map "payoff to the row policy" with the weights of sigma on the same rows."""
    count_rows, count_columns = matrix.payoff.shape
    figure = go.Figure()
    limit = float(np.nanmax(np.abs(matrix.payoff))) if np.isfinite(matrix.payoff).any() else 1.0
    small = max(count_rows, count_columns) <= NUMBERS_UP_TO
    figure.add_trace(
        go.Heatmap(
            z=matrix.payoff.astype(np.float32),
            zmin=-(limit or 1.0),
            zmax=limit or 1.0,
            colorscale=colours.diverging(dark),
            xgap=1,
            ygap=1,
            text=_cell_texts(matrix) if small else None,
            texttemplate="%{text}" if small else None,
            textfont={"size": 12 if max(count_rows, count_columns) <= 14 else 10},
            customdata=_cell_notes(matrix),
            hovertemplate="%{customdata}<extra></extra>",
            hoverongaps=True,
            colorbar={"thickness": 8, "outlinewidth": 0, "x": 1.0, "xpad": 6, "nticks": 5, "len": 1.0},
        )
    )
    _add_sigma_bars(figure, matrix)
    own = matrix.column_sigma is not None
    ticks = list(range(count_rows))
    marked = [f"{safe(short(name))}{' ⚠' if name in matrix.forfeited else ''}" for name in matrix.rows]
    columns = [safe(short(name, 12)) for name in matrix.columns]
    dense = count_columns > 40
    figure.update_layout(
        xaxis={
            "domain": [0, 0.74],
            "tickvals": list(range(count_columns)),
            "ticktext": ["" for _ in columns] if dense else columns,
            "tickangle": -45 if count_columns > 4 else 0,
            "showgrid": False,
            "zeroline": False,
            "title": None,
        },
        yaxis={
            "domain": [0, 0.84] if own else [0, 1],
            "tickvals": ticks,
            "ticktext": ["" for _ in marked] if count_rows > 40 else marked,
            "range": [count_rows - 0.5, -0.5],
            "showgrid": False,
            "zeroline": False,
        },
        plot_bgcolor="rgba(0,0,0,0)",
        showlegend=False,
        height=int(min(640, max(250, 120 + 30 * count_rows))) + (50 if own else 0),
        margin={"l": 4, "r": 4, "t": 26, "b": 4},
        bargap=0.25,
        dragmode="zoom",
        shapes=[_unknown_background(count_rows, count_columns)],
    )
    return figure


def _add_sigma_bars(figure: go.Figure, matrix: Matrix) -> None:
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
            hovertemplate="sigma gives %{customdata} %{x:.3f}<extra></extra>",
        )
    )
    largest = float(matrix.row_sigma.max(initial=0.0)) or 1.0
    figure.update_layout(
        xaxis2={
            "domain": [0.84, 1],
            "anchor": "y",
            "range": [0, largest * 1.4],
            "showticklabels": False,
            "showgrid": False,
            "zeroline": False,
            "title": {"text": "sigma", "standoff": 4},
        }
    )
    figure.data[0].colorbar.x = 0.745
    if matrix.column_sigma is None:
        return
    figure.add_trace(
        go.Bar(
            x=list(range(len(matrix.columns))),
            y=matrix.column_sigma,
            yaxis="y2",
            marker={"color": list(matrix.column_colours)},
            customdata=[safe(name) for name in matrix.columns],
            hovertemplate="sigma of the column player gives %{customdata} %{y:.3f}<extra></extra>",
        )
    )
    figure.update_layout(
        yaxis2={
            "domain": [0.87, 1],
            "anchor": "x",
            "showticklabels": False,
            "showgrid": False,
            "zeroline": False,
            "title": {"text": "sigma", "standoff": 2},
        }
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
            error = f" ± {number(half, half)} (95 %), standard error {number(half / 1.96)}" if half > 0 else ""
            line.append(
                f"{pair}<br>{number(payoff, half, signed=True)}{error}<br>{safe(matrix.unit)}, "
                f"{int(matrix.episodes[row, column])} episodes · click for the match"
            )
        notes.append(line)
    return notes


def _unknown_background(rows: int, columns: int) -> dict[str, object]:
    """Returns a grey sheet below the cells; it shows where nothing was played."""
    return {
        "type": "rect",
        "layer": "below",
        "x0": -0.5,
        "x1": columns - 0.5,
        "y0": -0.5,
        "y1": rows - 0.5,
        "fillcolor": colours.UNKNOWN,
        "line": {"width": 0},
    }
