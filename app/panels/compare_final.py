"""The lower half of the Compare page: cross-play, the joint population, settings that differ, and what else to know."""

import time
from collections.abc import Mapping

import streamlit as st

from app import address, compare_data
from app.compare_charts_final import cross_figure, shares_figure
from app.compare_csv import cross_csv, joint_csv
from app.compare_data import Look
from app.formats import plain, safe, short, weight
from app.panels.compare_results import swatch
from app.panels.metagame_figure import figure, foot, heading
from csro_core.experiments.document import Comparison, JointPolicy

_MOST_POLICIES = 12
_LONGEST = 30


def cross_play(document: Comparison) -> None:
    """Draws the matrix of the final mixtures against each other."""
    heading(
        "cross-play of the final mixtures",
        f"What the row's mixture earns against the column's, {document.unit}; mean ± 95 % over the seeds that both "
        "have. Blue: the row wins.",
    )
    dark = st.context.theme.type == "dark"
    figure(cross_figure(document, dark), "compare_cross", "Payoffs between the final mixtures of all variants")
    foot([("compare_cross", "")], lambda: cross_csv(document), document.title, "compare_cross")


def joint(document: Comparison, drawn: Mapping[str, Look]) -> None:
    """Draws whose policies the equilibrium of everybody's population plays."""
    pool = " + ".join(str(count) for count in document.pool)
    held = ", ".join(short(name, 30) for name in document.held_out) or "none"
    heading(
        "joint population",
        f"All {pool} policies of all variants and the held-out responders ({held}) play one meta-game; the bars are "
        f"the shares of its equilibrium ({document.joint.solver}).",
    )
    figure(shares_figure(document, drawn), "compare_joint", "Share of the joint equilibrium by variant")
    with st.container(gap=None):
        for place, one in enumerate(document.joint.policies[:_MOST_POLICIES]):
            _policy(place, one, drawn, len(document.pool) > 1)
    left = len(document.joint.policies) - _MOST_POLICIES
    if left > 0:
        st.caption(f"… and {left} lighter ones; the CSV has all.")
    foot([("compare_joint", "")], lambda: joint_csv(document), document.title, "compare_joint")


def _policy(place: int, one: JointPolicy, drawn: Mapping[str, Look], two: bool) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key=f"joint_{place}"):
        seat = f", player {one.player}" if two else ""
        st.html(
            f'{swatch(drawn, one.owner)}<span class="csro-share">{weight(one.share)}</span>'
            f'<span title="{safe(one.owner)}">{safe(short(one.owner, _LONGEST))}{seat}</span>',
            width=280,
        )
        if st.button(
            plain(short(one.name, _LONGEST)), key=f"joint_policy_{place}", type="tertiary", icon=":material/code:",
            disabled=not one.run, help="Reads the program." if one.run else "It belongs to no run.",
        ):  # fmt: skip
            address.open_run(one.run)
            address.put(policy=one.hash[:12], player=one.player)
            address.go("views/policies.py")


def settings(document: Comparison, drawn: Mapping[str, Look]) -> None:
    """Draws the settings by which the variants differ."""
    told = compare_data.differing([line.settings for line in document.variants])
    if not told:
        heading("settings", "The variants have equal settings but for their seeds.")
        return
    heading("settings", "Differences only: what is not here is equal for all variants.")
    head = "".join(f"<th>{safe(name.replace('_', ' '))}</th>" for name in told)
    rows = ""
    for line in document.variants:
        shown = [compare_data.shown_setting(line.settings.get(name)) for name in told]
        cells = "".join(f'<td title="{safe(text)}">{safe(short(text, _LONGEST))}</td>' for text in shown)
        rows += f"<tr><td>{swatch(drawn, line.name)}{safe(short(line.name, _LONGEST))}</td>{cells}</tr>"
    st.html(
        '<div class="csro-compare words" role="region" aria-label="settings that differ" tabindex="0">'
        f'<table class="csro-table"><thead><tr><th>variant</th>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def notes(document: Comparison) -> None:
    """Draws what a reader must know, and how it was compared."""
    made = time.strftime("%Y-%m-%d %H:%M", time.localtime(document.created))
    told = [
        f"Mixtures of all runs are made by one meta-solver, {document.eval_solver}; {document.play} episodes of each "
        f"pair of policies; computed {made}.",
        *document.notes,
    ]
    st.html('<p class="csro-panel-title">to know</p>')
    st.markdown("\n".join(f"- {plain(sentence)}" for sentence in told))


def human_edits(document: Comparison) -> str:
    """Returns how many human edits there are and what descends from them, as a sentence."""
    told = [line for line in document.variants if line.human_edits]
    if document.without_human:
        return "What people added and what descends from it is left out of every mixture."
    if not told:
        return ""
    words = "; ".join(
        f"{line.name}: {_count(line.human_edits, 'human edit')}, {_count(line.descendants, 'policy', 'policies')} "
        "descend from them" if line.descendants else f"{line.name}: {_count(line.human_edits, 'human edit')}"
        for line in told
    )  # fmt: skip
    return f"People had a hand in this: {words}."


def _count(number: int, word: str, many: str = "") -> str:
    return f"{number} {word if number == 1 else many or f'{word}s'}"


