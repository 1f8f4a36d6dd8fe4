"""Rows of model calls: how one is kept, how an answer is found again, and what all of them came to."""

import sqlite3
from dataclasses import dataclass

from csro_core.store.connection import Connections
from csro_core.store.legible import legible
from csro_core.store.records import CallRecord
from csro_core.store.rows import insert, record


@dataclass(frozen=True)
class CallTotals:
    """What the calls of one model came to in a run.

    Attributes:
        model: its name.
        calls: calls that were sent, the failed and the lost ones too.
        failed: those of them that gave no answer.
        possibly_billed: those of them that were under way when the process died.
        tokens_in: prompt tokens.
        tokens_out: answer tokens, thoughts included.
        tokens_cached: those of `tokens_in` that the provider had in its cache.
        tokens_thinking: those of `tokens_out` that were thoughts.
        usd: what the priced calls cost.
        unpriced: calls that may have cost something, nobody knows how much.
        reused: how often a stored answer was used instead of asking.
        saved_usd: what that saved, by the prices that are known.
        saved_unpriced: those of `reused` whose price is not known.
        seconds: wall seconds of waiting, calls added up.
    """

    model: str
    calls: int
    failed: int
    possibly_billed: int
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    tokens_thinking: int
    usd: float
    unpriced: int
    reused: int
    saved_usd: float
    saved_unpriced: int
    seconds: float


@dataclass(frozen=True)
class CallLine:
    """A call in a list: everything of a `CallRecord` that a table shows, without its texts, and what it led to.

    Attributes:
        id: number of the row, in the order in which calls were sent.
        policy: hash of the text of the attempt it was made for, "" where there is none.
        attempt_status: `AttemptRecord.status` of that attempt, "" while there is no such attempt.
        verdict: `AttemptRecord.verdict` of that attempt.
    """

    id: int
    iteration: int
    attempt: int
    model: str
    status: str
    tokens_in: int
    tokens_out: int
    usd: float | None
    seconds: float
    tokens_cached: int
    tokens_thinking: int
    reason: str
    message: str
    task: str
    cached: bool
    reused: int
    policy: str
    attempt_status: str
    verdict: str


_LINES = """
SELECT calls.id, calls.iteration, attempt, model, calls.status, tokens_in, tokens_out, usd, seconds, tokens_cached,
    tokens_thinking, reason, calls.message, task, cached, reused, COALESCE(policy, '') AS policy,
    COALESCE(attempts.status, '') AS attempt_status, COALESCE(verdict, '') AS verdict
FROM calls LEFT JOIN attempts
    ON attempts.run = calls.run AND attempts.iteration = calls.iteration AND attempts."index" = calls.attempt
WHERE calls.run = ? ORDER BY calls.id
"""

_TOTALS = """
SELECT model, COUNT(*) AS calls,
    SUM(status = 'failed') AS failed, SUM(status = 'possibly billed') AS possibly_billed,
    SUM(tokens_in) AS tokens_in, SUM(tokens_out) AS tokens_out,
    SUM(tokens_cached) AS tokens_cached, SUM(tokens_thinking) AS tokens_thinking,
    COALESCE(SUM(usd), 0.0) AS usd,
    SUM(usd IS NULL AND status != 'sent' AND (status != 'failed' OR tokens_in + tokens_out > 0)) AS unpriced,
    SUM(reused) AS reused, COALESCE(SUM(reused * usd), 0.0) AS saved_usd,
    SUM(CASE WHEN usd IS NULL THEN reused ELSE 0 END) AS saved_unpriced, COALESCE(SUM(seconds), 0.0) AS seconds
FROM calls WHERE run = ? GROUP BY model ORDER BY MIN(id)
"""


class Answers:
    """The answers of a run, by what was asked: an `models.base.AnswerBook`. Usable from several threads."""

    def __init__(self, connections: Connections, run: str) -> None:
        """Keeps where to look."""
        self._connections = connections
        self._run = run

    def find(self, request_key: str) -> str | None:
        """Returns the raw answer to a request with this key, the latest one; None where it was not recorded."""
        with self._connections.reading() as connection:
            row = connection.execute(
                "SELECT answer FROM calls WHERE run = ? AND request_key = ? AND status = 'answered' "
                "ORDER BY id DESC LIMIT 1",
                (self._run, request_key),
            ).fetchone()
        return None if row is None or not request_key else str(row["answer"])


