"""The lease: whoever holds it is the only writer of a run, and every write transaction checks that it still is."""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from csro_core.errors import LeaseError, NotFoundError
from csro_core.policies.source import sha256
from csro_core.seeds import Secret
from csro_core.store import calls, runs
from csro_core.store.cells import CellKey, CellWriter
from csro_core.store.codec import clean, dumps
from csro_core.store.connection import Connections
from csro_core.store.records import (
    AttemptRecord,
    CallRecord,
    Caps,
    IterationRecord,
    Member,
    PolicyText,
    RunStatus,
    SolutionRecord,
)
from csro_core.store.rows import insert, touch


@dataclass(frozen=True)
class Holder:
    """Who holds a lease.

    Attributes:
        run: id of the run.
        owner: a name for people ("runner, pid 71").
        token: random; it and not the owner's name proves the possession.
    """

    run: str
    owner: str
    token: str


class Lease:
    """Writes one run. Get one from `Store.acquire`; call `heartbeat` each second; `release` it at the end.

    Usable from several threads. Every method that writes raises `LeaseError` when another process has taken the
    lease over, and `StoreError` when the file cannot be written; nothing of that write is kept then.
    """

    def __init__(self, connections: Connections, holder: Holder, game_key: str, clock: Callable[[], float]) -> None:
        self._connections = connections
        self._holder = holder
        self._clock = clock
        self._open = threading.local()
        self.cells = CellWriter(CellKey(holder.run, game_key), self._reading, self._writing)

    @property
    def run(self) -> str:
        """Id of the run."""
        return self._holder.run

    @contextmanager
    def atomically(self) -> Iterator[None]:
        """Makes everything that this thread writes through the lease inside the block visible at once, or not at all.

        Keep such a block short: it holds the write lock of the whole store, also against the heartbeat.
        """
        with self._writing() as connection:
            outermost = self._joined() is None
            self._open.connection = connection
            try:
                yield
            finally:
                if outermost:
                    self._open.connection = None

    def heartbeat(self) -> None:
        """Says that the holder is alive; each second, from a thread of its own."""
        with self._connections.writing() as connection:
            beaten = connection.execute(
                "UPDATE leases SET heartbeat = ? WHERE run = ? AND token = ?",
                (self._clock(), self.run, self._holder.token),
            )
            if beaten.rowcount == 0:
                raise self._lost()

    def release(self, status: RunStatus, message: str = "") -> None:
        """Gives the run back with its last status."""
        with self._writing(rows=False) as connection:
            self._set_status(connection, status, message)
            connection.execute("DELETE FROM leases WHERE run = ?", (self.run,))

    def set_status(self, status: RunStatus, message: str = "") -> None:
        """Sets the status that readers see while the lease is alive."""
        with self._writing(rows=False) as connection:
            self._set_status(connection, status, message)

    def set_target(self, iterations: int) -> None:
        """Sets how many iterations are wanted in all."""
        with self._writing(rows=False) as connection:
            connection.execute("UPDATE runs SET target = ? WHERE id = ?", (iterations, self.run))

    def keep_secret(self, secret: Secret) -> None:
        """Keeps the run's secret in its row, so that it is stretched once."""
        with self._writing(rows=False) as connection:
            runs.keep_secret(connection, self.run, secret)

    def set_progress(self, progress: Mapping[str, Any]) -> None:
        """Replaces the live stages that pages show (JSON). Does not change `Store.rows_version`."""
        with self._writing(rows=False) as connection:
            connection.execute("UPDATE runs SET progress = ? WHERE id = ?", (_text(progress), self.run))

    def put_policy(self, policy: PolicyText) -> None:
        """Keeps a text with what its inspection said; what was kept first stays. Idempotent.

        Raises:
            ValueError: the hash is not the text's.
        """
        with self._writing() as connection:
            write_policy(connection, self.run, policy)

    def add_member(self, member: Member) -> None:
        """Appends a policy (and its text) to a population. `member.forfeits` is counted from the cells when read.

        Raises:
            ValueError: its index is not the next one, or the hash is not the text's.
        """
        with self._writing() as connection:
            write_member(connection, self.run, member)

    def add_solution(self, solution: SolutionRecord) -> None:
        """Keeps a solution; one with the same number gives way (a resumed run solves the same again)."""
        with self._writing() as connection:
            insert(connection, "solutions", self.run, solution, replace=True)

    def put_attempt(self, attempt: AttemptRecord) -> None:
        """Keeps an attempt; one with the same iteration and index gives way."""
        with self._writing() as connection:
            insert(connection, "attempts", self.run, attempt, replace=True)

    def commit_iteration(
        self, iteration: IterationRecord, members: Sequence[Member] = (), solution: SolutionRecord | None = None
    ) -> None:
        """Ends an iteration: all that it decides becomes visible at once.

        Args:
            iteration: the finished step; its number must be new.
            members: the policies that it admits, in order of their index.
            solution: the meta-game solved again, where it was.

        Raises:
            ValueError: the iteration was committed before, or a member's index is not the next one.
        """
        with self._writing() as connection:
            insert(connection, "iterations", self.run, iteration)
            for member in members:
                write_member(connection, self.run, member)
            if solution is not None:
                insert(connection, "solutions", self.run, solution, replace=True)

    def discard_unfinished(self) -> None:
        """Forgets what a dead holder left half done; call it when a run is resumed.

        Attempts of iterations that were never committed go. Calls that were sent and not answered become
        "possibly billed", or go where they are free; answers that were paid or waited for stay, to be used again.
        Requests that were being served fail, and say so.
        """
        lost = {"message": "the process that served this request stopped before it answered: ask again"}
        with self._writing() as connection:
            connection.execute(
                "DELETE FROM attempts WHERE run = ?1 AND iteration > "
                "(SELECT COALESCE(MAX(iteration), 0) FROM iterations WHERE run = ?1)",
                (self.run,),
            )
            calls.discard_unfinished(connection, self.run)
            connection.execute(
                "UPDATE requests SET state = 'failed', result = ? WHERE run = ? AND state = 'working'",
                (_text(lost), self.run),
            )

    def put_call(self, call: CallRecord, number: int = 0) -> int:
        """Keeps a call; a finished one stays, whatever is asked afterwards.

        Args:
            call: the row.
            number: what an earlier `put_call` returned: that row gives way, at the same place in the list. 0: a row
                with the same key that was sent and not finished gives way, or else the call is a new one.

        Returns:
            The number of the row.
        """
        with self._writing() as connection:
            return calls.write_call(connection, self.run, call, number)

    def answered(self, key: str) -> CallRecord | None:
        """Returns the finished call with this key (it is never made and paid twice); None where there is none."""
        with self._reading() as connection:
            return calls.find_answered(connection, self.run, key)

    def count_reuse(self, key: str) -> None:
        """Counts that the answer with this key was used again instead of asking."""
        with self._writing() as connection:
            calls.count_reuse(connection, self.run, key)

    def set_caps(self, caps: Caps) -> None:
        """Changes what the run may spend."""
        with self._writing(rows=False) as connection:
            runs.change_settings(connection, self.run, {"caps": caps})

    def answer(self, request_id: int, state: Literal["working", "done", "failed"], result: Mapping[str, Any]) -> None:
        """Answers a request of this run (JSON); "working" tells that it is being served.

        Raises:
            NotFoundError: this run has no such request.
        """
        with self._writing(rows=False) as connection:
            changed = connection.execute(
                "UPDATE requests SET state = ?, result = ? WHERE id = ? AND run = ?",
                (state, _text(result), request_id, self.run),
            )
            if changed.rowcount == 0:
                raise NotFoundError(f"request must be one of run {self.run}, got {request_id}")

    def event(self, kind: str, data: Mapping[str, Any]) -> None:
        """Adds a line to the log of the run."""
        with self._writing(rows=False) as connection:
            connection.execute(
                "INSERT INTO events (run, kind, data, created) VALUES (?, ?, ?, ?)",
                (self.run, kind, _text(data), self._clock()),
            )

    def _set_status(self, connection: sqlite3.Connection, status: RunStatus, message: str) -> None:
        connection.execute("UPDATE runs SET status = ?, message = ? WHERE id = ?", (status, clean(message), self.run))

    def _joined(self) -> sqlite3.Connection | None:
        connection: sqlite3.Connection | None = getattr(self._open, "connection", None)
        return connection

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        joined = self._joined()
        if joined is not None:
            yield joined
            return
        with self._connections.reading() as connection:
            yield connection

    @contextmanager
    def _writing(self, rows: bool = True) -> Iterator[sqlite3.Connection]:
        joined = self._joined()
        if joined is not None:
            touch(joined, self.run, rows)
            yield joined
            return
        with self._connections.writing() as connection:
            held = connection.execute(
                "SELECT 1 FROM leases WHERE run = ? AND token = ?", (self.run, self._holder.token)
            ).fetchone()
            if held is None:
                raise self._lost()
            touch(connection, self.run, rows)
            yield connection

    def _lost(self) -> LeaseError:
        return LeaseError(
            f"run {self.run} is no longer held by {self._holder.owner!r}: another process has taken it over, or it "
            f"was released; nothing more was written"
        )


