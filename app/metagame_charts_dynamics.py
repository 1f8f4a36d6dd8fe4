"""Motions in a meta-game: alpha-rank, diversity over iterations, replicator dynamics. Documents in, figures out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from app import colours
from app.formats import number, safe, short, weight, wrapped
from app.metagame_charts import BARE, MARGIN, SMALL, Cast

MOST_NODES = 16
"""So many profiles are drawn in the response graph, the heaviest at the alpha shown."""

_MOST_CURVES = 8
_DASHES = ("solid", "dash", "dot", "dashdot")
_MOST_ARROWS = 3
"""So many arrows leave a node of the response graph, the strongest: all of them would be a grey disc."""

_MAP_HEIGHT = 460
_TRIANGLE = "corner: weight 1 (probability) on that policy; opposite side: weight 0"
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
"""Where the three policies of the ternary plot stand."""


def profile_names(document: Mapping[str, Any], casts: tuple[Cast, Cast]) -> list[str]:
    """Returns safe names of the profiles: a policy, or one of each player."""
    return [
        " / ".join(safe(short(cast.names[int(policy)], 14)) for policy, cast in zip(profile, casts, strict=False))
        for profile in document["profiles"]
    ]


def response_figure(document: Mapping[str, Any], casts: tuple[Cast, Cast], chosen: int, dark: bool) -> go.Figure:
    """Returns the response graph: profiles on a circle, the larger the heavier; arrows lead to better replies.

    Args:
        document: of the picture "alpha-rank".
        casts: the policies of both players.
        chosen: index of the alpha that sizes the nodes.
        dark: the theme.
    """
    mass = np.asarray(document["stationary"][chosen], dtype=float)
    names = profile_names(document, casts)
    sinks = {int(sink) for sink in document["sinks"]}
    shown = sorted(int(profile) for profile in np.argsort(-mass, kind="stable")[:MOST_NODES])
    turn = {profile: np.pi / 2 - 2 * np.pi * place / len(shown) for place, profile in enumerate(shown)}
    spots = {profile: np.array([np.cos(angle), np.sin(angle)]) for profile, angle in turn.items()}
    figure = go.Figure(_arrows(_strongest(document["edges"], spots), 0.13))
    figure.add_trace(
        go.Scatter(
            x=[spots[profile][0] for profile in shown],
            y=[spots[profile][1] for profile in shown],
            mode="markers+text",
            text=[f"{names[profile]}<br>{weight(float(mass[profile]))}" for profile in shown],
            textposition=[_beside(spots[profile]) for profile in shown],
            textfont={"size": 10},
            marker={
                "size": [10 + 34 * np.sqrt(max(mass[profile], 0.0)) for profile in shown],
                "color": [casts[0].palette[int(document["profiles"][profile][0])] for profile in shown],
                "line": {
                    "width": [3 if profile in sinks else 1 for profile in shown],
                    "color": [colours.GAP if profile in sinks else colours.page(dark) for profile in shown],
                },
            },
            customdata=[
                f"<b>{names[profile]}</b><br>{mass[profile]:.4f} of the time"
                f"{'<br>where better replies end: once in, they never leave' if profile in sinks else ''}"
                for profile in shown
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    figure.update_layout(
        xaxis={"range": [-1.75, 1.75], "showticklabels": False, **BARE,
               "title": {"text": "size: share of time spent in the profile (probability)", "font": SMALL}},
        yaxis={"range": [-1.45, 1.45], "showticklabels": False, "scaleanchor": "x", **BARE},
        showlegend=False, height=_MAP_HEIGHT, margin=MARGIN,
    )  # fmt: skip
    return figure


def _strongest(
    edges: Sequence[Mapping[str, Any]], spots: Mapping[int, NDArray[np.float64]]
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Returns (start, end) of the few strongest arrows from each node to another that is drawn."""
    leaving: dict[int, int] = {}
    kept = []
    for edge in sorted(edges, key=lambda edge: -float(edge["ratio"])):
        start, end = int(edge["from"]), int(edge["to"])
        if start in spots and end in spots and leaving.get(start, 0) < _MOST_ARROWS:
            leaving[start] = leaving.get(start, 0) + 1
            kept.append((spots[start], spots[end]))
    return kept


