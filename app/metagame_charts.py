"""Figures of the Meta-game page that show at once: sigma with its intervals, and every policy alone against sigma.

Plain numbers in, Plotly figures out. Names come from models and people: they pass `safe`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from app import colours
from app.charts import plus_minus
from app.formats import number, safe, short, wrapped
from csro_core.estimates import Estimate

BARE = {"showgrid": False, "zeroline": False}
SMALL = {"size": 11}
MARGIN = {"l": 4, "r": 8, "t": 8, "b": 4}

MOST_BARS = 30
"""So many policies have a bar in the chart of sigma, the heaviest."""

MOST_NAMES = 50
"""Up to so many policies have their names beside an axis; the tooltips have them all."""

_ROW, _LOWEST, _CROWDED = 22, 200, 640
_SEEN = 0.0005
_LONGEST = 16


@dataclass(frozen=True)
class Cast:
    """The policies of one player as charts show them.

    Attributes:
        names: `[N]` for people; two may be equal.
        palette: `[N]` their colours.
    """

    names: tuple[str, ...]
    palette: tuple[str, ...]

    def label(self, policy: int) -> str:
        """Returns a name for an axis, cut and safe."""
        return safe(short(self.names[policy], _LONGEST))

    def tip(self, policy: int) -> str:
        """Returns a name for a tooltip, safe."""
        return f"<b>{safe(short(self.names[policy], 80))}</b>"


@dataclass(frozen=True)
class Mixture:
    """Sigma of one player and how well it is known.

    Attributes:
        weights: `[N]` the mixture.
        low: `[N]` lower ends of the bootstrap's 95 % intervals; None where there are none.
        high: `[N]` upper ends.
        evaluation: `[N]` the mixture of the solver that is used for evaluation, where it is another; else None.
    """

    weights: NDArray[np.float64]
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    evaluation: NDArray[np.float64] | None = None

    @property
    def reach(self) -> NDArray[np.float64]:
        """`[N]` the largest weight that the chart shows of each policy."""
        shown = [part for part in (self.weights, self.high, self.evaluation) if part is not None]
        largest: NDArray[np.float64] = np.max(shown, axis=0)
        return largest


def bars_of(mixture: Mixture, order: Sequence[int]) -> list[int]:
    """Returns the policies that the chart of sigma has a bar for, in the order given."""
    reach = mixture.reach
    seen = [policy for policy in order if reach[policy] > _SEEN]
    kept = set(sorted(seen, key=lambda policy: -reach[policy])[:MOST_BARS])
    return [policy for policy in seen if policy in kept]


def sigma_figure(mixture: Mixture, cast: Cast, order: Sequence[int], who: str = "") -> go.Figure:
    """Returns sigma as bars with the bootstrap's intervals; diamonds mark the evaluation sigma.

    Args:
        mixture: see `Mixture`.
        cast: the policies.
        order: all of them, from top to bottom; those that no mixture plays have no bar.
        who: "" or the player, for the axis.
    """
    shown = bars_of(mixture, order)
    places = list(range(len(shown)))
    bar = go.Bar(
        x=mixture.weights[shown], y=places, orientation="h", name="sigma",
        marker={"color": [cast.palette[policy] for policy in shown], "line": {"width": 0}},
        customdata=[_sigma_tip(mixture, cast, policy) for policy in shown],
        hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip
    if mixture.low is not None and mixture.high is not None:
        # A bootstrap's interval need not hold the estimate: a bar never points the other way.
        up = np.maximum(mixture.high[shown] - mixture.weights[shown], 0.0)
        down = np.maximum(mixture.weights[shown] - mixture.low[shown], 0.0)
        bar.error_x = {
            "type": "data", "symmetric": False, "array": up, "arrayminus": down, "thickness": 1.4, "width": 4,
            "color": "#7f8791",
        }  # fmt: skip
    figure = go.Figure(bar)
    if mixture.evaluation is not None:
        figure.add_trace(
            go.Scatter(
                x=mixture.evaluation[shown], y=places, mode="markers", name="evaluation sigma",
                marker={"symbol": "diamond-open", "size": 10, "color": colours.GAP, "line": {"width": 2}},
                customdata=[cast.tip(policy) for policy in shown],
                hovertemplate="%{customdata}: %{x:.3f} in the evaluation sigma<extra></extra>",
            )
        )  # fmt: skip
    largest = float(mixture.reach.max(initial=0.0)) or 1.0
    figure.update_layout(
        xaxis={
            "title": {"text": f"weight in sigma{who} (probability)", "font": SMALL},
            "range": [0, min(1.02, 1.08 * largest)], "zeroline": False,
        },
        yaxis=named([cast.label(policy) for policy in shown], flipped=True),
        showlegend=mixture.evaluation is not None,
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        bargap=0.25, height=_height(len(shown)), margin=MARGIN,
    )  # fmt: skip
    return figure


def _sigma_tip(mixture: Mixture, cast: Cast, policy: int) -> str:
    text = f"{cast.tip(policy)}: {mixture.weights[policy]:.3f} in sigma"
    if mixture.low is not None and mixture.high is not None:
        text += f"<br>95 % interval {mixture.low[policy]:.3f} to {mixture.high[policy]:.3f}"
    return text


def alone_figure(
    payoffs: Sequence[Estimate | None],
    value: float,
    weights: NDArray[np.float64],
    cast: Cast,
    look: "AloneLook",
) -> go.Figure:
    """Returns what every policy earns if it is played alone against sigma, with 95 % intervals.

    Args:
        payoffs: `[N]` None where it never met all of sigma.
        value: what sigma itself earns, the line.
        weights: `[N]` sigma of this player: its members are filled.
        cast: the policies.
        look: order, unit and theme.
    """
    shown = [policy for policy in look.order if payoffs[policy] is not None]
    known = [(policy, payoff) for policy in shown if (payoff := payoffs[policy]) is not None]
    halves = [payoff.half_width if isfinite(payoff.half_width) else 0.0 for _, payoff in known]
    ink = colours.gain(look.dark)
    figure = go.Figure(
        go.Scatter(
            x=[payoff.mean for _, payoff in known],
            y=list(range(len(shown))),
            mode="markers",
            error_x={"type": "data", "array": halves, "thickness": 1.2, "width": 3, "color": "#7f8791"},
            marker={
                "size": 9 if len(shown) <= MOST_NAMES else 5,
                "color": [ink if weights[policy] > _SEEN else colours.page(look.dark) for policy in shown],
                "line": {"width": 1.6, "color": ink},
            },
            customdata=[
                f"{cast.tip(policy)}<br>{plus_minus(payoff.mean, payoff.half_width, payoff.episodes)}"
                f"<br>{safe(look.unit)}, {'in' if weights[policy] > _SEEN else 'not in'} sigma"
                for policy, payoff in known
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    if isfinite(value):
        figure.add_vline(
            x=value, line={"width": 1.4, "color": colours.GAP, "dash": "dash"},
            annotation={"text": f"sigma earns {number(value)}", "font": SMALL, "yanchor": "bottom"},
            annotation_position="top",
        )  # fmt: skip
    figure.update_layout(
        xaxis={"title": {"text": f"payoff alone against sigma{look.who},<br>{wrapped(look.unit, 40)}", "font": SMALL},
               "zeroline": True, "zerolinecolor": colours.QUIET},
        yaxis=named([cast.label(policy) for policy in shown], flipped=True),
        showlegend=False, height=_height(len(shown)) + 36, margin={**MARGIN, "t": 26},
    )  # fmt: skip
    return figure


@dataclass(frozen=True)
class AloneLook:
    """How `alone_figure` is drawn: the order from top to bottom, the unit, " of player 0" or "", the theme."""

    order: tuple[int, ...]
    unit: str
    who: str
    dark: bool


def named(labels: Sequence[str], flipped: bool = False) -> dict[str, object]:
    """Returns an axis of policies; more names than fit are only in the tooltips.

    Args:
        labels: names, safe and cut.
        flipped: True: the first one on top.
    """
    crowded = len(labels) > MOST_NAMES
    edge = max(len(labels), 1) - 0.5
    return {
        "tickvals": [] if crowded else list(range(len(labels))), "ticktext": [] if crowded else list(labels),
        "range": [edge, -0.5] if flipped else [-0.5, edge], "automargin": True, **BARE,
        "tickfont": {"size": 11 if len(labels) <= 25 else 9},
        "title": {"text": "policy", "font": SMALL, "standoff": 16},
    }  # fmt: skip


def _height(rows: int) -> int:
    return _CROWDED if rows > MOST_NAMES else min(_CROWDED, max(_LOWEST, 90 + _ROW * rows))
