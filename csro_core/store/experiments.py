"""The tables of experiments: plans, which run belongs where, and who works on it."""

import secrets
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import orjson

from csro_core.errors import LeaseError, NotFoundError, UsageError
from csro_core.seeds import Seed
from csro_core.store.codec import clean, dumps, fields, from_json
from csro_core.store.connection import Connections
from csro_core.store.rows import DamagedError, record
from csro_core.store.runs import MAX_NAME, alive, checked_name

RunState: TypeAlias = Literal["waiting", "running", "done", "failed"]
Status: TypeAlias = Literal["running", "paused", "interrupted", "done", "failed", "new"]

_SHORTEST_PREFIX = 4


@dataclass(frozen=True)
class ExperimentRecord:
    """An experiment as the store has it.

    Attributes:
        id: short random id, the one in links.
        name: for people, unique.
        plan: JSON, see `experiments.plan.Plan`.
        created: seconds since the epoch.
        wanted: what a person wants of it: "run" or "pause".
        message: why it stopped, "" otherwise.
        comparison: key of its latest comparison, "" for none.
        worked_on: True while a living process works on it.
        deleted: when it was put into the bin, seconds since the epoch; None where it was not.
    """

    id: str
    name: str
    plan: Mapping[str, Any]
    created: float
    wanted: Literal["run", "pause"]
    message: str
    comparison: str
    worked_on: bool
    deleted: float | None = None


@dataclass(frozen=True)
class ExperimentRun:
    """A run of an experiment.

    Attributes:
        variant: name in the plan.
        seed: of the run.
        run: its id.
        state: "done" where its budget is used up.
        message: why it failed, "" otherwise.
    """

    variant: str
    seed: Seed
    run: str
    state: RunState
    message: str = ""


def status_of(record: ExperimentRecord, runs: list[ExperimentRun]) -> Status:
    """Returns how an experiment stands, in a word."""
    if record.worked_on:
        return "running"
    states = {run.state for run in runs}
    if states and states <= {"done"}:
        return "done"
    if not runs and record.wanted == "pause":
        return "new"
    if "failed" in states and states <= {"done", "failed"}:
        return "failed"
    return "paused" if record.wanted == "pause" else "interrupted"


def list_experiments(connection: sqlite3.Connection, now: float, binned: bool = False) -> list[ExperimentRecord]:
    """Returns every experiment that is not in the bin, newest first; or those in the bin, the last one put there first.

    One whose row is damaged is left out.

    Args:
        connection: to the store.
        now: seconds since the epoch.
        binned: True: those in the bin.
    """
    where = "IS NOT NULL ORDER BY deleted DESC," if binned else "IS NULL ORDER BY"
    rows = connection.execute(f"SELECT * FROM experiments WHERE deleted {where} created DESC, rowid DESC").fetchall()
    found = [_record_or_none(row, now) for row in rows]
    return [one for one in found if one is not None]


def damaged_experiments(connection: sqlite3.Connection, now: float) -> list[str]:
    """Returns what is wrong with the experiments that lists leave out, in one line each."""
    found = []
    for row in connection.execute("SELECT * FROM experiments ORDER BY created DESC, rowid DESC").fetchall():
        try:
            _record(row, now)
        except DamagedError as error:
            found.append(str(error))
    return found


def refuse_taken(connection: sqlite3.Connection, name: str) -> None:
    """Checks that no experiment has this name.

    Raises:
        UsageError: one has.
    """
    owner = connection.execute("SELECT deleted FROM experiments WHERE name = ?", (name,)).fetchone()
    if owner is not None:
        where = "" if owner["deleted"] is None else ", which one in the bin has"
        raise UsageError(f"the name of an experiment must be new, got {name!r}{where}: choose another")