def sweep_figure(document: Mapping[str, Any], casts: tuple[Cast, Cast], chosen: int, dark: bool) -> go.Figure:
    """Returns the share of time in each profile over alpha, with a line at the alpha that is shown."""
    alphas = np.asarray(document["alphas"], dtype=float)
    stationary = np.asarray(document["stationary"], dtype=float)
    names = profile_names(document, casts)
    heaviest = np.argsort(-stationary.max(axis=0), kind="stable")[:_MOST_CURVES]
    figure = go.Figure()
    for place, profile in enumerate(heaviest.tolist()):
        figure.add_trace(
            go.Scatter(
                x=alphas, y=stationary[:, profile], name=names[profile], mode="lines",
                line={
                    "width": 2, "color": _colour(document["profiles"][profile], place, casts),
                    "dash": _DASHES[place % len(_DASHES)],  # colours of a large population come near one another
                },
                hovertemplate=f"{names[profile]}: %{{y:.3f}}<extra></extra>",
            )
        )  # fmt: skip
    figure.add_vline(x=float(alphas[chosen]), line={"width": 1.2, "dash": "dot", "color": "#7f8791"})
    figure.update_layout(
        xaxis={"type": "log", "title": {"text": "alpha (selection intensity, per unit of payoff; log scale)",
                                        "font": SMALL}, "exponentformat": "power", "showgrid": False},
        yaxis={"range": [0, 1.02], "title": {"text": "share of time (probability)", "font": SMALL}},
        hovermode="x unified", height=_MAP_HEIGHT, margin=MARGIN,
        legend={"orientation": "h", "y": -0.2, "yanchor": "top", "x": 0, "font": {"size": 10}},
    )  # fmt: skip
    return figure


def _colour(profile: Sequence[int], place: int, casts: tuple[Cast, Cast]) -> str:
    """Returns the colour of the policy where a profile is one policy; a pair of policies has none of its own."""
    return casts[0].palette[profile[0]] if len(profile) == 1 else colours.STRONG[place % len(colours.STRONG)]


