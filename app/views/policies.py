"""The Policies page: read every program, compare two, edit one, see who beats whom."""

import streamlit as st

from app import address
from app.code_view import code_html
from app.components.policy_list import policy_list
from app.formats import file_name, first_line, plain, safe, short
from app.panels import compare, controls, edit, exploitability, lineage, opening, origin, roster, versus
from app.panels.glossary import page_sentence
from app.snapshot import HASH_DIGITS, ORIGINS, Snapshot, name_of, text_of
from csro_core.store.records import Member, PolicyText, SolutionRecord

TABS = ("Code", "Diff", "Edit", "Lineage", "Prompt")


def render() -> None:
    """Draws the page."""
    snapshot = opening.opened()
    if snapshot is None:
        return
    if not snapshot.members:
        st.subheader(f"{plain(snapshot.run.name)} has no policies yet")
        st.write("Its initial population is written and played with the first step.")
        if st.button("Step", type="primary", icon=":material/skip_next:", key="first_step"):
            controls.ask(snapshot.run.id, "step", {"until": "iteration"})
        return
    solution = snapshot.solutions[-1] if snapshot.solutions else None
    wanted = address.get("policy")
    policy = text_of(snapshot, wanted, address.number("player") or 0)
    if policy is None:
        policy = _heaviest(snapshot, solution).policy
        if wanted:
            st.info(f"This run has no policy “{plain(short(wanted, 40))}”; the heaviest in sigma is shown instead.")
            address.put(policy=None)
    member = snapshot.find(policy.hash, address.number("player") or 0)
    player = member.player if member else 0
    added = st.session_state.pop("added", "")
    if added:
        st.toast(f"{plain(added)} is in the population; the meta-game is solved again.", icon=":material/check:")
    page_sentence(
        "Every program of the run: the bar is its weight in sigma, the number its payoff alone against sigma "
        f"({plain(snapshot.game.unit)}).",
        "policy", "population", "payoff", "sigma", "episode", "forfeit", "±",
    )  # fmt: skip
    left, middle, right = st.columns([0.24, 0.52, 0.24], gap="medium")
    with left:
        _list(snapshot, solution, policy, player)
    with middle:
        _head(snapshot, policy, player)
        if lineage.opens_code():
            st.session_state["tab"] = TABS[0]
        tabs = (*TABS, exploitability.TAB) if exploitability.is_served(snapshot) else TABS
        if st.session_state.get("tab") not in tabs:
            st.session_state.pop("tab", None)
        tab = st.segmented_control(
            "View", tabs, default="Code", required=True, key="tab", bind="query-params", label_visibility="collapsed"
        )
        _body(snapshot, solution, policy, str(tab), player)
    with right:
        versus.panel(snapshot, solution, policy, player)


def _heaviest(snapshot: Snapshot, solution: SolutionRecord | None) -> Member:
    members = snapshot.population(0)
    weights = snapshot.sigma(solution, 0)
    return members[int(weights.argmax())] if weights.any() else members[-1]


def _list(snapshot: Snapshot, solution: SolutionRecord | None, policy: PolicyText, player: int) -> None:
    order = st.segmented_control(
        "Order", ["by sigma", "by age"], default="by sigma", required=True, key="list_order",
        label_visibility="collapsed",
    )  # fmt: skip
    members = list(snapshot.members)
    shares = roster.shares(snapshot, solution)
    if order == "by sigma":
        members.sort(key=lambda member: (-shares[member.player, member.index], member.player, -member.index))
    items = [roster.item(snapshot, solution, member, shares[member.player, member.index]) for member in members]
    chosen = snapshot.find(policy.hash, player)
    picked = policy_list(items, roster.identity(chosen) if chosen else "", key="policy_list", height=690)
    if picked is not None:
        roster.open_policy(picked)
        st.rerun()


def _head(snapshot: Snapshot, policy: PolicyText, player: int) -> None:
    member = snapshot.find(policy.hash, player)
    facts = [f"{policy.lines} lines", f"<code>{policy.hash[:HASH_DIGITS]}</code>"]
    if member is None:
        facts.insert(0, "not a member of a population")
    else:
        seat = "" if snapshot.game.symmetric else f", player {member.player}"
        facts.insert(0, f"{ORIGINS[member.origin]}{seat}, added after iteration {member.iteration}")
        if member.forfeits:
            facts.append(f"⚠ forfeited {member.forfeits} episodes")
    spans = "".join(f'<span class="fact">{fact}</span>' for fact in facts)
    st.html(f'<div class="csro-head"><span class="title">{safe(name_of(snapshot, policy, player))}</span>{spans}</div>')
    if policy.docstring:
        st.html(f'<div class="csro-plain">{safe(short(first_line(policy.docstring), 600))}</div>')


def _body(
    snapshot: Snapshot, solution: SolutionRecord | None, policy: PolicyText, tab: str, player: int
) -> None:
    if tab == "Diff":
        compare.diff(snapshot, policy, player)
    elif tab == "Edit":
        edit.panel(snapshot, solution, policy, player)
    elif tab == "Lineage":
        compare.lineage(snapshot, policy, player)
        lineage.attempts_tree(snapshot, policy, player)
    elif tab == "Prompt":
        origin.panel(snapshot, policy, player)
    elif tab == exploitability.TAB:
        exploitability.panel(snapshot, policy, player)
    else:
        st.html(code_html(policy.source, height=600))
        st.download_button(
            "Download .py",
            data=policy.source,
            file_name=file_name(name_of(snapshot, policy, player), ".py"),
            mime="text/x-python",
            icon=":material/download:",
            on_click="ignore",
            key="download_policy",
            type="tertiary",
        )


render()
