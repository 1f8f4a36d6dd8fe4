"""The Match page: two policies step by step. Opened by a click on a payoff; or choose two policies here."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app import address
from app.formats import safe, short
from app.panels import match, opening
from app.panels.glossary import page_sentence
from app.snapshot import HASH_DIGITS
from csro_core.store.records import Member


def render() -> None:
    """Draws the page."""
    snapshot = opening.opened()
    if snapshot is None:
        return
    if not snapshot.members:
        st.info("Nothing was played yet: press Step on the left.", icon=":material/info:")
        return
    page_sentence(
        "What two policies did against each other, step by step; the score is that of the first one.",
        "policy", "payoff", "episode", "forfeit", "±",
    )  # fmt: skip
    first, swap, second = st.columns([0.45, 0.1, 0.45], vertical_alignment="bottom")
    row = _choose(first, "First policy", "row", snapshot.population(0), 0)
    column = _choose(second, "Second policy", "column", snapshot.population(1), -1)
    if snapshot.game.symmetric and swap.button("swap", key="swap", icon=":material/swap_horiz:", type="tertiary"):
        address.put(row=column.policy.hash[:HASH_DIGITS], column=row.policy.hash[:HASH_DIGITS])
        st.rerun()
    st.html(
        f'<div class="csro-head"><span class="title">{safe(row.name)} against {safe(column.name)}</span>'
        f'<span class="fact">{safe(snapshot.game.title)}</span></div>'
    )
    match.panel(snapshot, row, column)


def _choose(place: DeltaGenerator, label: str, key: str, members: tuple[Member, ...], default: int) -> Member:
    wanted = address.get(key)
    found = next((member for member in members if wanted and member.policy.hash.startswith(wanted)), members[default])
    known = {member.policy.hash[:HASH_DIGITS]: member for member in members}
    widget = f"match_{key}"
    st.session_state[widget] = found.policy.hash[:HASH_DIGITS]
    place.selectbox(
        label,
        list(known),
        key=widget,
        format_func=lambda digits: short(known[digits].name, 60) if digits in known else str(digits),
        on_change=lambda: address.put(**{key: st.session_state[widget], "episode": None}),
    )
    return found


render()
