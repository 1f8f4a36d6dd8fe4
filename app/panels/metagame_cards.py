"""How each picture of a meta-game is drawn once it is computed, and what can be chosen for it."""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np
import streamlit as st

from app import address
from app import metagame_charts_dynamics as dynamics
from app import metagame_charts_maps as maps
from app.formats import duration, number, plain, safe, short
from app.metagame_charts_solvers import MOST_COLUMNS, SolvedRow, solvers_figure
from app.metagame_data import Shown
from app.panels.assessment import numbered
from app.panels.metagame_board import ORDERS
from app.panels.metagame_figure import figure

Document = Mapping[str, Any]
Params = Mapping[str, Any]
Charts = list[tuple[str, str]]

_THREE = "three"
_LONGEST_NAME = 30
_MOST_LISTED = 200


def params(name: str, shown: Shown) -> dict[str, Any]:
    """Returns what a picture is computed with, as the address says it."""
    return {"policies": _three(shown)} if name == "replicator" else {}


def choose(name: str, shown: Shown) -> dict[str, Any]:
    """Draws what can be chosen for a picture before it is computed; returns its params."""
    if name == "replicator":
        wanted = _three(shown)
        for place, column in enumerate(st.columns(3, gap="small")):
            key = f"replicator_{place}"
            st.session_state[key] = wanted[place]
            column.selectbox(
                f"policy {place + 1}", range(shown.game.sizes[0]), key=key, label_visibility="collapsed",
                format_func=lambda policy: short(shown.casts[0].names[policy], _LONGEST_NAME), on_change=_follow_three,
            )  # fmt: skip
    return params(name, shown)


def _follow_three() -> None:
    address.put(**{_THREE: ".".join(str(st.session_state[f"replicator_{place}"]) for place in range(3))})


def _three(shown: Shown) -> list[int]:
    """Returns three different policies: those that the address names, filled up with the heaviest of sigma."""
    size = shown.game.sizes[0]
    named = [int(part) for part in address.get(_THREE).split(".") if part.isdecimal() and len(part) < 6]
    found: list[int] = []
    for policy in (*named[:3], *shown.order(0, "sigma")):
        if policy < size and policy not in found:
            found.append(policy)
    return found[:3]


def draw(name: str, document: Document, shown: Shown, chosen: Params) -> Charts:
    """Draws a computed picture.

    Args:
        name: of the picture.
        document: what was computed.
        shown: the meta-game it belongs to.
        chosen: the params it was computed with.

    Returns:
        (key, what it shows) of each figure, for the downloads.
    """
    return _DRAWERS[name](document, shown, chosen)


def _dark() -> bool:
    return st.context.theme.type == "dark"


def _solvers(document: Document, shown: Shown, chosen: Params) -> Charts:
    rows = [row for row in document["rows"] if row.get("sigma")]
    charts: Charts = []
    by = address.get("order")
    for player in shown.players:
        answers = [
            SolvedRow(
                str(row["solver"]), np.asarray(row["sigma"][min(player, len(row["sigma"]) - 1)], dtype=float),
                numbered(row.get("nash_conv")), numbered(row.get("value")),
            )
            for row in rows
        ]  # fmt: skip
        if answers:
            key = f"picture_solvers_{player}"
            if shown.who(player):
                st.caption(f"player {player}")
            order = shown.order(player, by if by in ORDERS else "age")  # type: ignore[arg-type]
            drawn = solvers_figure(answers, shown.casts[player], order, shown.unit, _dark())
            figure(drawn, key, f"Weights of each policy by {len(answers)} meta-solvers{shown.who(player)}.")
            if len(order) > MOST_COLUMNS:
                st.caption(f"The {MOST_COLUMNS} heaviest of {len(order)} policies have a column.")
            charts.append((key, shown.who(player)[4:]))
    for row in document["rows"]:
        said = row.get("error") or row.get("note")
        if said:
            st.html(f'<div class="csro-note"><b>{safe(str(row["solver"]))}</b>: {safe(short(str(said), 400))}</div>')
    times = ", ".join(f"{row['solver']} {duration(numbered(row.get('seconds')))}" for row in rows)
    st.html(f'<div class="csro-note">Time: {safe(times)}.</div>')
    return charts


def _decomposition(document: Document, shown: Shown, chosen: Params) -> Charts:
    key = "picture_decomposition"
    drawn = maps.decomposition_figure(document, shown.casts[0], shown.unit, _dark())
    figure(drawn, key, "Two heat-maps: the transitive and the cyclic part of the payoffs.")
    return [(key, "")]


def _disc(document: Document, shown: Shown, chosen: Params) -> Charts:
    key = "picture_disc"
    figure(maps.disc_figure(document, shown.casts[0], shown.unit, _dark()), key, "Policies as points in a disc.")
    return [(key, "")]


