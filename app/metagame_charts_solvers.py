"""The mixtures that several meta-solvers make of one matrix, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from app import colours
from app.formats import number, safe, weight, wrapped
from app.metagame_charts import BARE, MARGIN, MOST_NAMES, SMALL, Cast

NUMBERS_UP_TO = 25
"""Weights are written on the cells for at most so many policies."""

MOST_COLUMNS = 60
"""So many policies have a column, the heaviest in any mixture."""


@dataclass(frozen=True)
class SolvedRow:
    """One solver's answer: name, `[N]` weights of the player shown, NashConv, value to player 0."""

    solver: str
    weights: NDArray[np.float64]
    nash_conv: float
    value: float


def shown_policies(rows: Sequence[SolvedRow], order: Sequence[int]) -> list[int]:
    """Returns the policies that have a column, in the order given."""
    reach = np.max([row.weights for row in rows], axis=0)
    kept = set(np.argsort(-reach, kind="stable")[:MOST_COLUMNS].tolist())
    return [policy for policy in order if policy in kept]


def solvers_figure(rows: Sequence[SolvedRow], cast: Cast, order: Sequence[int], unit: str, dark: bool) -> go.Figure:
    """Returns a table in colours: a row per solver, a column per policy, the weight in the cell.

    Args:
        rows: at least one.
        cast: the policies.
        order: all of them, from left to right.
        unit: of a payoff.
        dark: the theme.
    """
    policies = shown_policies(rows, order)
    values = np.array([row.weights[policies] for row in rows])
    notes = [[f"{cast.tip(policy)}<br>{safe(row.solver)}" for policy in policies] for row in rows]
    figure = go.Figure(
        go.Heatmap(
            z=values.astype(np.float32), zmin=0, zmax=max(float(values.max(initial=0.0)), 1e-9),
            colorscale=colours.sequential(dark), xgap=1, ygap=2, customdata=notes,
            hovertemplate="%{customdata}: weight %{z:.4f}<extra></extra>",
            colorbar={"title": {"text": "weight<br>(probability)", "font": SMALL}, "thickness": 10},
        )
    )  # fmt: skip
    if len(policies) <= NUMBERS_UP_TO:
        figure.add_trace(_numbers(values, dark))
    crowded = len(policies) > MOST_NAMES
    ticks = [
        f"<b>{safe(row.solver)}</b><br>NashConv {number(row.nash_conv)}, value {number(row.value)}" for row in rows
    ]
    figure.update_layout(
        xaxis={"tickvals": [] if crowded else list(range(len(policies))),
               "ticktext": [] if crowded else [cast.label(policy) for policy in policies], "tickfont": {"size": 10},
               "tickangle": -45 if len(policies) > 4 else 0, "range": [-0.5, len(policies) - 0.5], **BARE,
               "automargin": True, "title": {"text": "policy", "font": SMALL}},
        yaxis={"tickvals": list(range(len(rows))), "ticktext": ticks, "tickfont": {"size": 10}, "automargin": True,
               "range": [len(rows) - 0.5, -0.5], **BARE,
               "title": {"text": f"meta-solver<br>({wrapped(unit, 40)})", "font": SMALL, "standoff": 18}},
        plot_bgcolor="rgba(0,0,0,0)", showlegend=False, margin=MARGIN, height=110 + 34 * max(len(rows), 3),
    )  # fmt: skip
    return figure


def _numbers(values: NDArray[np.float64], dark: bool) -> go.Scatter:
    rows, columns = values.shape
    largest = float(values.max(initial=0.0)) or 1.0
    grounds = [colours.diverging_at(0.5 + 0.5 * float(share) / largest, dark) for share in values.ravel()]
    return go.Scatter(
        x=np.tile(np.arange(columns), rows), y=np.repeat(np.arange(rows), columns), mode="text",
        text=[weight(float(share)) if share > 0.0005 else "" for share in values.ravel()],
        textfont={"size": 11, "color": [colours.text_on(ground, dark) for ground in grounds]}, hoverinfo="skip",
    )  # fmt: skip
