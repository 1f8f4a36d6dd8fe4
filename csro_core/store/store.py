"""The store as readers see it, and the few writes that need no lease: new runs, requests and drafts."""

import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, get_args

from csro_core.errors import LeaseError, NotFoundError, StoreError, UsageError
from csro_core.seeds import SCHEME, Secret, drawn_seed
from csro_core.store import migrations, runs
from csro_core.store.authors import models_behind
from csro_core.store.calls import Answers, CallTotals, totals
from csro_core.store.cells import CellKey, CellReader
from csro_core.store.codec import clean, dumps
from csro_core.store.connection import Connections
from csro_core.store.events import EventRecord
from csro_core.store.lease import Holder, Lease, write_policy
from csro_core.store.legible import legible, member, progress, solution
from csro_core.store.records import (
    AttemptRecord,
    CallRecord,
    IterationRecord,
    Member,
    PolicyText,
    RequestKind,
    RequestRecord,
    RunRecord,
    RunSettings,
    SolutionRecord,
)
from csro_core.store.rows import record, run_row, touch

T = TypeVar("T")

MAX_TARGET = 100_000
"""The most iterations that a run may want."""

_SHORTEST_PREFIX = 4


def open_store(path: Path, create: bool = True, clock: Callable[[], float] = time.time) -> "Store":
    """Opens the store, bringing an older one to the newest version.

    Args:
        path: its file.
        create: True: a missing file and its folders are created; False: it must exist.
        clock: seconds since the epoch; leases of several processes are compared by it.

    Returns:
        The store; it opens connections as it needs them.

    Raises:
        StoreError: it is missing, of a newer version, not a CSRO store, or cannot be opened or written.
    """
    path = path.absolute()  # another process, or this one in another folder, shall find it by `Store.path`
    if not create and not path.exists():
        raise StoreError(f"store {path}: there is no such file: check --store and CSRO_STORE")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"store {path}: its folder cannot be made ({error.strerror}): choose another place") from error
    migrations.prepare(path)
    return Store(Connections(path), clock)