def insert_experiment(
    connection: sqlite3.Connection, name: str, plan: Any, now: float, runs: Sequence[ExperimentRun]
) -> tuple[str, str]:
    """Writes an experiment with its runs, which nobody works on.

    Args:
        connection: inside a write transaction.
        name: for people; where it is taken it gets a number.
        plan: a dataclass or JSON data.
        now: seconds since the epoch.
        runs: of it; they are in the store.

    Returns:
        Its id and its name.

    Raises:
        UsageError: the name cannot be one.
    """
    chosen = stem = checked_name(name)
    taken = {row["name"] for row in connection.execute("SELECT name FROM experiments")}
    number = 2
    while chosen in taken:
        chosen, number = f"{stem[: MAX_NAME - 8]} ({number})", number + 1
    experiment = secrets.token_hex(4)
    connection.execute(
        "INSERT INTO experiments (id, name, plan, created, wanted) VALUES (?, ?, ?, ?, 'pause')",
        (experiment, chosen, dumps(plan).decode(), now),
    )
    for run in runs:
        connection.execute(
            "INSERT INTO experiment_runs (experiment, variant, seed, run, state, message) VALUES (?, ?, ?, ?, ?, ?)",
            (experiment, run.variant, run.seed, run.run, run.state, clean(run.message)),
        )
    return experiment, chosen


