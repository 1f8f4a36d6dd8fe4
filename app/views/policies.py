"""The Policies page: read every program, compare two, edit one, see who beats whom."""

import streamlit as st

from app import address
from app.code_view import code_html
from app.colours import policy_colour
from app.components.policy_list import Item, policy_list
from app.formats import first_line, interval, number, plain, safe, weight
from app.panels import compare, controls, edit, stages, versus
from app.snapshot import HASH_DIGITS, ORIGINS, Snapshot, name_of, snapshot_of, text_of
from csro_core.store.records import Member, PolicyText, SolutionRecord

TABS = ("Code", "Diff", "Edit", "Lineage")


def render() -> None:
    """Draws the page."""
    run = controls.current_run()
    if run is None:
        st.info("There is no run yet. Make one with “New run” on the left.", icon=":material/info:")
        return
    shown = stages.pulse(run.id)
    snapshot = snapshot_of(run.id)
    stages.live(run.id, shown, drawn=False)
    if not snapshot.members:
        st.subheader(f"{snapshot.run.name} has no policies yet")
        st.write("Its initial population is written and played with the first step.")
        if st.button("Step", type="primary", icon=":material/skip_next:", key="first_step"):
            controls.ask(run.id, "step", {"until": "iteration"})
        return
    solution = snapshot.solutions[-1] if snapshot.solutions else None
    policy = text_of(snapshot, address.get("policy")) or _heaviest(snapshot, solution).policy
    added = st.session_state.pop("added", "")
    if added:
        st.toast(f"{plain(added)} is in the population; the meta-game is solved again.", icon=":material/check:")
    st.caption(
        "Every program of the run and what it earns. The bar is its weight in sigma; the number is its payoff if it "
        f"were played alone against sigma ({snapshot.game.unit})."
    )
    left, middle, right = st.columns([0.24, 0.52, 0.24], gap="medium")
    with left:
        _list(snapshot, solution, policy)
    with middle:
        _head(snapshot, policy)
        tab = st.segmented_control(
            "View", TABS, default="Code", required=True, key="tab", bind="query-params", label_visibility="collapsed"
        )
        _body(snapshot, solution, policy, str(tab))
    with right:
        versus.panel(snapshot, solution, policy)


def _heaviest(snapshot: Snapshot, solution: SolutionRecord | None) -> Member:
    members = snapshot.population(0)
    weights = snapshot.sigma(solution, 0)
    return members[int(weights.argmax())] if weights.any() else members[-1]


def _list(snapshot: Snapshot, solution: SolutionRecord | None, policy: PolicyText) -> None:
    order = st.segmented_control(
        "Order", ["by sigma", "by age"], default="by sigma", required=True, key="list_order",
        label_visibility="collapsed",
    )  # fmt: skip
    members = list(snapshot.members)
    shares = {
        (player, place): float(share)
        for player in ((0,) if snapshot.game.symmetric else (0, 1))
        for place, share in enumerate(snapshot.sigma(solution, player))
    }
    if order == "by sigma":
        members.sort(key=lambda member: (-shares[member.player, member.index], member.player, -member.index))
    items = [_item(snapshot, solution, member, shares[member.player, member.index]) for member in members]
    chosen = snapshot.find(policy.hash)
    picked = policy_list(items, _id(chosen) if chosen else "", key="policy_list", height=690)
    if picked is not None:
        address.put(policy=picked.partition(":")[2])
        st.rerun()


def _id(member: Member) -> str:
    return f"{member.player}:{member.policy.hash[:HASH_DIGITS]}"


def _item(snapshot: Snapshot, solution: SolutionRecord | None, member: Member, share: float) -> Item:
    earned = snapshot.versus_sigma(member, solution)
    player = "" if snapshot.game.symmetric else f" · player {member.player}"
    marks = f" · forfeited {member.forfeits} episodes" if member.forfeits else ""
    return Item(
        id=_id(member),
        name=f"{member.name}{' ⚠' if member.forfeits else ''}",
        origin=f"{ORIGINS[member.origin]}{player}",
        about=first_line(member.policy.docstring),
        weight=share,
        share=weight(share),
        payoff=number(earned.mean, earned.half_width, signed=True) if earned else "–",
        colour=policy_colour(member.index),
        title=f"{member.name}: {first_line(member.policy.docstring)}\nsigma gives it {share:.3f}; alone against sigma "
        f"{interval(earned) if earned else 'not played'}{marks}",
    )


def _head(snapshot: Snapshot, policy: PolicyText) -> None:
    member = snapshot.find(policy.hash)
    facts = [f"{policy.lines} lines", f"<code>{policy.hash[:HASH_DIGITS]}</code>"]
    if member is None:
        facts.insert(0, "not a member of a population")
    else:
        facts.insert(0, f"{ORIGINS[member.origin]}, added after iteration {member.iteration}")
    spans = "".join(f'<span class="fact">{fact}</span>' for fact in facts)
    st.html(f'<div class="csro-head"><span class="title">{safe(name_of(snapshot, policy))}</span>{spans}</div>')
    if policy.docstring:
        st.html(f'<div class="csro-plain">{safe(first_line(policy.docstring))}</div>')


def _body(snapshot: Snapshot, solution: SolutionRecord | None, policy: PolicyText, tab: str) -> None:
    if tab == "Diff":
        compare.diff(snapshot, policy)
    elif tab == "Edit":
        edit.panel(snapshot, solution, policy)
    elif tab == "Lineage":
        compare.lineage(snapshot, policy)
    else:
        st.html(code_html(policy.source, height=600))
        st.download_button(
            "Download .py",
            data=policy.source,
            file_name=f"{_file_name(name_of(snapshot, policy))}.py",
            mime="text/x-python",
            icon=":material/download:",
            on_click="ignore",
            key="download_policy",
            type="tertiary",
        )


def _file_name(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in name)


render()