def diversity_figure(document: Mapping[str, Any], unit: str, by_iteration: bool, dark: bool) -> go.Figure:
    """Returns effective diversity above and expected cardinality below, as the population grew.

    Args:
        document: of the picture "diversity".
        unit: of a payoff.
        by_iteration: False: nobody knows when the policies joined; they are added in the order of the matrix.
        dark: the theme.
    """
    steps = document["iterations" if by_iteration else "sizes"]
    axis_title = "iterations finished" if by_iteration else "first policies of the matrix (count)"
    when = "after iteration %{x}" if by_iteration else "of the first %{x}"
    figure = go.Figure()
    for name, values, axis, colour in (
        ("effective diversity", document["effective"], "y", colours.gain(dark)),
        ("expected cardinality", document["cardinality"], "y2", colours.EXACT),
        ("policies", document["sizes"], "y2", "#7f8791"),
    ):
        figure.add_trace(
            go.Scatter(
                x=steps, y=values, name=name, yaxis=axis, mode="lines+markers", marker={"size": 5},
                line={"width": 2, "color": colour, "dash": "dot" if name == "policies" else "solid"},
                hovertemplate=f"{name} {when}: %{{y:.4g}}<extra></extra>",
            )
        )  # fmt: skip
    figure.update_layout(
        xaxis={"title": {"text": axis_title, "font": SMALL}, "showgrid": False, "zeroline": False,
               "anchor": "y2", "dtick": max(1, len(steps) // 10)},
        yaxis={"domain": [0.56, 1], "rangemode": "tozero",
               "title": {"text": f"effective diversity<br>({wrapped(unit or 'payoff', 24)})", "font": SMALL}},
        yaxis2={"domain": [0, 0.46], "rangemode": "tozero",
                "title": {"text": "expected cardinality<br>(policies)", "font": SMALL}},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}, height=400, margin=MARGIN,
    )  # fmt: skip
    return figure


def replicator_figure(document: Mapping[str, Any], chosen: Sequence[int], cast: Cast, dark: bool) -> go.Figure:
    """Returns the replicator dynamics of three policies in their triangle.

    Args:
        document: of the picture "replicator".
        chosen: the three policies, by index.
        cast: all policies.
        dark: the theme.
    """
    figure = go.Figure()
    outline = _CORNERS[[0, 1, 2, 0]]
    figure.add_trace(
        go.Scatter(x=outline[:, 0], y=outline[:, 1], mode="lines", line={"width": 1.4, "color": colours.QUIET},
                   hoverinfo="skip")
    )  # fmt: skip
    field = np.asarray(document["field"], dtype=float).reshape(-1, 6)
    figure.add_trace(_field(field))
    for path in document["paths"]:
        points = _flat(path)
        figure.add_trace(
            go.Scatter(x=points[:, 0], y=points[:, 1], mode="lines", line={"width": 1.6, "color": colours.gain(dark)},
                       hoverinfo="skip")
        )  # fmt: skip
    rest = np.asarray(document["rest_points"], dtype=float).reshape(-1, 3)
    spots = _flat(rest)
    figure.add_trace(
        go.Scatter(
            x=spots[:, 0], y=spots[:, 1], mode="markers",
            marker={"size": 11, "color": colours.page(dark), "line": {"width": 2, "color": colours.GAP}},
            customdata=[_shares(point, chosen, cast) for point in rest.tolist()],
            hovertemplate="at rest<br>%{customdata}<extra></extra>",
        )
    )  # fmt: skip
    for spot, policy, position in zip(_CORNERS, chosen, ("top right", "top left", "bottom center"), strict=True):
        figure.add_annotation(
            x=spot[0], y=spot[1], text=f"<b>{cast.label(policy)}</b>", showarrow=False, font={"size": 12},
            xanchor="center", yanchor="bottom" if position == "bottom center" else "top",
            yshift=9 if position == "bottom center" else -9,
        )  # fmt: skip
    figure.update_layout(
        xaxis={"range": [-0.12, 1.12], "showticklabels": False, **BARE, "title": {"text": _TRIANGLE, "font": SMALL}},
        yaxis={"range": [-0.1, 0.97], "showticklabels": False, "scaleanchor": "x", **BARE},
        showlegend=False, height=_MAP_HEIGHT, margin=MARGIN,
    )  # fmt: skip
    return figure


def _flat(points: object) -> NDArray[np.float64]:
    """Returns `[K, 2]` places in the triangle of `[K, 3]` weights."""
    flat: NDArray[np.float64] = np.asarray(points, dtype=float).reshape(-1, 3) @ _CORNERS
    return flat


def _field(field: NDArray[np.float64]) -> go.Scatter:
    """Returns the arrows of the field, all of readable length: they show where to, and by their size how fast."""
    start = _flat(field[:, :3])
    step = field[:, 3:] @ _CORNERS
    speed = np.hypot(step[:, 0], step[:, 1])
    fastest = float(speed.max(initial=0.0)) or 1.0
    length = 0.02 + 0.035 * np.sqrt(speed / fastest)
    moving = speed > 1e-9 * fastest
    way = step[moving] / speed[moving, None] * length[moving, None]
    return _arrows(list(zip(start[moving] - way / 2, start[moving] + way / 2, strict=True)), 0.0, 6)


def _arrows(
    edges: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]], short_of: float, size: int = 9
) -> go.Scatter:
    """Returns arrows as one trace: far cheaper than an annotation each.

    Args:
        edges: pairs of start and end.
        short_of: so much of each end is left free, for the node there.
        size: pixels of a head.
    """
    across: list[float | None] = []
    down: list[float | None] = []
    heads: list[int] = []
    for start, end in edges:
        span = float(np.hypot(*(end - start))) or 1.0
        gap = (end - start) / span * min(short_of, 0.4 * span)
        across += [float(start[0] + gap[0]), float(end[0] - gap[0]), None]
        down += [float(start[1] + gap[1]), float(end[1] - gap[1]), None]
        heads += [0, size, 0]
    return go.Scatter(
        x=across, y=down, mode="lines+markers", hoverinfo="skip", line={"width": 1, "color": colours.QUIET},
        marker={"symbol": "arrow", "angleref": "previous", "size": heads, "color": "#7f8791", "opacity": 0.9,
                "line": {"width": 0}},
    )  # fmt: skip


def _beside(spot: NDArray[np.float64]) -> str:
    if abs(spot[0]) < 0.5:
        return "top center" if spot[1] > 0 else "bottom center"
    return "middle right" if spot[0] > 0 else "middle left"


def _shares(point: Sequence[float], chosen: Sequence[int], cast: Cast) -> str:
    return "<br>".join(
        f"{cast.label(policy)} {number(float(share))}" for policy, share in zip(chosen, point, strict=True)
    )
