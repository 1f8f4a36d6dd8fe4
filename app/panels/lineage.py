"""All attempts of the iteration that a policy came from, as a tree: who was made from whom, and what became of each."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from app import address, services
from app.components.attempt_table import Column, Row, attempt_table
from app.panels import attempts
from app.snapshot import HASH_DIGITS, Snapshot
from csro_core.store.records import AttemptRecord, IterationRecord, PolicyText

_DEEPEST = 12
"""Deeper branches are not indented any further, and say how deep they are."""

_INDENT = "\u2003"
_OPEN_CODE = "lineage_opens_code"
_TABLE_HEIGHT = 420


@dataclass(frozen=True)
class Node:
    """An attempt in the tree.

    Attributes:
        attempt: its row.
        depth: parents above it, 0 for one that was written afresh.
    """

    attempt: AttemptRecord
    depth: int


def tree(records: Sequence[AttemptRecord]) -> list[Node]:
    """Returns the attempts of one iteration, each behind its parent and before its parent's next child.

    A parent that is not an earlier attempt of the iteration counts as none: what was imported may say anything.
    """
    children: dict[int | None, list[AttemptRecord]] = {}
    known = {record.index for record in records}
    for record in sorted(records, key=lambda record: record.index):
        parent = record.parent
        has_parent = parent is not None and parent in known and parent < record.index
        children.setdefault(parent if has_parent else None, []).append(record)
    nodes: list[Node] = []
    # A chain may be as long as an iteration has attempts: no recursion.
    waiting = [Node(record, 0) for record in reversed(children.get(None, []))]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        waiting += [Node(child, node.depth + 1) for child in reversed(children.get(node.attempt.index, []))]
    return nodes


def attempt_of(snapshot: Snapshot, policy: PolicyText, player: int) -> AttemptRecord | None:
    """Returns the attempt that a text came from: the one that admitted it, else the first that wrote it, else None."""
    made = _made(str(services.store().path), snapshot.run.id, services.store().rows_version(snapshot.run.id))
    found = made.get(policy.hash, [])
    member = snapshot.find(policy.hash, player)
    if member is not None and member.origin != "oracle":
        return None
    if member is not None:
        found = [record for record in found if record.iteration == member.iteration] or found
    with_verdict = [record for record in found if record.verdict]
    return next(iter(with_verdict or found), None)


@st.cache_resource(max_entries=8, show_spinner=False)
def _made(path: str, run: str, version: int) -> dict[str, list[AttemptRecord]]:
    """Returns hash → the attempts with this text; `path` and `version` are there for the cache."""
    made: dict[str, list[AttemptRecord]] = {}
    for record in services.store().attempts(run):
        if record.policy:
            made.setdefault(record.policy, []).append(record)
    return made


def parent_of(snapshot: Snapshot, policy: PolicyText, player: int) -> str:
    """Returns the hash of the text that another one was made from, "" where there is none."""
    member = snapshot.find(policy.hash, player)
    if member is not None:
        return member.parent
    own = attempt_of(snapshot, policy, player)
    if own is None or own.parent is None:
        return ""
    siblings = services.store().attempts(snapshot.run.id, own.iteration)
    return next((record.policy for record in siblings if record.index == own.parent), "")


def attempts_tree(snapshot: Snapshot, policy: PolicyText, player: int) -> None:
    """Draws the attempts of the iteration that the policy came from; "read" opens the code of one."""
    own = attempt_of(snapshot, policy, player)
    if own is None:
        st.caption("No attempt of the oracle wrote it: it is a seed, an edit or an import.")
        return
    finished = next((record for record in snapshot.iterations if record.iteration == own.iteration), None)
    nodes = tree(services.store().attempts(snapshot.run.id, own.iteration))
    st.html(f'<p class="csro-panel-title">all attempts of iteration {own.iteration}'
            "<small> · each below the one it was made from; ▶ wrote this policy</small></p>")  # fmt: skip
    bred = any(node.attempt.island is not None for node in nodes)
    columns = [column for column in _columns(snapshot.game.unit) if bred or column.title != "island"]
    rows = [_row(node, own, finished, bred) for node in nodes]
    read = attempt_table(
        columns, rows, key=f"lineage_attempts-{own.iteration}", height=_TABLE_HEIGHT,
        label=f"attempts of iteration {own.iteration}, as a tree",
    )  # fmt: skip
    if read is not None and nodes[read].attempt.policy:
        seat = (finished.player or None) if finished else None
        address.put(policy=nodes[read].attempt.policy[:HASH_DIGITS], player=seat)
        st.session_state[_OPEN_CODE] = True
        st.rerun()


def opens_code() -> bool:
    """Returns True once after a program was asked for in the tree."""
    return bool(st.session_state.pop(_OPEN_CODE, False))


def _columns(unit: str) -> tuple[Column, ...]:
    return (
        Column("attempt", "indented below its parent; × names the second parent of a crossover", "word"),
        Column("operator", attempts.ASKED_FOR, "word"),
        Column("island", "where it was bred", "number"),
        Column("verdict", "what became of it", "verdict"),
        Column("screen", f"search score against the target, {unit}: it only ranks attempts of one iteration", "number"),
        Column("reason or idea", "why it has no score; of the others the model's sentence about it", "idea"),
    )


def _row(node: Node, own: AttemptRecord, finished: IterationRecord | None, bred: bool) -> Row:
    """Returns the line of an attempt; `bred`: the iteration has islands, and the table a column for them."""
    attempt = node.attempt
    told = attempts.row(attempt, finished)
    verdict, operator, idea, screen, *_, reason = told.cells
    branch = f"{_INDENT * min(node.depth, _DEEPEST)}{'└ ' if node.depth else ''}"
    mark = "▶ " if attempt.index == own.index else ""
    mate = f" × {attempt.mate + 1}" if attempt.mate is not None else ""
    deep = f" (depth {node.depth})" if node.depth > _DEEPEST else ""
    parent = f"made from attempt {(attempt.parent or 0) + 1}" if node.depth else "made from no attempt"
    with_mate = f" and attempt {attempt.mate + 1}" if attempt.mate is not None else ""
    island = ("–" if attempt.island is None else str(attempt.island + 1),) if bred else ()
    words = (idea or reason) if told.tone != "bad" else (reason or idea)
    both = "\n".join(text for text in (idea, reason) if text)
    return Row(
        (f"{branch}{mark}{attempt.index + 1}{mate}{deep}", operator, *island, verdict, screen, words),
        (f"attempt {attempt.index + 1}, {parent}{with_mate}", "", *([""] if bred else []), "", told.titles[3], both),
        told.tone,
        told.readable,
        number=attempt.index + 1,
    )
