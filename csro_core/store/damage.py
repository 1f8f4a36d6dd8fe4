"""What of a store cannot be read: rows that lists and pages leave out, each named in one line."""

from collections.abc import Mapping

from csro_core.store import runs
from csro_core.store.connection import Connections
from csro_core.store.events import EventRecord
from csro_core.store.experiments import damaged_experiments
from csro_core.store.records import AttemptRecord, CallRecord, RequestRecord
from csro_core.store.rows import DamagedError, record

_LEFT_OUT: Mapping[str, type] = {
    "attempts": AttemptRecord, "calls": CallRecord, "events": EventRecord, "requests": RequestRecord,
}  # fmt: skip
"""Table → kind of those rows of a run that nothing else rests on: a damaged one is left out."""


def left_out(connections: Connections, run: str) -> list[str]:
    """Returns what is wrong with the attempts, calls, events and requests of a run that are left out, a line each.

    Args:
        connections: to the store.
        run: id of the run.
    """
    found = []
    with connections.reading() as connection:
        for table, kind in _LEFT_OUT.items():
            for row in connection.execute(f"SELECT * FROM {table} WHERE run = ?", (run,)):
                try:
                    record(kind, row)
                except DamagedError as error:
                    found.append(str(error))
    return found


def unlisted(connections: Connections, now: float) -> list[str]:
    """Returns what is wrong with the runs and experiments that lists leave out, a line each.

    Args:
        connections: to the store.
        now: seconds since the epoch.
    """
    with connections.reading() as connection:
        bad = [one.message for one in runs.damaged_runs(connection, now)]
        return bad + damaged_experiments(connection, now)
