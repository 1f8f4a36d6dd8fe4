"""Maps of a meta-game: decomposition, disc, gamescape, spinning top. Documents of `csro_core.analysis` in, figures out.

Documents know policies by index; names and colours come with the `Cast`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from app import colours
from app.formats import wrapped
from app.metagame_charts import BARE, MARGIN, MOST_NAMES, SMALL, Cast

_FEW_POINTS = 30
"""Up to so many points have their names beside them."""

_MAP_HEIGHT = 460


def decomposition_figure(document: Mapping[str, Any], cast: Cast, unit: str, dark: bool) -> go.Figure:
    """Returns the transitive and the cyclic part side by side in one colour scale, the highest rating first."""
    order = np.argsort(-np.asarray(document["ratings"], dtype=float), kind="stable")
    grid = np.ix_(order, order)
    parts = [np.asarray(document[name], dtype=float)[grid] for name in ("transitive", "cyclic")]
    limit = max(float(np.abs(part).max(initial=0.0)) for part in parts) or 1.0
    names = [cast.label(int(policy)) for policy in order]
    crowded = len(names) > MOST_NAMES
    rows = {"text": "row policy, by rating", "font": SMALL}
    figure = go.Figure()
    for place, (part, name) in enumerate(zip(parts, ("transitive", "cyclic"), strict=True)):
        axes = {"xaxis": "x2", "yaxis": "y2"} if place else {}
        figure.add_trace(
            go.Heatmap(
                z=part.astype(np.float32), zmin=-limit, zmax=limit, colorscale=colours.diverging(dark),
                showscale=bool(place), xgap=0 if crowded else 1, ygap=0 if crowded else 1,
                colorbar={"title": {"text": wrapped(unit, 18), "font": SMALL}, "thickness": 10},
                hovertemplate=f"{name}: <b>%{{y}}</b> against <b>%{{x}}</b><br>%{{z:.4g}}<extra></extra>", **axes,
            )
        )  # fmt: skip
    for place, name in enumerate(("transitive", "cyclic")):
        mark = "2" if place else ""
        figure.update_layout(
            {
                f"xaxis{mark}": {
                    **_hidden_names(names), "domain": [0.52, 1] if place else [0, 0.48], "anchor": f"y{mark}",
                    "tickangle": -60,
                    "title": {"text": f"opponent<br><b>{name} part: {_percent(document[f'{name}_share'])}</b>",
                              "font": SMALL},
                },
                f"yaxis{mark}": {
                    **_hidden_names(names), "range": [len(names) - 0.5, -0.5], "anchor": f"x{mark}",
                    **({"showticklabels": False} if place else {"title": rows}),
                },
            }
        )  # fmt: skip
    height = _MAP_HEIGHT if crowded else max(_MAP_HEIGHT, 150 + 13 * len(names))
    figure.update_layout(plot_bgcolor="rgba(0,0,0,0)", height=height, margin=MARGIN)
    return figure


def disc_figure(document: Mapping[str, Any], cast: Cast, unit: str, dark: bool) -> go.Figure:
    """Returns the policies in the disc of the largest Schur block, and the weights of all blocks."""
    figure = go.Figure(_points(document["points"], cast, dark))
    reach = float(np.hypot(*np.asarray(document["points"], dtype=float).reshape(-1, 2).T).max(initial=0.0)) or 1.0
    figure.add_trace(_circle(reach))
    figure.add_trace(
        go.Scatter(x=[0], y=[0], mode="markers", marker={"symbol": "cross-thin-open", "size": 12,
                   "color": "#7f8791"}, hoverinfo="skip")
    )  # fmt: skip
    weights = [float(weight) for weight in document["weights"]][:20]
    figure.add_trace(
        go.Bar(x=list(range(1, len(weights) + 1)), y=weights, xaxis="x2", yaxis="y2", marker={
            "color": [colours.ACCENT, *([colours.QUIET] * (len(weights) - 1))]},
            hovertemplate="block %{x}: weight %{y:.4g}<extra></extra>")
    )  # fmt: skip
    root = wrapped(f"square root of {unit or 'a payoff'}", 36)
    block = f"Schur block<br>(the first: {_percent(document['share'])})"
    heavy = f"weight of the block<br>({wrapped(unit or 'payoff', 34)})"
    figure.update_layout(
        xaxis={"domain": [0, 0.62], "title": {"text": f"first coordinate ({root})", "font": SMALL}, **_centred(reach)},
        yaxis={"title": {"text": f"second coordinate ({root})", "font": SMALL}, "scaleanchor": "x", **_centred(reach)},
        xaxis2={"domain": [0.83, 1], "anchor": "y2", "dtick": max(1, len(weights) // 5), **BARE,
                "title": {"text": block, "font": SMALL}},
        yaxis2={"anchor": "x2", "title": {"text": heavy, "font": SMALL, "standoff": 4}, "rangemode": "tozero", **BARE},
        showlegend=False, height=_MAP_HEIGHT, margin=MARGIN,
    )  # fmt: skip
    return figure


def gamescape_figure(document: Mapping[str, Any], cast: Cast, unit: str, dark: bool) -> go.Figure:
    """Returns the policies by their rows of payoffs along two directions, with the hull round them."""
    points = np.asarray(document["points"], dtype=float).reshape(-1, 2)
    figure = go.Figure()
    hull = [int(policy) for policy in document["hull"]]
    if len(hull) > 1:
        closed = points[[*hull, hull[0]]]
        figure.add_trace(
            go.Scatter(x=closed[:, 0], y=closed[:, 1], mode="lines", fill="toself", fillcolor="rgba(76,141,214,.12)",
                       line={"width": 1.4, "color": colours.ACCENT}, hoverinfo="skip")
        )  # fmt: skip
    figure.add_trace(_points(points, cast, dark))
    first, second = (float(share) for share in document["shares"][:2])
    words = wrapped(unit or "payoff", 40)
    figure.update_layout(
        xaxis={"title": {"text": f"first direction, {_percent(first)} of the variance ({words})", "font": SMALL}},
        yaxis={"title": {"text": f"second direction, {_percent(second)}<br>({words})", "font": SMALL}},
        showlegend=False, height=_MAP_HEIGHT, margin=MARGIN,
    )  # fmt: skip
    return figure


def spinning_top_figure(document: Mapping[str, Any], cast: Cast, dark: bool) -> go.Figure:
    """Returns the Nash clusters as a top, the strongest above, and the 3-cycles through each policy."""
    clusters = [[int(policy) for policy in cluster] for cluster in document["clusters"]]
    sizes = [len(cluster) for cluster in clusters]
    strength = [float(value) for value in document["strength"]]
    figure = go.Figure(
        go.Bar(
            x=sizes, base=[-size / 2 for size in sizes], y=list(range(1, len(sizes) + 1)), orientation="h",
            marker={"color": strength, "colorscale": colours.diverging(dark), "cmin": 0, "cmax": 1,
                    "line": {"width": 1, "color": colours.QUIET}},
            customdata=[_cluster_tip(place, cluster, value, cast)
                        for place, (cluster, value) in enumerate(zip(clusters, strength, strict=True), start=1)],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )  # fmt: skip
    rates, cycles = document["win_rate"], document["cycles"]
    figure.add_trace(
        go.Scatter(
            x=cycles, y=rates, xaxis="x2", yaxis="y2", mode="markers",
            marker={"size": 9, "color": list(cast.palette), "line": {"width": 1, "color": colours.page(dark)}},
            customdata=[cast.tip(policy) for policy in range(len(rates))],
            hovertemplate="%{customdata}: wins against %{y:.0%} of the others, in %{x} 3-cycles<extra></extra>",
        )
    )  # fmt: skip
    widest = max(sizes, default=1)
    figure.update_layout(
        xaxis={"domain": [0, 0.46], "range": [-0.56 * widest, 0.56 * widest], "showticklabels": False, **BARE,
               "title": {"text": f"width: policies in the cluster (widest {widest})", "font": SMALL}},
        yaxis={"range": [len(sizes) + 0.6, 0.4], "dtick": max(1, len(sizes) // 10), **BARE,
               "title": {"text": "Nash cluster, 1 = strongest", "font": SMALL}},
        xaxis2={"domain": [0.58, 1], "anchor": "y2", "rangemode": "tozero",
                "title": {"text": "3-cycles through the policy (count)", "font": SMALL}},
        yaxis2={"anchor": "x2", "tickformat": ".0%", "range": [-0.04, 1.04],
                "title": {"text": "others that it beats (share)", "font": SMALL, "standoff": 4}},
        showlegend=False, bargap=0.12, height=_MAP_HEIGHT, margin=MARGIN,
    )  # fmt: skip
    return figure


def _cluster_tip(place: int, cluster: Sequence[int], strength: float, cast: Cast) -> str:
    listed = ", ".join(cast.label(policy) for policy in cluster[:8])
    more = f" and {len(cluster) - 8} more" if len(cluster) > 8 else ""
    return (
        f"cluster {place}: {len(cluster)} {'policy' if len(cluster) == 1 else 'policies'}<br>{listed}{more}"
        f"<br>mean share of the others that its members beat: {_percent(strength)}"
    )


def _points(points: Sequence[Sequence[float]] | NDArray[np.float64], cast: Cast, dark: bool) -> go.Scatter:
    """Returns policies as points in their colours, a few of them with their names."""
    places = np.asarray(points, dtype=float).reshape(-1, 2)
    few = len(places) <= _FEW_POINTS
    return go.Scatter(
        x=places[:, 0], y=places[:, 1], mode="markers+text" if few else "markers",
        text=[cast.label(policy) for policy in range(len(places))] if few else None,
        textposition="top center", textfont={"size": 10},
        marker={"size": 10 if few else 7, "color": list(cast.palette[: len(places)]),
                "line": {"width": 1, "color": colours.page(dark)}},
        customdata=[cast.tip(policy) for policy in range(len(places))],
        hovertemplate="%{customdata}<br>(%{x:.4g}, %{y:.4g})<extra></extra>",
    )  # fmt: skip


def _circle(reach: float) -> go.Scatter:
    angles = np.linspace(0, 2 * np.pi, 97)
    return go.Scatter(
        x=reach * np.cos(angles), y=reach * np.sin(angles), mode="lines", hoverinfo="skip",
        line={"width": 1, "color": colours.QUIET, "dash": "dot"},
    )  # fmt: skip


def _centred(reach: float) -> dict[str, object]:
    return {"range": [-1.15 * reach, 1.15 * reach], "zeroline": False, "constrain": "domain"}


def _hidden_names(labels: list[str]) -> dict[str, object]:
    """Returns an axis whose tooltips know all names, and whose ticks show them only where there is room."""
    return {
        "tickvals": list(range(len(labels))), "ticktext": labels, "showticklabels": len(labels) <= MOST_NAMES,
        "ticks": "", "tickfont": {"size": 9}, "automargin": True, **BARE,
    }  # fmt: skip


def _percent(share: float) -> str:
    return f"{100 * float(share):.0f} %"
