"""The attempts of one iteration: what was tried, what came of it, and why."""

import streamlit as st

from app import address, services
from app.charts import plus_minus
from app.components.attempt_table import Column, Row, attempt_table
from app.formats import interval, safe, short
from app.snapshot import HASH_DIGITS, Snapshot
from csro_core.estimates import Estimate
from csro_core.store.records import AttemptRecord, IterationRecord

VERDICTS = {
    "improves": "admitted",
    "broadens": "admitted (broadens)",
    "always": "admitted (always)",
    "rejected": "rejected",
    "undecided": "undecided",
    "failed": "failed",
}
STATUS = {
    "scored": "not chosen",
    "duplicate": "duplicate",
    "refused": "refused",
    "failed": "failed",
    "no-answer": "no answer",
}
TASKS = {
    "propose": "new program",
    "refine": "improve",
    "repair": "repair",
    "edit": "edit lines",
    "crossover": "join two",
    "summarise": "describe",
}
"""What a model was asked for, in plain words."""

_LONGEST_TEXT = 2000
_LONGEST_WORD = 60

ASKED_FOR = (
    "what the model was asked for: a new program, to improve one with what it earned, to repair one that failed, to "
    "edit some lines, or to join two programs"
)


def attempts_panel(snapshot: Snapshot, iteration: int) -> None:
    """Draws the attempts of the iteration looked at, or of the one under way."""
    latest = iteration == snapshot.run.iteration
    under_way = services.store().attempts(snapshot.run.id, iteration + 1) if latest else []
    shown = iteration + 1 if under_way else iteration
    attempts = under_way or services.store().attempts(snapshot.run.id, shown)
    finished = next((record for record in snapshot.iterations if record.iteration == shown), None)
    if shown == 0:
        st.html('<p class="csro-panel-title">attempts</p>')
        st.caption("Iteration 0 is the initial population; each iteration after it lists its attempts here.")
        return
    state = "" if finished else _unfinished(snapshot)
    st.html(f'<p class="csro-panel-title">attempts of iteration {shown}<small>{state}</small></p>')
    if finished is not None:
        st.html(f'<div class="csro-plain">{sentence(finished)}</div>')
    if not attempts:
        st.caption("It has no attempts.")
        return
    read = attempt_table(
        _columns(snapshot.game.unit),
        [row(attempt, finished) for attempt in attempts],
        key="attempts",
        height=560,
        label=f"attempts of iteration {shown}",
    )
    if read is not None and attempts[read].policy:
        address.put(policy=attempts[read].policy[:HASH_DIGITS], player=(finished.player or None) if finished else None)
        address.go("views/policies.py")


def task_word(task: str) -> str:
    """Returns what a model was asked for in plain words; what is not known stays as it is."""
    return TASKS.get(task) or short(task, _LONGEST_WORD)


def _unfinished(snapshot: Snapshot) -> str:
    return " · under way" if services.is_active(snapshot.run.id) else " · not finished"


def _columns(unit: str) -> tuple[Column, ...]:
    return (
        Column("verdict", "what became of it", "verdict"),
        Column("operator", ASKED_FOR, "word"),
        Column("idea", "the model's sentence about it", "idea"),
        Column(
            "screen", f"search score against the target on the screening game, {unit}: it only ranks attempts of one "
            "iteration and is not comparable with a gain", "number",
        ),
        Column("gain ± 95 %", f"against sigma on fresh seeds, {unit}", "number"),
        Column("episodes", "behind the latest of both scores", "number"),
        Column("lines", "length of the program", "number"),
        Column("reason", "why it has no score, why it was decided so, or whom it nearly equals", "reason"),
    )  # fmt: skip


def row(attempt: AttemptRecord, finished: IterationRecord | None) -> Row:
    """Returns one line of the table; an attempt that failed has a reason and no score."""
    finalist = bool(attempt.verdict) and finished is not None
    gain = finished.gain if finalist and finished is not None else None
    latest = gain or attempt.final or attempt.screen
    reason = attempt.message
    if attempt.line and f"line {attempt.line}" not in reason:
        reason = f"line {attempt.line}: {reason}"
    if finalist and finished is not None and (attempt.status == "scored" or not reason):
        reason = "; ".join(part for part in (finished.message, reason) if part)
    cells = (
        VERDICTS.get(attempt.verdict) or STATUS.get(attempt.status, attempt.status),
        task_word(attempt.operator),
        short(attempt.idea, _LONGEST_TEXT),
        interval(attempt.screen) if attempt.screen else "",
        interval(gain) if gain else "",
        str(latest.episodes) if latest else "",
        str(attempt.lines) if attempt.lines else "",
        short(reason, _LONGEST_TEXT),
    )
    titles = ("", "", "", _title(attempt.screen), _title(gain), "", "", "")
    failed = attempt.status in {"refused", "failed", "no-answer"}
    admitted = attempt.verdict in {"improves", "broadens", "always"}
    tone = "good" if admitted else "bad" if failed else "final" if finalist else ""
    return Row(cells, titles, tone, bool(attempt.policy))


def _title(value: Estimate | None) -> str:
    return plus_minus(value.mean, value.half_width, value.episodes).replace("<br>", ", ") if value else ""


def sentence(record: IterationRecord) -> str:
    """Returns what an iteration came to, as HTML: verdict, gain, lift, reason."""
    parts = [VERDICTS.get(record.verdict, record.verdict)]
    if record.gain:
        parts.append(f"gain {interval(record.gain)} against sigma")
    if record.lift:
        parts.append(f"lift {interval(record.lift)} against the target")
    known = [(word, value) for word, value in (("gain", record.gain), ("lift", record.lift)) if value]
    tip = "; ".join(f"{word}: {_title(value)}" for word, value in known)
    return (
        f'<span title="{safe(tip)}"><b>{safe(parts[0])}</b>{safe("".join(f", {part}" for part in parts[1:]))}: '
        f"{safe(short(record.message, _LONGEST_TEXT))}</span>"
    )
