"""Two texts side by side, and who came from whom."""

import streamlit as st

from app import address
from app.code_view import diff_html
from app.formats import interval, plain, safe, short
from app.panels.lineage import parent_of
from app.snapshot import HASH_DIGITS, ORIGINS, Snapshot, name_of, text_of
from csro_core.store.records import Member, PolicyText


def diff(snapshot: Snapshot, policy: PolicyText, player: int) -> None:
    """Draws a policy beside its parent or any other one."""
    parent_hash = parent_of(snapshot, policy, player)
    parent = text_of(snapshot, parent_hash, player) if parent_hash else None
    choices = {other.policy.hash: other.name for other in snapshot.members if other.policy.hash != policy.hash}
    if parent is not None:
        choices = {parent.hash: f"{name_of(snapshot, parent)} (its parent)"} | {
            known: name for known, name in choices.items() if known != parent.hash
        }
    if not choices:
        st.caption("There is nothing to compare it with yet.")
        return
    chosen = st.selectbox(
        "Compare with", list(choices), format_func=lambda known: choices.get(known, known), key=f"diff-{policy.hash}"
    )
    other = text_of(snapshot, chosen)
    if other is None:
        st.caption("That text is gone.")
        return
    st.html(diff_html(other.source, policy.source, choices[chosen], name_of(snapshot, policy), height=560))


def lineage(snapshot: Snapshot, policy: PolicyText, player: int) -> None:
    """Draws the chain of parents of a policy, and its children."""
    chain = [policy]
    while True:
        above = parent_of(snapshot, chain[0], player)
        parent = text_of(snapshot, above, player) if above else None
        if parent is None or any(parent.hash == known.hash for known in chain):
            break
        chain.insert(0, parent)
    children = [m for m in snapshot.members if m.parent == policy.hash and m.player == player]
    st.caption("From which text each policy was made; the one shown is set off.")
    for depth, text in enumerate(chain):
        _line(snapshot, text, depth, None if text.hash == policy.hash else f"ancestor-{depth}", player)
    for place, child in enumerate(children):
        _line(snapshot, child.policy, len(chain), f"child-{place}", player)
    if len(chain) == 1 and not children:
        st.caption("It was written afresh, and nothing was made from it.")


def _line(snapshot: Snapshot, text: PolicyText, depth: int, key: str | None, player: int) -> None:
    """Draws one text of the lineage; `key` is that of its button, None for the text that is shown already."""
    member = snapshot.find(text.hash, player)
    facts = _facts(snapshot, member) if member else "never admitted"
    branch = "└ " if depth else ""
    name = safe(name_of(snapshot, text, player))
    shown = name if key else f"<b>{name}</b>"
    words, button = st.columns([0.85, 0.15], vertical_alignment="center")
    words.html(
        f'<div class="csro-lineage" style="padding-left:{1.4 * depth}rem">{branch}{shown} '
        f'<span class="origin">{safe(facts)}</span></div>'
    )
    tip = f"Open {plain(short(name_of(snapshot, text, player), 60))}"
    if key and button.button("open", key=f"lineage-{key}", type="tertiary", help=tip):
        address.put(policy=text.hash[:HASH_DIGITS])
        st.rerun()


def _facts(snapshot: Snapshot, member: Member) -> str:
    earned = snapshot.versus_sigma(member, snapshot.solutions[-1] if snapshot.solutions else None)
    payoff = f", {interval(earned)} against sigma" if earned else ""
    return f"{ORIGINS[member.origin]}, iteration {member.iteration}{payoff}"