class ExperimentTable:
    """Experiments of a store, for pages and workers.

    Methods raise `StoreError` when the file cannot be read or written.
    """

    def __init__(self, connections: Connections, clock: Callable[[], float] = time.time) -> None:
        """Keeps the connections (`Store.connections`) and the clock, which all processes must share."""
        self._connections = connections
        self._clock = clock

    def create(self, name: str, plan: Mapping[str, Any]) -> str:
        """Keeps a new experiment, which nobody works on yet.

        Returns:
            Its id, 8 random hex characters.

        Raises:
            UsageError: the name is taken or cannot be one.
        """
        chosen = checked_name(name)
        experiment = secrets.token_hex(4)
        with self._connections.writing() as connection:
            refuse_taken(connection, chosen)
            connection.execute(
                "INSERT INTO experiments (id, name, plan, created, wanted) VALUES (?, ?, ?, ?, 'pause')",
                (experiment, chosen, dumps(plan).decode(), self._clock()),
            )
        return experiment

    def all(self) -> list[ExperimentRecord]:
        """Returns every experiment that is not in the bin, newest first."""
        with self._connections.reading() as connection:
            return list_experiments(connection, self._clock())

    def names(self) -> set[str]:
        """Returns the names that are taken, those of experiments in the bin among them."""
        with self._connections.reading() as connection:
            return {row["name"] for row in connection.execute("SELECT name FROM experiments")}

    def find(self, wanted: str) -> ExperimentRecord:
        """Returns the experiment with this id, exact name, or unique prefix of an id.

        Raises:
            NotFoundError: there is none, or more than one, or it is in the bin.
            DamagedError: its row is damaged.
        """
        with self._connections.reading() as connection:
            now = self._clock()
            rows = _named(list_experiments(connection, now), wanted)
            binned = [] if rows else _named(list_experiments(connection, now, binned=True), wanted)
            if not rows and not binned:
                _refuse_damaged(connection, wanted, now)
        if binned:
            raise NotFoundError(
                f"experiment {binned[0].name!r} is in the bin: take it back on the page Compare first; its runs are "
                "still there"
            )
        if len(rows) != 1:
            raise NotFoundError(f"experiment must be the id or the name of one in the store, got {wanted[:100]!r}")
        return rows[0]

    def change(self, experiment: str, column: Literal["plan", "wanted", "message", "comparison"], value: Any) -> None:
        """Changes one thing of an experiment; a plan is given as JSON data."""
        text = dumps(value).decode() if column == "plan" else clean(str(value))
        with self._connections.writing() as connection:
            connection.execute(f"UPDATE experiments SET {column} = ? WHERE id = ?", (text, experiment))

    def drop(self, experiment: str) -> None:
        """Forgets an experiment; its runs stay."""
        with self._connections.writing() as connection:
            connection.execute("DELETE FROM experiment_runs WHERE experiment = ?", (experiment,))
            connection.execute("DELETE FROM experiments WHERE id = ?", (experiment,))

    def runs(self, experiment: str) -> list[ExperimentRun]:
        """Returns the runs of an experiment, in the order in which they were planned."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                "SELECT variant, seed, run, state, message FROM experiment_runs WHERE experiment = ? ORDER BY rowid",
                (experiment,),
            ).fetchall()
        return [record(ExperimentRun, row) for row in rows]

    def experiments_of(self, run: str) -> list[str]:
        """Returns the ids of the experiments that a run belongs to."""
        with self._connections.reading() as connection:
            rows = connection.execute("SELECT experiment FROM experiment_runs WHERE run = ?", (run,)).fetchall()
        return [row["experiment"] for row in rows]

    def put_run(self, experiment: str, run: ExperimentRun) -> None:
        """Adds a run, or changes the state of one."""
        with self._connections.writing() as connection:
            connection.execute(
                "INSERT INTO experiment_runs (experiment, variant, seed, run, state, message) VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (experiment, variant, seed) DO UPDATE SET run = excluded.run, state = excluded.state,"
                " message = excluded.message",
                (experiment, run.variant, run.seed, run.run, run.state, clean(run.message)),
            )

    def take(self, experiment: str, owner: str) -> None:
        """Makes the caller the one that works on an experiment.

        Raises:
            NotFoundError: there is no such experiment.
            LeaseError: a living process works on it, or it is in the bin.
        """
        with self._connections.writing() as connection:
            row = connection.execute("SELECT * FROM experiments WHERE id = ?", (experiment,)).fetchone()
            if row is None:
                raise NotFoundError(f"experiment must be one of the store, got {experiment[:100]!r}")
            if row["deleted"] is not None:
                raise LeaseError(f"experiment {row['name']!r} is in the bin: take it back first")
            if row["owner"] not in {"", owner} and alive(row["heartbeat"], self._clock()):
                raise LeaseError(f"experiment {experiment} is worked on already, by {row['owner']!r}: pause it first")
            connection.execute(
                "UPDATE experiments SET owner = ?, heartbeat = ?, message = '' WHERE id = ?",
                (owner, self._clock(), experiment),
            )

    def beat(self, experiment: str, owner: str) -> bool:
        """Tells that the worker is alive.

        Returns:
            False where it is to stop: somebody wants a pause or has deleted it, or another process has taken over.
        """
        with self._connections.writing() as connection:
            connection.execute(
                "UPDATE experiments SET heartbeat = ? WHERE id = ? AND owner = ?", (self._clock(), experiment, owner)
            )
            row = connection.execute(
                "SELECT owner, wanted FROM experiments WHERE id = ? AND deleted IS NULL", (experiment,)
            ).fetchone()
        return row is not None and row["owner"] == owner and row["wanted"] == "run"

    def release(self, experiment: str, owner: str, message: str = "") -> None:
        """Ends the work on an experiment."""
        with self._connections.writing() as connection:
            connection.execute(
                "UPDATE experiments SET owner = '', heartbeat = 0, message = ? WHERE id = ? AND owner = ?",
                (clean(message), experiment, owner),
            )


def _refuse_damaged(connection: sqlite3.Connection, wanted: str, now: float) -> None:
    for row in connection.execute("SELECT * FROM experiments WHERE id = ?1 OR name = ?1", (wanted,)).fetchall():
        _record(row, now)


def _named(every: Sequence[ExperimentRecord], wanted: str) -> list[ExperimentRecord]:
    rows = [one for one in every if wanted in {one.id, one.name}]
    if not rows and len(wanted) >= _SHORTEST_PREFIX:
        rows = [one for one in every if one.id.startswith(wanted.lower())]
    return rows


def read_plan(row: sqlite3.Row) -> Mapping[str, Any]:
    """Returns the plan in a row of the table.

    Raises:
        DamagedError: something else stands in the row than this program writes.
    """
    return _record(row, 0.0).plan


def _record_or_none(row: sqlite3.Row, now: float) -> ExperimentRecord | None:
    try:
        return _record(row, now)
    except DamagedError:
        return None


def _record(row: sqlite3.Row, now: float) -> ExperimentRecord:
    """Returns the experiment in a row.

    Raises:
        DamagedError: something else stands in it than this program writes.
    """
    try:
        worked_on = bool(row["owner"]) and alive(float(row["heartbeat"]), now)
        own = {name: row[name] for name in fields(ExperimentRecord) if name not in {"plan", "worked_on"}}
        return from_json(ExperimentRecord, own | {"plan": orjson.loads(row["plan"]), "worked_on": worked_on})
    except (ValueError, TypeError) as error:
        name = f"experiment {str(row['id'])[:64]} ({str(row['name'])[:MAX_NAME]})"
        raise DamagedError(name, error) from error
