"""What the Meta-game page shows at once: the matrix, sigma with its intervals, and each policy alone against sigma."""

from collections.abc import Mapping
from typing import cast

import streamlit as st

from app import metagame_csv
from app.components.heat_click import heat_click
from app.formats import DUST, file_name, number, safe, short, weight
from app.matrix_chart import NUMBERS_UP_TO, payoff_figure
from app.metagame_charts import MOST_BARS, AloneLook, alone_figure, bars_of, sigma_figure
from app.metagame_data import Order, Shown
from app.panels import versus
from app.panels.metagame_choices import choice
from app.panels.metagame_figure import figure, foot, heading

ORDERS = {"age": "by age", "sigma": "by sigma", "payoff": "by mean payoff"}
"""Order in the address → on the page."""

DOMINATED = " ▽"
_NO_BOOTSTRAP = "No bootstrap intervals are stored with this solution: how far sigma would move on other episodes is "


def board(shown: Shown, dominated: Mapping[int, str]) -> None:
    """Draws the panels.

    Args:
        shown: the meta-game.
        dominated: row policies that are known to be dominated → the mark behind their names.
    """
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        by = cast("Order", choice("Order of the policies", ORDERS, "order", "age"))
    dark = st.context.theme.type == "dark"
    left, right = st.columns([0.67, 0.33], gap="medium")
    with left, st.container(border=True, height="stretch"):
        _matrix(shown, by, dominated, dark)
    with right, st.container(border=True, height="stretch"):
        _sigma(shown, by)
    with st.container(border=True):
        _alone(shown, by, dark)


def _matrix(shown: Shown, by: Order, dominated: Mapping[int, str], dark: bool) -> None:
    heading(
        f"Payoff matrix ({shown.unit})",
        "Each cell is what the row policy earns from the column policy: blue wins, orange loses; the bars are sigma.",
    )
    size = " × ".join(str(one) for one in shown.game.sizes)
    figure(
        payoff_figure(shown.matrix(by, dominated), dark), "metagame_matrix",
        f"Heat-map of {size} payoffs to the row policy, {ORDERS[by]}, with the weights of sigma beside it. "
        "“CSV” below has the numbers.",
    )  # fmt: skip
    if shown.members[0]:
        clicked = heat_click("metagame_matrix_box", key="metagame_click")
        rows, columns = shown.order(0, by), shown.order(1, by)
        if clicked is not None and clicked[0] < len(rows) and clicked[1] < len(columns):
            row, column = shown.members[0][rows[clicked[0]]], shown.members[1][columns[clicked[1]]]
            versus.open_match(row.policy.hash, column.policy.hash)
    notes = []
    if max(shown.game.sizes) > NUMBERS_UP_TO:
        notes.append(f"Numbers are written on the cells up to {NUMBERS_UP_TO} policies; hover to read one.")
    if dominated:
        notes.append(f"{DOMINATED.strip()} dominated: see “Dominated policies” below.")
    if notes:
        st.caption(" ".join(notes))
    downloads = foot([("metagame_matrix", "")], lambda: metagame_csv.cells_csv(shown), shown.title, "payoffs")
    downloads.download_button(
        "Square CSV", data=lambda: metagame_csv.square_csv(shown), file_name=file_name(shown.title, "-matrix.csv"),
        mime="text/csv", icon=":material/grid_on:", on_click="ignore", key="csv_square", type="tertiary",
        help="The payoffs to the row player with names: the form that can be brought along again.",
    )  # fmt: skip


def _sigma(shown: Shown, by: Order) -> None:
    solved = shown.solved
    interval = "lines are 95 % bootstrap intervals" if solved.draws else "no intervals are known"
    diamonds = "; diamonds: the evaluation sigma" if solved.evaluation else ""
    heading(
        f"Sigma, by {solved.solver}",
        f"Each bar is the probability with which the mixture plays a policy; {interval}{diamonds}.",
    )
    st.html(f'<div class="csro-note">{_facts(shown)}</div>')
    for player in shown.players:
        mixture = solved.mixtures[player]
        order = shown.order(player, by)
        figure(
            sigma_figure(mixture, shown.casts[player], order, shown.who(player)), f"metagame_sigma_{player}",
            f"Bars: the weights of sigma{shown.who(player)}. “CSV” below has the numbers.",
        )  # fmt: skip
        played = int((mixture.reach > 0.0005).sum())
        if played > len(bars_of(mixture, order)):
            st.caption(f"The {MOST_BARS} heaviest of {played} policies in sigma{shown.who(player)} have a bar.")
    parts = [(f"metagame_sigma_{player}", shown.who(player)[4:]) for player in shown.players]
    foot(parts, lambda: metagame_csv.sigma_csv(shown), shown.title, "sigma")


def _facts(shown: Shown) -> str:
    """Returns value, NashConv, tolerance and what is absent, as HTML."""
    solved, unit = shown.solved, shown.unit
    parts = []
    if not shown.game.antisymmetric:
        parts.append(f"value to player 0: {number(solved.value)}{_between(solved.value_range)}")
    parts.append(f"meta-game NashConv {number(solved.nash_conv)}{_between(solved.nash_conv_range)}")
    if solved.epsilon > DUST:
        parts.append(f"tolerance ε {number(solved.epsilon)}")
    lines = [f"{safe(', '.join(parts))} ({safe(unit)})."]
    if solved.note:
        lines.append(f"{safe(solved.note)}.")
    if solved.evaluation:
        other = solved.evaluation
        gap = other.get("nash_conv")
        known = f", NashConv {number(float(gap))}" if isinstance(gap, int | float) else ""
        lines.append(f"Evaluation sigma: {safe(str(other.get('solver', 'another solver')))}{known}.")
    if solved.draws:
        lines.append(f"Intervals from {solved.draws} bootstrap draws of the episodes.")
    elif shown.members[0]:
        lines.append(f"{_NO_BOOTSTRAP}not known.")
    return " ".join(lines)


def _between(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f" [{number(ends[0])}, {number(ends[1])}]"


def _alone(shown: Shown, by: Order, dark: bool) -> None:
    heading(
        "Each policy alone against sigma",
        "Where sigma is an equilibrium nothing lies right of the dashed line by more than its interval, and everything "
        "that sigma plays (filled) lies on it.",
    )
    places = st.columns(len(shown.players), gap="medium")
    for player in shown.players:
        with places[player]:
            if not any(payoff is not None for payoff in shown.alone[player]):
                st.caption("No policy has met all of sigma yet.")
                continue
            look = AloneLook(shown.order(player, by), shown.unit, shown.who(player), dark)
            weights = shown.solved.sigma[player]
            figure(
                alone_figure(shown.alone[player], shown.value(player), weights, shown.casts[player], look),
                f"metagame_alone_{player}",
                f"Points: the payoff of each policy alone against sigma, with 95 % intervals{shown.who(player)}.",
            )
            st.html(f'<div class="csro-note">{_best(shown, player)}</div>')
    parts = [(f"metagame_alone_{player}", shown.who(player)[4:]) for player in shown.players]
    foot(parts, lambda: metagame_csv.alone_csv(shown), shown.title, "alone")


def _best(shown: Shown, player: int) -> str:
    """Says which policy earns most alone, as HTML."""
    known = [(payoff.mean, place) for place, payoff in enumerate(shown.alone[player]) if payoff is not None]
    mean, place = max(known)
    gain = mean - shown.value(player)
    name = safe(short(shown.casts[player].names[place], 60))
    played = weight(float(shown.solved.sigma[player][place]))
    return f"Best response: {name}, {number(gain, signed=True)} above sigma (its weight in sigma: {played})."