def write_policy(connection: sqlite3.Connection, run: str, policy: PolicyText) -> None:
    """Writes a text and its inspection inside a write transaction (see `Lease.put_policy`).

    Raises:
        ValueError: the hash is not the text's.
    """
    if sha256(policy.source) != policy.hash:
        raise ValueError(f"hash must be the SHA-256 of the text, got {policy.hash!r}")
    connection.execute("INSERT OR IGNORE INTO texts (hash, source) VALUES (?, ?)", (policy.hash, policy.source))
    # The first inspection stays: the cells of the run are known by its tree hash.
    connection.execute(
        "INSERT OR IGNORE INTO policies (run, hash, tree_hash, docstring, lines) VALUES (?, ?, ?, ?, ?)",
        (run, policy.hash, policy.tree_hash, policy.docstring, policy.lines),
    )


def write_member(connection: sqlite3.Connection, run: str, member: Member) -> None:
    """Writes a member inside a write transaction (see `Lease.add_member`).

    Raises:
        ValueError: its index is not the next one, or the hash is not the text's.
    """
    (size,) = connection.execute(
        "SELECT COUNT(*) FROM members WHERE run = ? AND player = ?", (run, member.player)
    ).fetchone()
    if member.index != size:
        raise ValueError(
            f"populations are append-only: the next index of player {member.player} must be {size}, got {member.index}"
        )
    write_policy(connection, run, member.policy)
    connection.execute(
        'INSERT INTO members (run, player, "index", policy, name, origin, parent, iteration) '
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            run, member.player, member.index, member.policy.hash, member.name, member.origin, member.parent,
            member.iteration,
        ),
    )  # fmt: skip


def _text(data: Mapping[str, Any]) -> str:
    return dumps(data).decode("utf-8")
