"""The attempts of one iteration: what was tried, what came of it, and why."""

import streamlit as st

from app import address, services
from app.formats import interval, safe
from app.snapshot import HASH_DIGITS, Snapshot
from csro_core.store.records import AttemptRecord, IterationRecord

VERDICTS = {
    "improves": "admitted",
    "broadens": "admitted (broadens)",
    "always": "admitted (always)",
    "rejected": "rejected",
    "undecided": "undecided",
    "failed": "failed",
}
_STATUS = {
    "scored": "not chosen",
    "duplicate": "duplicate",
    "refused": "refused",
    "failed": "failed",
    "no-answer": "no answer",
}


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
    state = "" if finished else " · under way"
    st.html(f'<p class="csro-panel-title">attempts of iteration {shown}<small>{state}</small></p>')
    if finished is not None:
        st.html(f'<div class="csro-plain">{sentence(finished)}</div>')
    if not attempts:
        st.caption("It has no attempts.")
        return
    rows = [row(attempt, finished) for attempt in attempts]
    read = st.column_config.ButtonColumn("read", help="open its code", type="tertiary", key="read_attempt", width=55)
    st.dataframe(
        rows,
        hide_index=True,
        height="content" if len(rows) <= 14 else 530,
        placeholder="",
        key="attempts",
        column_config={
            "read": read,
            "verdict": st.column_config.TextColumn(width=90, help="what became of it"),
            "operator": st.column_config.TextColumn(width=75, help="propose, refine or repair"),
            "idea": st.column_config.TextColumn(width=190, help="the model's sentence about it"),
            "screen": st.column_config.TextColumn(
                "screen (not comparable)",
                width=145,
                help="search score against the target on the screening game; only ranks attempts of one iteration",
            ),
            "gain ± 95 %": st.column_config.TextColumn(
                width=90, help=f"against sigma on fresh seeds, {snapshot.game.unit}"
            ),
            "episodes": st.column_config.NumberColumn(width=65),
            "lines": st.column_config.NumberColumn(width=45),
            "reason": st.column_config.TextColumn(width=170),
        },
    )
    click = st.session_state.get("read_attempt")
    if click is not None and click["row"] < len(attempts) and attempts[click["row"]].policy:
        address.put(policy=attempts[click["row"]].policy[:HASH_DIGITS])
        st.switch_page("views/policies.py")


def row(attempt: AttemptRecord, finished: IterationRecord | None) -> dict[str, object]:
    """Returns one line of the table; an attempt that failed has a reason and no score."""
    finalist = bool(attempt.verdict) and finished is not None
    gain = finished.gain if finalist and finished is not None else None
    latest = gain or attempt.final or attempt.screen
    reason = attempt.message
    if attempt.line and f"line {attempt.line}" not in reason:
        reason = f"line {attempt.line}: {reason}"
    if finalist and finished is not None and not reason:
        reason = finished.message
    return {
        "verdict": VERDICTS.get(attempt.verdict) or _STATUS.get(attempt.status, attempt.status),
        "operator": attempt.operator,
        "idea": attempt.idea,
        "screen": interval(attempt.screen) if attempt.screen else "",
        "gain ± 95 %": interval(gain) if gain else "",
        "episodes": latest.episodes if latest else None,
        "lines": attempt.lines or None,
        "reason": reason,
        "read": "read" if attempt.policy else None,
    }


def sentence(record: IterationRecord) -> str:
    """Returns what an iteration came to, as HTML: verdict, gain, lift, reason."""
    parts = [VERDICTS.get(record.verdict, record.verdict)]
    if record.gain:
        parts.append(f"gain {interval(record.gain)} against sigma")
    if record.lift:
        parts.append(f"lift {interval(record.lift)} against the target")
    return f"<b>{safe(parts[0])}</b>{safe(''.join(f', {part}' for part in parts[1:]))}: {safe(record.message)}"
