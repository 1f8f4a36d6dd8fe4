"""What happened in a run, as a log for people: the row `EventRecord`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class EventRecord:
    """One line of a run's log.

    Attributes:
        id: number, growing in order of time over all runs; `Store.events(run, after=id)` goes on from here.
        kind: a short name, chosen by the writer.
        data: JSON.
        created: seconds since the epoch.
    """

    id: int
    kind: str
    data: Mapping[str, Any]
    created: float
