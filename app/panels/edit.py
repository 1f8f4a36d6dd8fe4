"""The Edit tab: change a policy, check it, score it against the population, add it.

The text lives in the browser and, as a draft, in the store; a refresh loses nothing. Check, Score and Add are
requests: the process that owns the run answers them, this page only waits.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from app import address, services
from app.components.editor import code_editor
from app.formats import plain, short
from app.panels import assessment, verdict
from app.snapshot import HASH_DIGITS, Snapshot, name_of
from csro_core.errors import CsroError
from csro_core.policies.source import Problem
from csro_core.store.records import PolicyText, RequestKind, SolutionRecord

STALE_SECONDS = 3600.0
"""A request that was left open longer ago than this is not taken up again by a new tab or after a refresh."""

_LONGEST_ERROR = 600


@dataclass
class Desk:
    """What this session knows about the edit of one policy.

    Attributes:
        key: identity of the edit: run, player and policy.
        player: whose population it is for.
        revision: grows when the editor's text is to be replaced from here.
        request: number of the request waited for, 0 for none.
        kind: what was asked for.
        text: the text that was asked about.
        results: kind → (text, answer) of the latest answer.
        error: why the latest request failed, "".
        episodes: episodes a cell that the next "play more" asks for.
    """

    key: str
    player: int = 0
    revision: int = 0
    request: int = 0
    kind: RequestKind = "check"
    text: str = ""
    error: str = ""
    episodes: int = 0

    def __post_init__(self) -> None:
        """Starts without answers."""
        self.results: dict[str, tuple[str, Mapping[str, Any]]] = {}


def panel(snapshot: Snapshot, solution: SolutionRecord | None, policy: PolicyText, player: int) -> None:
    """Draws the tab."""
    run = snapshot.run.id
    key = f"{run}-{player}-{policy.hash[:HASH_DIGITS]}"
    if f"desk-{key}" not in st.session_state:
        st.session_state[f"desk-{key}"] = _new_desk(key, run, policy, player)
    desk: Desk = st.session_state[f"desk-{key}"]
    _collect(desk)
    start = services.store().draft(run, policy.hash)
    editor_key = f"editor-{key}"
    # Above the editor, but filled after it: what is asked for needs the text.
    above = st.container()

    def keep_draft() -> None:
        st.session_state["draft_error"] = _save(run, policy, str(st.session_state[editor_key]["value"]))

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
            assessment.wait()
        elif desk.error:
            st.error(plain(short(desk.error, _LONGEST_ERROR)), icon=":material/error:")
        _answers(snapshot, policy, desk, text)
    if is_changed(text, policy):
        _start_over(snapshot, policy, desk)
    if "score" in desk.results:
        verdict.bars(snapshot, solution, desk.results["score"][1])


def _new_desk(key: str, run: str, policy: PolicyText, player: int) -> Desk:
    """Returns a desk that waits for what another tab, or this one before a refresh, has asked about the policy."""
    desk = Desk(key, player)
    for record in services.store().requests(run, limit=20):
        payload = record.payload
        mine = payload.get("parent") == policy.hash and payload.get("player", 0) == player
        fresh = time.time() - record.created < STALE_SECONDS
        if record.kind in services.DESK and mine and fresh and record.state in {"waiting", "working"}:
            desk.request, desk.kind, desk.text = record.id, record.kind, str(payload.get("text", ""))
            desk.episodes = int(payload.get("episodes", 0))
            break
    return desk


def is_changed(text: str, policy: PolicyText) -> bool:
    """Returns whether a text is another one than the policy's; the editor knows one kind of line end only."""
    return _one_line_end(text) != _one_line_end(policy.source)


def _one_line_end(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _save(run: str, policy: PolicyText, text: str) -> str:
    """Keeps the draft; returns why it could not, "" where it could (a callback has no page to raise to)."""
    try:
        if is_changed(text, policy):
            services.store().save_draft(run, policy.hash, text)
        else:
            services.store().drop_draft(run, policy.hash)
    except CsroError as error:
        return str(error)
    return ""


def _buttons(snapshot: Snapshot, policy: PolicyText, desk: Desk, text: str) -> None:
    busy = bool(desk.request)
    about = {"player": desk.player, "parent": policy.hash}
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        if st.button(
            "Check",
            key="check",
            disabled=busy,
            icon=":material/rule:",
            help="The static check, then a short match against itself, in a jailed process.",
        ):
            _ask(snapshot, desk, "check", text, about)
        if st.button(
            "Score against the population",
            key="score",
            disabled=busy,
            type="primary",
            icon=":material/sports_score:",
            help="Plays it against every policy, on the seeds that its parent met. Writes nothing into the population.",
        ):
            desk.episodes = snapshot.run.settings.episodes
            _score(snapshot, desk, text, policy)
        with st.popover("Add to the population", icon=":material/group_add:", disabled=busy):
            suggestion = f"{name_of(snapshot, policy, desk.player)[:35]}-edit"
            name = st.text_input("Name", value=suggestion, max_chars=40, key=f"add_name-{desk.key}")
            whose = "" if snapshot.game.symmetric else f" of player {desk.player}"
            st.caption(
                f"It joins the population{whose}: always admitted, marked as a human edit, and the meta-game is solved "
                "again at once."
            )
            if st.button("Add", type="primary", key="add", disabled=busy or not name.strip()):
                _ask(snapshot, desk, "add", text, {**about, "name": name.strip()})


def _start_over(snapshot: Snapshot, policy: PolicyText, desk: Desk) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        problem = st.session_state.get("draft_error", "")
        kept = f"Changed, but not kept as a draft: {plain(problem)}" if problem else "Changed; kept as a draft."
        st.caption(kept, width="content")
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


def _score(snapshot: Snapshot, desk: Desk, text: str, policy: PolicyText) -> None:
    more = {"player": desk.player, "parent": policy.hash, "episodes": desk.episodes}
    _ask(snapshot, desk, "score", text, more)


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
        address.put(policy=str(record.result.get("hash", ""))[:HASH_DIGITS], player=desk.player or None)
        st.rerun()


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
        desk.episodes = more
        _score(snapshot, desk, text, policy)
