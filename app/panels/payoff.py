"""The payoff matrix with sigma on the same rows, the slider back through the iterations, and what the solver says."""

from collections.abc import Mapping
from typing import Literal

import numpy as np
import streamlit as st

from app import address, services
from app.components.heat_click import heat_click
from app.formats import DUST, file_name, number, plain, safe, short
from app.matrix_chart import NUMBERS_UP_TO, Matrix, payoff_figure
from app.panels import attempts, controls, versus
from app.snapshot import Snapshot
from csro_core.store.records import SolutionRecord

CHART = "payoff_chart"
_MOST_MARKED = 12
_BY_AGE, _BY_SIGMA = "by age", "by sigma"


def iteration_slider(snapshot: Snapshot) -> int:
    """Draws the slider and returns how many finished iterations are looked at."""
    last = snapshot.run.iteration
    wanted = address.number("iteration")
    chosen = last if wanted is None else min(wanted, last)
    if last == 0:
        return 0
    st.session_state["iteration_slider"] = chosen
    st.slider(
        "after iteration",
        0,
        last,
        key="iteration_slider",
        on_change=_follow,
        args=(last,),
        help="The population and sigma as they were then. At the right end the page follows the run.",
    )
    return chosen


def _follow(last: int) -> None:
    chosen = int(st.session_state["iteration_slider"])
    address.put(iteration=chosen if chosen < last else None)


def payoff_panel(snapshot: Snapshot, iteration: int) -> None:
    """Draws the matrix; a click on a cell opens the match."""
    solution = snapshot.solution_at(iteration)
    title, order_place = st.columns([0.72, 0.28], vertical_alignment="center")
    title.html(
        f'<p class="csro-panel-title">payoff to the row policy <small>{safe(snapshot.game.unit)}</small></p>'
    )
    if solution is None:
        st.caption("The payoffs appear here as soon as the initial population has played.")
        if not services.is_active(snapshot.run.id) and st.button(
            "Step", key="first_step", type="primary", icon=":material/skip_next:"
        ):
            controls.ask(snapshot.run.id, "step", {"until": "iteration"})
        return
    with order_place:
        order = st.segmented_control(
            "Order of the policies", [_BY_AGE, _BY_SIGMA], default=_BY_AGE, required=True, key="order",
            label_visibility="collapsed",
        )  # fmt: skip
    places = orders(snapshot, solution, "sigma" if order == _BY_SIGMA else "age")
    figure = payoff_figure(matrix(snapshot, solution, places), dark=st.context.theme.type == "dark")
    with st.container(key=CHART):
        st.plotly_chart(
            figure,
            key="payoff_figure",
            config={
                "displaylogo": False,
                "toImageButtonOptions": {"filename": file_name(snapshot.run.name, "-payoffs")},
            },
            alt=f"Heat-map of the payoffs to {len(places[0])} row policies against {len(places[1])} opponents after "
            f"iteration {iteration}, with their weights in sigma. The Matches page has each pair, also by keyboard.",
        )
    clicked = heat_click(CHART, key="heat_click")
    if clicked is not None and clicked[0] < len(places[0]) and clicked[1] < len(places[1]):
        row = snapshot.population(0)[places[0][clicked[0]]]
        column = snapshot.population(1)[places[1][clicked[1]]]
        versus.open_match(row.policy.hash, column.policy.hash)
    _forfeits(snapshot)
    if max(len(place) for place in places) > NUMBERS_UP_TO:
        st.caption(f"Numbers are written on the cells up to {NUMBERS_UP_TO} policies; hover to read one.")


def orders(
    snapshot: Snapshot, solution: SolutionRecord, by: Literal["age", "sigma"]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns which policies are rows and which are columns, in the order they are drawn."""
    places = []
    for player in (0, 1):
        size = solution.sizes[0 if snapshot.game.symmetric else player]
        ages = np.arange(size)
        weights = snapshot.sigma(solution, player)[:size]
        order = ages if by == "age" else np.lexsort((ages, -weights))
        places.append(tuple(int(place) for place in order))
    return places[0], places[1]


def matrix(
    snapshot: Snapshot, solution: SolutionRecord, places: tuple[tuple[int, ...], tuple[int, ...]]
) -> Matrix:
    """Returns the payoffs of the population that a solution was computed from."""
    rows, columns = places
    own, other = snapshot.population(0), snapshot.population(1)
    grid = np.ix_(rows, columns)
    return Matrix(
        rows=tuple(own[place].name for place in rows),
        columns=tuple(other[place].name for place in columns),
        payoff=snapshot.table.played[0][grid],
        half_width=1.96 * snapshot.table.played_stderr[0][grid],
        episodes=snapshot.table.episodes[grid],
        row_sigma=snapshot.sigma(solution, 0)[list(rows)],
        column_sigma=None if snapshot.game.symmetric else snapshot.sigma(solution, 1)[list(columns)],
        row_colours=tuple(snapshot.colours(0)[place] for place in rows),
        column_colours=tuple(snapshot.colours(1)[place] for place in columns),
        forfeited=frozenset(member.name for member in snapshot.members if member.forfeits),
        unit=snapshot.game.unit,
    )


def solver_note(snapshot: Snapshot, solution: SolutionRecord) -> None:
    """Says how good sigma is in the meta-game it was computed from."""
    unit = snapshot.game.unit
    parts = [f"meta-game NashConv = {number(solution.nash_conv)}"]
    if solution.epsilon > DUST:
        parts.insert(0, f"ε-equilibrium, ε = {number(solution.epsilon)}")
    text = f"{', '.join(parts)} ({unit})"
    if solution.note:
        text += f". {solution.note}"
    if solution.cause == "edit":
        text += ". Solved again after a policy was added by hand"
    if solution.cause == "episodes":
        text += ". Solved again after more episodes, since a member seemed to earn more than sigma"
    st.html(
        '<div class="csro-note" title="NashConv of the meta-game: what both players together could gain by choosing '
        'another policy of the population. ε: the tolerance granted, one standard error of a payoff against sigma.">'
        f"{safe(text)}.</div>"
    )


def champion(snapshot: Snapshot, solution: SolutionRecord) -> None:
    """Names the policy with the largest mean plus minimum payoff."""
    best = solution.extra.get("champion")
    if isinstance(best, Mapping) and best.get("name"):
        score = best.get("score")
        known = isinstance(score, int | float)
        earned = f" <small>mean + minimum payoff {number(float(score))}</small>" if known else ""
        st.html(
            '<div title="the policy with the largest (mean payoff + minimum payoff) over population and starters">'
            f"champion <b>{safe(short(str(best['name']), 40))}</b>{earned}</div>"
        )


def decision(snapshot: Snapshot, iteration: int) -> None:
    """Says what the iteration before came to."""
    record = next((known for known in snapshot.iterations if known.iteration == iteration), None)
    if record is not None:
        st.html(f'<div class="csro-plain">{attempts.sentence(record)}</div>')


def _forfeits(snapshot: Snapshot) -> None:
    marked = [f"{short(member.name)} ({member.forfeits})" for member in snapshot.members if member.forfeits]
    if marked:
        more = f" and {len(marked) - _MOST_MARKED} more" if len(marked) > _MOST_MARKED else ""
        st.caption(f"⚠ forfeited episodes: {plain(', '.join(marked[:_MOST_MARKED]))}{more}")