def call_lines(connections: Connections, run: str) -> list[CallLine]:
    """Returns all calls of a run without their texts, in the order in which they were sent: one query.

    A damaged one is left out (see `damage.left_out`).
    """
    with connections.reading() as connection:
        return legible(CallLine, connection.execute(_LINES, (run,)).fetchall())


def find_call(connections: Connections, run: str, number: int) -> CallRecord | None:
    """Returns the call of a run with this number (`CallLine.id`); None where the run has no such call."""
    with connections.reading() as connection:
        row = connection.execute("SELECT * FROM calls WHERE run = ? AND id = ?", (run, number)).fetchone()
    return None if row is None else record(CallRecord, row)


def totals(connection: sqlite3.Connection, run: str) -> list[CallTotals]:
    """Returns what the calls of each model came to, in the order in which the models were first asked."""
    return [record(CallTotals, row) for row in connection.execute(_TOTALS, (run,)).fetchall()]


def typical_tokens(connections: Connections, model: str) -> tuple[float, float] | None:
    """Returns the mean tokens (sent, written) of the answers of a model in all runs; None where there are none."""
    with connections.reading() as connection:
        row = connection.execute(
            "SELECT AVG(tokens_in) AS sent, AVG(tokens_out) AS written FROM calls "
            "WHERE model = ? AND status = 'answered' AND tokens_out > 0",
            (model,),
        ).fetchone()
    return None if row["sent"] is None else (float(row["sent"]), float(row["written"]))


def find_answered(connection: sqlite3.Connection, run: str, key: str) -> CallRecord | None:
    """Returns the finished call with this key, None where there is none."""
    row = connection.execute(
        "SELECT * FROM calls WHERE run = ? AND key = ? AND status = 'answered' ORDER BY id LIMIT 1", (run, key)
    ).fetchone()
    return None if row is None else record(CallRecord, row)


def write_call(connection: sqlite3.Connection, run: str, call: CallRecord, number: int) -> int:
    """Writes a call inside a write transaction (see `Lease.put_call`).

    Returns:
        The number of its row.
    """
    if not number:
        pending = connection.execute(
            "SELECT id FROM calls WHERE run = ? AND key = ? AND status = 'sent'", (run, call.key)
        ).fetchone()
        number = 0 if pending is None else int(pending["id"])
    if number:
        connection.execute("DELETE FROM calls WHERE run = ? AND id = ?", (run, number))
    insert(connection, "calls", run, call)
    (written,) = connection.execute("SELECT last_insert_rowid()").fetchone()
    if number:
        connection.execute("UPDATE calls SET id = ? WHERE id = ?", (number, written))
    return number or int(written)


def count_reuse(connection: sqlite3.Connection, run: str, key: str) -> None:
    """Counts one use of the answer that `find_answered` returns."""
    connection.execute(
        "UPDATE calls SET reused = reused + 1 WHERE id = "
        "(SELECT MIN(id) FROM calls WHERE run = ? AND key = ? AND status = 'answered')",
        (run, key),
    )


def discard_unfinished(connection: sqlite3.Connection, run: str) -> None:
    """Settles the calls that a dead process left under way, inside a write transaction.

    The calls of the synthesiser and of recordings for an iteration that was never committed go altogether: they give
    the same answers again at once.
    """
    connection.execute(
        "DELETE FROM calls WHERE run = ?1 AND usd = 0 AND (status = 'sent' OR ((prompt = '' OR cached) AND iteration > "
        "(SELECT COALESCE(MAX(iteration), 0) FROM iterations WHERE run = ?1)))",
        (run,),
    )
    connection.execute("UPDATE calls SET status = 'possibly billed' WHERE run = ? AND status = 'sent'", (run,))