class Store:
    """Reads every run, from any thread or process, while runs are being written. `run` arguments are full ids.

    Methods raise `StoreError` when the file cannot be read or written.
    """

    def __init__(self, connections: Connections, clock: Callable[[], float] = time.time) -> None:
        self.connections = connections
        self.clock = clock

    @property
    def path(self) -> Path:
        """The store's file."""
        return self.connections.path

    def close(self) -> None:
        """Closes the connections. Idempotent."""
        self.connections.close()

    def runs(self) -> list[RunRecord]:
        """Returns every run but those in the bin, newest first."""
        with self.connections.reading() as connection:
            return runs.list_runs(connection, self.clock())

    def bin(self) -> list[RunRecord]:
        """Returns the runs in the bin, the last one put there first."""
        with self.connections.reading() as connection:
            return runs.list_runs(connection, self.clock(), binned=True)

    def count_runs(self) -> int:
        """Returns how many runs `runs` lists."""
        return int(self._rows("SELECT COUNT(*) AS n FROM runs WHERE deleted IS NULL")[0]["n"])

    def run(self, wanted: str) -> RunRecord:
        """Returns the run with this id, exact name, or unique prefix of an id (4 or more characters).

        Raises:
            NotFoundError: there is none, or more than one.
        """
        with self.connections.reading() as connection:
            return runs.find_run(connection, wanted, self.clock())

    def secret(self, run: str) -> Secret:
        """Returns what the numbers of a run come from; it is never shown, sent or exported."""
        with self.connections.reading() as connection:
            return runs.secret_of(run_row(connection, run))

    def members(self, run: str) -> list[Member]:
        """Returns the policies of all populations, by player and index."""
        rows = self._rows(
            "WITH tally AS ("
            ' SELECT "row" AS tree, row_forfeits AS n FROM cells WHERE run = ?1 AND row_forfeits > 0 UNION ALL'
            ' SELECT "column", column_forfeits FROM cells WHERE run = ?1 AND column_forfeits > 0) '
            "SELECT members.*, tree_hash, docstring, lines, source,"
            " (SELECT COALESCE(SUM(n), 0) FROM tally WHERE tree = tree_hash) AS forfeits "
            "FROM members JOIN policies ON policies.run = members.run AND policies.hash = members.policy "
            'JOIN texts ON texts.hash = members.policy WHERE members.run = ?1 ORDER BY player, "index"',
            run,
        )
        return [member(row) for row in rows]

    def policy(self, wanted: str, run: str | None = None) -> PolicyText:
        """Returns a text by its hash or a unique prefix of it (at least 4 characters).

        Args:
            wanted: the hash or prefix.
            run: the run whose inspection of the text is wanted; None: any, a local one first.

        Raises:
            NotFoundError: there is none, or more than one text.
        """
        wanted = wanted.lower()
        rows = self._rows(
            "SELECT policies.*, source FROM policies JOIN texts USING (hash) JOIN runs ON runs.id = policies.run "
            "WHERE substr(hash, 1, length(?1)) = ?1 AND (?2 IS NULL OR run = ?2) ORDER BY imported, created DESC",
            wanted,
            run,
        )
        if not rows or len(wanted) < _SHORTEST_PREFIX:
            raise NotFoundError(
                f"policy must be a hash in the store (or its first {_SHORTEST_PREFIX} or more characters), "
                f"got {wanted[:64]!r}: `show RUN` lists them"
            )
        if len({row["hash"] for row in rows}) > 1:
            raise NotFoundError(f"policy must name one text, got {wanted!r}, which fits several: give more of the hash")
        return record(PolicyText, rows[0])

    def policies(self, run: str) -> list[PolicyText]:
        """Returns every text of a run, also of attempts that were not admitted, in the order they were kept."""
        return self._records(
            PolicyText,
            "SELECT policies.*, source FROM policies JOIN texts USING (hash) WHERE run = ? ORDER BY policies.rowid",
            run,
        )

    def models_behind(self, policy: str) -> set[str]:
        """Returns the models that wrote a text, or the one that a person made it from, in any run; empty: not told."""
        with self.connections.reading() as connection:
            return models_behind(connection, policy)

    def cells(self, run: str) -> CellReader:
        """Returns the payoff cells of a run; one object may be kept and used from any thread.

        Raises:
            NotFoundError: there is no such run.
        """
        with self.connections.reading() as connection:
            key = CellKey(run, run_row(connection, run)["game_key"])
        return CellReader(key, self.connections.reading)

    def cell_moves(self, run: str, row: str, column: str) -> tuple[bytes, ...]:
        """Returns the compressed logs of a cell (by tree hashes), one an episode; empty where none were kept."""
        return self.cells(run).moves(row, column)

    def solutions(self, run: str) -> list[SolutionRecord]:
        """Returns the solved meta-games, oldest first."""
        rows = self._rows("SELECT * FROM solutions WHERE run = ? ORDER BY number", run)
        return [solution(row) for row in rows]

    def iterations(self, run: str) -> list[IterationRecord]:
        """Returns the finished oracle steps, oldest first."""
        return self._records(IterationRecord, "SELECT * FROM iterations WHERE run = ? ORDER BY iteration", run)

    def attempts(self, run: str, iteration: int | None = None) -> list[AttemptRecord]:
        """Returns the attempts of one iteration (also of the one that is going on), or of all, in order."""
        return self._legible(
            AttemptRecord,
            'SELECT * FROM attempts WHERE run = ? AND (?2 IS NULL OR iteration = ?2) ORDER BY iteration, "index"',
            run,
            iteration,
        )

    def calls(self, run: str, iteration: int | None = None) -> list[CallRecord]:
        """Returns the model calls of one iteration, or all, in the order they were sent."""
        query = "SELECT * FROM calls WHERE run = ? AND (?2 IS NULL OR iteration = ?2) ORDER BY id"
        return self._legible(CallRecord, query, run, iteration)

    def call_totals(self, run: str) -> list[CallTotals]:
        """Returns what the calls of each model came to."""
        with self.connections.reading() as connection:
            return totals(connection, run)

    def answers(self, run: str) -> Answers:
        """Returns the answers of a run, to be used again; one object may be kept and used from any thread."""
        return Answers(self.connections, run)

    def events(self, run: str, after: int = 0) -> list[EventRecord]:
        """Returns the log of a run, oldest first, from the event behind number `after` on."""
        return self._legible(EventRecord, "SELECT * FROM events WHERE run = ? AND id > ? ORDER BY id", run, after)

    def progress(self, run: str) -> dict[str, Any]:
        """Returns the live stages as the holder of the lease last told them."""
        with self.connections.reading() as connection:
            return progress(run_row(connection, run))

    def request(self, request_id: int) -> RequestRecord:
        """Returns a request with its answer so far.

        Raises:
            NotFoundError: there is no such request.
        """
        found = self._records(RequestRecord, "SELECT * FROM requests WHERE id = ?", request_id)
        if not found:
            raise NotFoundError(f"request must be the number of a request in the store, got {request_id}")
        return found[0]

    def waiting(self, run: str) -> list[RequestRecord]:
        """Returns the requests that nobody serves yet, oldest first."""
        return self._legible(
            RequestRecord, "SELECT * FROM requests WHERE run = ? AND state = 'waiting' ORDER BY id", run
        )

    def requests(self, run: str, kind: RequestKind | None = None, limit: int = 50) -> list[RequestRecord]:
        """Returns the latest requests of a run, newest first."""
        return self._legible(
            RequestRecord,
            "SELECT * FROM requests WHERE run = ? AND (?2 IS NULL OR kind = ?2) ORDER BY id DESC LIMIT ?3",
            run,
            kind,
            limit,
        )

    def lease_holder(self, run: str) -> tuple[str, float] | None:
        """Returns who holds the run and the age of its heartbeat in seconds (expired at 5); None where nobody does."""
        rows = self._rows("SELECT owner, heartbeat FROM leases WHERE run = ?", run)
        return None if not rows else (rows[0]["owner"], self.clock() - rows[0]["heartbeat"])

    def is_held(self, run: str) -> bool:
        """Returns True while a living process holds the lease of the run."""
        holder = self.lease_holder(run)
        return holder is not None and holder[1] < runs.LEASE_SECONDS

    def version(self, run: str) -> int:
        """Returns a number that differs whenever anything of the run differs, also progress, requests and drafts.

        It differs too when the lease expires, because the status then reads "interrupted". One quick query.
        """
        query = "SELECT id, name, changed, heartbeat FROM runs LEFT JOIN leases ON run = id WHERE id = ?"
        rows = self._rows(query, run)
        if not rows:
            return 0
        return 2 * runs.changes_of(rows[0], "changed") + runs.alive(rows[0]["heartbeat"], self.clock())

    def rows_version(self, run: str) -> int:
        """Returns a number that grows only when results changed: members, cells, solutions, iterations, attempts."""
        rows = self._rows("SELECT id, name, rows_changed FROM runs WHERE id = ?", run)
        return runs.changes_of(rows[0], "rows_changed") if rows else 0

    def create_run(self, name: str, settings: RunSettings, target: int, texts: Sequence[PolicyText] = ()) -> str:
        """Creates a run with status "new".

        Args:
            name: a name for people that no other run has; "" makes one, such as "rps-linear-12".
            settings: everything that decides its rows; without a seed, one is drawn.
            target: iterations wanted, 0 to `MAX_TARGET`.
            texts: policies that the settings name by their hash; kept with the run.

        Returns:
            Its id, 8 random hex characters.

        Raises:
            UsageError: the name is taken or cannot be one, or the target is out of range.
        """
        if not 0 <= target <= MAX_TARGET:
            raise UsageError(f"iterations must be from 0 to {MAX_TARGET}, got {target}")
        chosen = runs.checked_name(name) if name.strip() else ""
        run = secrets.token_hex(4)
        settings = replace(settings, seed=settings.seed or drawn_seed(), seed_scheme=SCHEME)
        with self.connections.writing() as connection:
            runs.refuse_taken(connection, chosen)
            columns = {
                "name": chosen or runs.friendly_name(connection, settings),
                "settings": settings, "status": "new", "message": "", "target": target,
                "created": self.clock(), "imported": False,
            }  # fmt: skip
            runs.insert_run(connection, run, columns)
            for text in texts:
                write_policy(connection, run, text)
        return run

    def add_request(self, run: str, kind: RequestKind, payload: Mapping[str, Any]) -> int:
        """Asks something of the holder of the lease; `request(number)` has the answer later.

        Args:
            run: id of the run.
            kind: what is asked.
            payload: JSON, see `RequestRecord`.

        Returns:
            The number of the request.

        Raises:
            NotFoundError: there is no such run.
            ValueError: there is no such kind, or the payload has no JSON form.
        """
        if kind not in get_args(RequestKind):
            raise ValueError(f"kind must be one of {', '.join(get_args(RequestKind))}, got {kind!r}")
        text = dumps(payload).decode("utf-8")
        with self._touching(run) as connection:
            row = connection.execute(
                "INSERT INTO requests (run, kind, payload, state, result, created) "
                "VALUES (?, ?, ?, 'waiting', '{}', ?) RETURNING id",
                (run, kind, text, self.clock()),
            ).fetchone()
        return int(row["id"])

    def save_draft(self, run: str, policy_hash: str, text: str) -> None:
        """Keeps what a person is writing over a policy; one draft for each policy of a run."""
        with self._touching(run) as connection:
            connection.execute(
                "INSERT OR REPLACE INTO drafts (run, policy, text) VALUES (?, ?, ?)", (run, policy_hash, clean(text))
            )

    def draft(self, run: str, policy_hash: str) -> str | None:
        """Returns the draft over a policy, None where there is none."""
        rows = self._rows("SELECT text FROM drafts WHERE run = ? AND policy = ?", run, policy_hash)
        return rows[0]["text"] if rows else None

    def drop_draft(self, run: str, policy_hash: str) -> None:
        """Forgets the draft over a policy, if there is one."""
        with self._touching(run) as connection:
            connection.execute("DELETE FROM drafts WHERE run = ? AND policy = ?", (run, policy_hash))

    def acquire(self, run: str, owner: str) -> Lease:
        """Takes the lease of a run, also an expired one of another process (which then cannot write any more).

        Args:
            run: id of the run.
            owner: who asks, for people: "runner, pid 71". The same owner may take its own lease again.

        Returns:
            The lease; its heartbeat starts now.

        Raises:
            NotFoundError: there is no such run.
            LeaseError: another process holds the run, or it is in the bin.
        """
        holder = Holder(run, owner, secrets.token_hex(8))
        with self._touching(run) as connection:
            row = run_row(connection, run)
            if row["deleted"] is not None:
                raise LeaseError(f"run {run} is in the bin: take it back first")
            old = connection.execute("SELECT owner, heartbeat FROM leases WHERE run = ?", (run,)).fetchone()
            now = self.clock()
            if old is not None and old["owner"] != owner and runs.alive(old["heartbeat"], now):
                raise LeaseError(
                    f"run {run} is already running, held by {old['owner']!r}: stop it first, or wait until it is done"
                )
            connection.execute(
                "INSERT OR REPLACE INTO leases (run, owner, token, heartbeat) VALUES (?, ?, ?, ?)",
                (run, owner, holder.token, now),
            )
        return Lease(self.connections, holder, row["game_key"], self.clock)

    def _rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        with self.connections.reading() as connection:
            return connection.execute(query, values).fetchall()

    def _records(self, kind: type[T], query: str, *values: Any) -> list[T]:
        return [record(kind, row) for row in self._rows(query, *values)]

    def _legible(self, kind: type[T], query: str, *values: Any) -> list[T]:
        """Returns the records without damaged ones, which `damage.left_out` names: nothing else rests on these."""
        return legible(kind, self._rows(query, *values))

    @contextmanager
    def _touching(self, run: str) -> Iterator[sqlite3.Connection]:
        with self.connections.writing() as connection:
            touch(connection, run, rows=False)
            yield connection

