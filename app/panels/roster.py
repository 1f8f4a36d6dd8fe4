"""Policies as lines of a list: weight in sigma, name, origin, payoff if played alone, first words of the docstring."""

import streamlit as st

from app import address
from app.charts import plus_minus
from app.components.policy_list import Item, policy_list
from app.formats import first_line, number, short, weight
from app.snapshot import HASH_DIGITS, ORIGINS, Snapshot
from csro_core.store.records import Member, SolutionRecord

_MOST_SHOWN = 8
_LONGEST_ABOUT = 300


def shares(snapshot: Snapshot, solution: SolutionRecord | None) -> dict[tuple[int, int], float]:
    """Returns (player, index) → weight in sigma of every member."""
    return {
        (player, place): float(share)
        for player in ((0,) if snapshot.game.symmetric else (0, 1))
        for place, share in enumerate(snapshot.sigma(solution, player))
    }


def identity(member: Member) -> str:
    """Returns what a member is called in a list: its player and the beginning of its hash."""
    return f"{member.player}:{member.policy.hash[:HASH_DIGITS]}"


def open_policy(picked: str) -> None:
    """Names the member with this identity in the address."""
    player, _, digits = picked.partition(":")
    address.put(policy=digits, player=None if player == "0" else player)


def item(snapshot: Snapshot, solution: SolutionRecord | None, member: Member, share: float) -> Item:
    """Returns the line of a member."""
    earned = snapshot.versus_sigma(member, solution)
    player = "" if snapshot.game.symmetric else f" · player {member.player}"
    about = short(first_line(member.policy.docstring), _LONGEST_ABOUT)
    alone = "not played"
    if earned:
        alone = plus_minus(earned.mean, earned.half_width, earned.episodes).replace("<br>", ", ")
    lines = [
        f"{member.name}: {about}",
        f"probability in sigma {share:.3f}",
        f"alone against sigma {alone} ({snapshot.game.unit})",
    ]
    if member.forfeits:
        lines.append(f"⚠ it forfeited {member.forfeits} episodes")
    return Item(
        id=identity(member),
        name=f"{member.name}{' ⚠' if member.forfeits else ''}",
        origin=f"{ORIGINS[member.origin]}{player}",
        about=about,
        weight=share,
        share=weight(share),
        payoff=number(earned.mean, earned.half_width, signed=True) if earned else "–",
        colour=snapshot.colours(member.player)[member.index],
        title="\n".join(lines),
    )


def support(snapshot: Snapshot, solution: SolutionRecord) -> None:
    """Draws the policies that sigma plays, heaviest first; a click opens one."""
    weights = shares(snapshot, solution)
    played = [member for member in snapshot.members if weights[member.player, member.index] > 0.0005]
    played.sort(key=lambda member: (member.player, -weights[member.player, member.index]))
    shown = played[:_MOST_SHOWN]
    st.html('<p class="csro-panel-title">what sigma plays <small>weight, payoff alone against sigma</small></p>')
    items = [item(snapshot, solution, member, weights[member.player, member.index]) for member in shown]
    picked = policy_list(items, "", key="support", height=330, label="policies that sigma plays")
    if len(played) > len(shown):
        st.caption(f"and {len(played) - len(shown)} with less")
    if picked is not None:
        open_policy(picked)
        address.go("views/policies.py")
