"""What one policy earns against each opponent, as bars; a click opens the match."""

import streamlit as st

from app import address
from app.formats import interval, number, safe
from app.match_charts import versus_figure
from app.snapshot import HASH_DIGITS, Snapshot
from csro_core.store.records import PolicyText, SolutionRecord


def panel(snapshot: Snapshot, solution: SolutionRecord | None, policy: PolicyText, player: int) -> None:
    """Draws the bars of a member, best opponent for it first."""
    st.html('<p class="csro-panel-title">against each opponent <small>± 95 %</small></p>')
    member = snapshot.find(policy.hash, player)
    if member is None:
        st.caption("Only members of a population have played everybody. Score it on the Edit tab.")
        return
    earned = snapshot.versus_sigma(member, solution)
    if earned is not None:
        st.html(
            f'<div class="csro-note" title="standard error {number(earned.stderr)}, {earned.episodes} episodes">'
            f'against sigma <b>{safe(interval(earned))}</b> {safe(snapshot.game.unit)}</div>'
        )
    weights = snapshot.sigma(solution, 1 - member.player)
    opponents = [
        (other, payoff)
        for other in snapshot.population(1 - member.player)
        if (payoff := snapshot.payoff(member.player, member.index, other.index)) is not None
        and payoff.episodes > 0
    ]
    opponents.sort(key=lambda pair: -pair[1].mean)
    if not opponents:
        st.caption("It has not played yet.")
        return
    figure = versus_figure(
        [other.name for other, _ in opponents],
        [payoff for _, payoff in opponents],
        [float(weights[other.index]) for other, _ in opponents],
        snapshot.game.unit,
    )
    chosen = st.plotly_chart(
        figure,
        key=f"versus-{player}-{policy.hash[:HASH_DIGITS]}",
        on_select="rerun",
        selection_mode="points",
        config={"displayModeBar": False},
        alt=f"Bars with 95 % intervals: payoffs of {member.name} against {len(opponents)} opponents, from "
        f"{number(opponents[0][1].mean)} down to {number(opponents[-1][1].mean)}. The Matches page has each pair.",
    )
    points = chosen.get("selection", {}).get("points", []) if isinstance(chosen, dict) else []
    names = [other.policy.hash for other, _ in opponents]
    if points and 0 <= (place := int(points[0]["point_index"])) < len(names):
        pair = (member.policy.hash, names[place])
        open_match(*(pair if member.player == 0 else pair[::-1]))
    st.caption("Click a bar for the match.")


def open_match(row: str, column: str) -> None:
    """Shows the match of two texts."""
    address.put(row=row[:HASH_DIGITS], column=column[:HASH_DIGITS], episode=None)
    address.go("views/matches.py")
