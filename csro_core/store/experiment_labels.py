"""What people do to whole experiments: names and the bin. Runs of an experiment are not touched by any of it."""

import sqlite3
import time
from collections.abc import Callable

from csro_core.errors import LeaseError, NotFoundError, UsageError
from csro_core.store.codec import clean, dumps
from csro_core.store.connection import Connections
from csro_core.store.experiments import ExperimentRecord, list_experiments, read_plan, refuse_taken
from csro_core.store.labels import BIN_DAYS
from csro_core.store.rows import touch
from csro_core.store.runs import alive, checked_name

_DAY = 86_400.0


class ExperimentLabels:
    """Names and bin of the experiments of a store, for pages. `experiment` arguments are full ids.

    Methods raise `NotFoundError` where there is no such experiment, and `StoreError` when the file cannot be read or
    written.
    """

    def __init__(self, connections: Connections, clock: Callable[[], float] = time.time) -> None:
        """Keeps the connections (`Store.connections`) and the clock, which all processes must share."""
        self._connections = connections
        self._clock = clock

    def rename(self, experiment: str, name: str) -> str:
        """Gives an experiment another name; its runs keep theirs.

        Returns:
            The name, without spaces around it.

        Raises:
            UsageError: another experiment has it, or it cannot be one.
        """
        chosen = checked_name(clean(name))
        with self._connections.writing() as connection:
            row = _row(connection, experiment)
            if row["name"] != chosen:
                refuse_taken(connection, chosen)
                # A file with the plan is recognised by the name, which therefore stands in the plan too.
                plan = dumps({**read_plan(row), "name": chosen}).decode()
                connection.execute("UPDATE experiments SET name = ?, plan = ? WHERE id = ?", (chosen, plan, experiment))
        return chosen

    def bin(self) -> list[ExperimentRecord]:
        """Returns the experiments in the bin, the last one put there first."""
        with self._connections.reading() as connection:
            return list_experiments(connection, self._clock(), binned=True)

    def put_into_bin(self, experiment: str) -> None:
        """Puts an experiment into the bin, where lists leave it out. Its runs stay in the list of runs.

        Raises:
            LeaseError: a living process works on it.
        """
        with self._connections.writing() as connection:
            row = _row(connection, experiment)
            if row["owner"] and alive(row["heartbeat"], self._clock()):
                raise LeaseError(
                    f"experiment {row['name']!r} must be idle to be deleted, and {row['owner']!r} works on it: "
                    "pause it first"
                )
            connection.execute(
                "UPDATE experiments SET deleted = ?, wanted = 'pause' WHERE id = ?", (self._clock(), experiment)
            )

    def take_back(self, experiment: str) -> int:
        """Takes an experiment out of the bin, as it was; with it those of its runs that were put there meanwhile.

        Returns:
            How many runs that were.
        """
        with self._connections.writing() as connection:
            _row(connection, experiment)
            connection.execute("UPDATE experiments SET deleted = NULL WHERE id = ?", (experiment,))
            runs = connection.execute(
                "SELECT run FROM experiment_runs JOIN runs ON runs.id = run WHERE experiment = ? "
                "AND runs.deleted IS NOT NULL",
                (experiment,),
            ).fetchall()
            for row in runs:
                touch(connection, row["run"], rows=False)
                connection.execute("UPDATE runs SET deleted = NULL WHERE id = ?", (row["run"],))
        return len(runs)

    def erase(self, experiment: str) -> None:
        """Deletes an experiment of the bin for good; its runs stay.

        Raises:
            UsageError: it is not in the bin.
        """
        with self._connections.writing() as connection:
            row = _row(connection, experiment)
            if row["deleted"] is None:
                raise UsageError(
                    f"an experiment must be in the bin to be deleted for good, got {row['name']!r}: delete it first"
                )
            # Which runs it had goes with it (ON DELETE CASCADE).
            connection.execute("DELETE FROM experiments WHERE id = ?", (experiment,))

    def purge(self) -> int:
        """Deletes for good what is in the bin for more than `BIN_DAYS`; runs stay.

        Returns:
            How many experiments that were.
        """
        oldest = self._clock() - BIN_DAYS * _DAY
        # Pages ask at every draw: nothing is written, and nobody waited for, where nothing is old.
        if not any((one.deleted or oldest) < oldest for one in self.bin()):
            return 0
        with self._connections.writing() as connection:
            return connection.execute("DELETE FROM experiments WHERE deleted < ?", (oldest,)).rowcount


def _row(connection: sqlite3.Connection, experiment: str) -> sqlite3.Row:
    row: sqlite3.Row | None = connection.execute("SELECT * FROM experiments WHERE id = ?", (experiment,)).fetchone()
    if row is None:
        raise NotFoundError(f"experiment must be the id of one in the store, got {experiment[:100]!r}")
    return row