def _gamescape(document: Document, shown: Shown, chosen: Params) -> Charts:
    key = "picture_gamescape"
    drawn = maps.gamescape_figure(document, shown.casts[0], shown.unit, _dark())
    figure(drawn, key, "Policies as points by their rows of payoffs, with the hull round them.")
    return [(key, "")]


def _spinning_top(document: Document, shown: Shown, chosen: Params) -> Charts:
    key = "picture_spinning_top"
    drawn = maps.spinning_top_figure(document, shown.casts[0], _dark())
    figure(drawn, key, "Bars: the size of each Nash cluster, the strongest on top; points: cycles through each policy.")
    return [(key, "")]


def _alpha_rank(document: Document, shown: Shown, chosen: Params) -> Charts:
    alphas = [numbered(alpha) for alpha in document["alphas"]]
    named = address.number("alpha")
    place = named if named is not None and named < len(alphas) else int(document["chosen"])
    place = max(0, min(place, len(alphas) - 1))
    if len(alphas) > 1:
        st.session_state["alpha_slider"] = place
        st.select_slider(
            "alpha: how strongly better replies are preferred", list(range(len(alphas))), key="alpha_slider",
            format_func=lambda one: _alpha_text(alphas[one]), on_change=_follow_alpha,
        )  # fmt: skip
    left, right = st.columns(2, gap="medium")
    with left:
        drawn = dynamics.response_figure(document, shown.casts, place, _dark())
        figure(drawn, "picture_alpha_graph", "Graph: arrows lead from each profile to better replies.")
        total = len(document["profiles"])
        most = dynamics.MOST_NODES
        some = f"the {most} heaviest of {total} profiles at this alpha; " if total > most else ""
        st.caption(f"Shown: {some}the strongest arrows from each. Ringed: where better replies end.")
    with right:
        drawn = dynamics.sweep_figure(document, shown.casts, place, _dark())
        figure(drawn, "picture_alpha_sweep", "Curves: the share of time in each profile over alpha.")
    return [("picture_alpha_graph", "graph"), ("picture_alpha_sweep", "sweep")]


def _follow_alpha() -> None:
    address.put(alpha=int(st.session_state["alpha_slider"]))


def _alpha_text(alpha: float) -> str:
    return f"{alpha:.3g}" if isfinite(alpha) else "∞"


def _diversity(document: Document, shown: Shown, chosen: Params) -> Charts:
    key = "picture_diversity"
    figure(
        dynamics.diversity_figure(document, shown.unit, bool(shown.game.iterations), _dark()), key,
        "Curves over the iterations: effective diversity, expected cardinality, number of policies.",
    )  # fmt: skip
    return [(key, "")]


def _dominance(document: Document, shown: Shown, chosen: Params) -> Charts:
    for player in shown.players:
        found: Sequence[Document] = document["players"][player]
        cast = shown.casts[player]
        size = len(cast.names)
        st.caption(f"{len(found)} of {size} policies{shown.who(player)} are dominated.")
        lines = "".join(
            f'<tr><td class="words">{safe(short(cast.names[int(one["policy"])], _LONGEST_NAME))}</td>'
            f'<td class="words">{"strictly" if one["strict"] else "weakly"}</td>'
            f'<td class="words">{_mixture(one["by"], cast.names)}</td></tr>'
            for one in found[:_MOST_LISTED]
        )
        if lines:
            st.html(
                '<div class="csro-scores csro-dominated" role="region" aria-label="dominated policies" tabindex="0">'
                '<table class="csro-table"><thead><tr><th>policy</th><th>how</th><th>by the mixture</th></tr></thead>'
                f"<tbody>{lines}</tbody></table></div>"
            )
    return []


def _mixture(by: Sequence[Sequence[float]], names: Sequence[str]) -> str:
    heaviest = sorted(by, key=lambda part: -part[1])
    parts = [f"{number(float(share))} {safe(short(names[int(policy)], 20))}" for policy, share in heaviest[:5]]
    return " + ".join(parts) + (f" + {len(heaviest) - 5} more" if len(heaviest) > 5 else "")


def _replicator(document: Document, shown: Shown, chosen: Params) -> Charts:
    key = "picture_replicator"
    three = [int(policy) for policy in chosen["policies"]]
    names = ", ".join(shown.casts[0].names[policy] for policy in three)
    drawn = dynamics.replicator_figure(document, three, shown.casts[0], _dark())
    figure(drawn, key, f"Triangle: how the weights of {plain(short(names, 120))} change.")
    return [(key, "")]


_DRAWERS: Mapping[str, Callable[[Document, Shown, Params], Charts]] = {
    "solvers": _solvers,
    "decomposition": _decomposition,
    "disc": _disc,
    "gamescape": _gamescape,
    "spinning-top": _spinning_top,
    "alpha-rank": _alpha_rank,
    "diversity": _diversity,
    "dominance": _dominance,
    "replicator": _replicator,
}
