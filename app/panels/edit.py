"""The Edit tab: change a policy, check it, score it against the population, add it.

The text lives in the browser and, as a draft, in the store; a refresh loses nothing. Check, Score and Add are
requests: the process that owns the run answers them, this page only waits.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from app import address, services
from app.components.editor import code_editor
from app.formats import plain, safe
from app.panels import verdict
from app.snapshot import HASH_DIGITS, Snapshot, name_of
from csro_core.policies.source import Problem
from csro_core.store.records import PolicyText, RequestKind, SolutionRecord

POLL_SECONDS = 0.4
WAITING = {
    "check": "Checking …",
    "score": "Playing it against every policy of the population …",
    "add": "Playing it, adding it, and solving the meta-game again …",
}


@dataclass
class Desk:
    """What this session knows about the edit of one policy.

    Attributes:
        key: identity of the edit: run and policy.
        revision: grows when the editor's text is to be replaced from here.
        request: number of the request waited for, 0 for none.
        kind: what was asked for.
        text: the text that was asked about.
        results: kind → (text, answer) of the latest answer.
        error: why the latest request failed, "".
        episodes: episodes a cell that the next "play more" asks for.
    """

    key: str
    revision: int = 0
    request: int = 0
    kind: RequestKind = "check"
    text: str = ""
    error: str = ""
    episodes: int = 0

    def __post_init__(self) -> None:
        """Starts without answers."""
        self.results: dict[str, tuple[str, Mapping[str, Any]]] = {}


def panel(snapshot: Snapshot, solution: SolutionRecord | None, policy: PolicyText) -> None:
    """Draws the tab."""
    run = snapshot.run.id
    key = f"{run}-{policy.hash[:HASH_DIGITS]}"
    desk: Desk = st.session_state.setdefault(f"desk-{key}", Desk(key))
    _collect(desk)
    start = services.store().draft(run, policy.hash)
    editor_key = f"editor-{key}"
    # Above the editor, but filled after it: what is asked for needs the text.
    above = st.container()

    def keep_draft() -> None:
        _save(run, policy, str(st.session_state[editor_key]["value"]))

    text = code_editor(
        policy.source if start is None else start,
        key=editor_key,
        revision=desk.revision,
        problems=_problems(desk),
        on_change=keep_draft,
    )
    with above:
        _buttons(snapshot, policy, desk, text)
        if desk.request:
            _wait(desk)
        elif desk.error:
            st.error(plain(desk.error), icon=":material/error:")
        _answers(snapshot, policy, desk, text)
    if text != policy.source:
        _start_over(snapshot, policy, desk)
    if "score" in desk.results:
        verdict.bars(snapshot, solution, desk.results["score"][1])


def _save(run: str, policy: PolicyText, text: str) -> None:
    if text == policy.source:
        services.store().drop_draft(run, policy.hash)
    else:
        services.store().save_draft(run, policy.hash, text)


def _buttons(snapshot: Snapshot, policy: PolicyText, desk: Desk, text: str) -> None:
    member = snapshot.find(policy.hash)
    player = member.player if member else 0
    busy = bool(desk.request)
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        if st.button(
            "Check",
            key="check",
            disabled=busy,
            icon=":material/rule:",
            help="The static check, then a short match against itself, in a jailed process.",
        ):
            _ask(snapshot, desk, "check", text, {})
        if st.button(
            "Score against the population",
            key="score",
            disabled=busy,
            type="primary",
            icon=":material/sports_score:",
            help="Plays it against every policy, on the seeds that its parent met. Writes nothing into the population.",
        ):
            desk.episodes = snapshot.run.settings.episodes
            _score(snapshot, desk, text, player, policy)
        with st.popover("Add to the population", icon=":material/group_add:", disabled=busy):
            name = st.text_input(
                "Name", value=f"{name_of(snapshot, policy)}-edit", max_chars=40, key=f"add_name-{desk.key}"
            )
            st.caption("It is always admitted, marked as a human edit, and the meta-game is solved again at once.")
            if st.button("Add", type="primary", key="add", disabled=busy or not name.strip()):
                _ask(snapshot, desk, "add", text, {"player": player, "parent": policy.hash, "name": name.strip()})


def _start_over(snapshot: Snapshot, policy: PolicyText, desk: Desk) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption("Changed; kept as a draft.", width="content")
        if st.button(
            "Start over",
            key="reset",
            disabled=bool(desk.request),
            type="tertiary",
            icon=":material/undo:",
            help="Brings back the policy's own text. Ctrl+Z in the editor undoes step by step.",
        ):
            services.store().drop_draft(snapshot.run.id, policy.hash)
            desk.revision += 1
            desk.results.clear()
            st.session_state.pop(f"editor-{desk.key}", None)
            st.rerun()


def _score(snapshot: Snapshot, desk: Desk, text: str, player: int, policy: PolicyText) -> None:
    _ask(snapshot, desk, "score", text, {"player": player, "parent": policy.hash, "episodes": desk.episodes})


def _ask(snapshot: Snapshot, desk: Desk, kind: RequestKind, text: str, more: Mapping[str, Any]) -> None:
    desk.error = ""
    desk.kind, desk.text = kind, text
    desk.request = services.ask(snapshot.run.id, kind, {"text": text, **more})
    st.rerun()


def _collect(desk: Desk) -> None:
    """Takes the answer to the request waited for, where it is there."""
    if not desk.request:
        return
    record = services.answer(desk.request)
    if record.state == "failed":
        desk.error = str(record.result.get("message", "it failed without a reason"))
    elif record.state == "done":
        desk.results[desk.kind] = (desk.text, record.result)
    else:
        return
    desk.request = 0
    if record.state == "done" and desk.kind == "add":
        services.store().drop_draft(record.run, str(record.payload.get("parent", "")))
        desk.results.clear()
        desk.revision += 1
        st.session_state["added"] = str(record.result.get("name", ""))
        address.put(policy=str(record.result["hash"])[:HASH_DIGITS])
        st.rerun()


def _wait(desk: Desk) -> None:
    def poll() -> None:
        st.html(f'<div class="csro-note">{safe(WAITING.get(desk.kind, "Working …"))}</div>')
        if services.answer(desk.request).state in {"done", "failed"}:
            st.rerun()

    st.fragment(poll, run_every=POLL_SECONDS)()


def _problems(desk: Desk) -> list[Problem]:
    """Returns what the latest check of any kind found wrong; older findings speak of another text."""
    for kind in ("score", "check"):
        if kind in desk.results and desk.results[kind][0] == desk.text:
            found = desk.results[kind][1].get("problems") or []
            return [Problem(int(problem.get("line") or 0), str(problem.get("message", ""))) for problem in found]
    return []


def _answers(snapshot: Snapshot, policy: PolicyText, desk: Desk, text: str) -> None:
    if "check" in desk.results and desk.results["check"][0] == text:
        verdict.checked(desk.results["check"][1])
    if "score" not in desk.results:
        return
    scored, result = desk.results["score"]
    if scored != text:
        st.caption("The verdict below is about an earlier text.")
    more = verdict.scored(snapshot, result, desk.episodes)
    if more and not desk.request:
        member = snapshot.find(policy.hash)
        desk.episodes = more
        _score(snapshot, desk, text, member.player if member else 0, policy)
