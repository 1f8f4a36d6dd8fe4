"""What crosses between a run and the workers of a cluster: demands, reports and answers, as plain data.

Both ends are trusted and run this project; only Dask's own serialisation (pickle) carries these values. Nothing that a
policy process wrote is unpickled: a worker's answer is made by the worker from checked bytes.
"""

import hashlib
import queue
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from csro_core.errors import CsroError, IsolationError
from csro_core.matches.jobs import Isolation, MatchJob, MatchResult
from csro_core.policies.source import Inspection

_PACKAGE = Path(__file__).resolve().parents[1]
_FOLDERS = ("sandbox", "matches", "games", "policies")
_FILES = ("seeds.py",)

Task: TypeAlias = MatchJob | str
"""What a worker is asked to do: play a job, or inspect a text."""


@dataclass(frozen=True)
class Demand:
    """What a worker must have, sent with every task: workers may join at any time.

    Attributes:
        code: `code_identity` of whoever asks.
        full_isolation: True where policies may run behind the kernel jail only.
    """

    code: str
    full_isolation: bool


@dataclass(frozen=True)
class WorkerReport:
    """What a worker says of itself.

    Attributes:
        address: where the scheduler finds it.
        code: `code_identity` there.
        isolation: how policies are shut in there.
        trouble: why it cannot play at all, "" where it can.
    """

    address: str
    code: str
    isolation: Isolation
    trouble: str = ""


@dataclass(frozen=True)
class Answer:
    """What came of a task.

    Attributes:
        report: of the worker that had it.
        outcome: the result, or the inspection; None where there is none.
        trouble: why there is none, "" where there is one.
        again: True where another try may do better: processes died through no fault of a policy, or the worker is
            about to leave.
    """

    report: WorkerReport
    outcome: MatchResult | Inspection | None
    trouble: str = ""
    again: bool = False


@cache
def code_identity() -> str:
    """Returns what must be equal on both sides for equal results: Python's minor version and a hash of the code.

    It is computed once a process, when the process has just loaded that code.
    """
    digest = hashlib.sha256()
    paths = [path for folder in _FOLDERS for path in (_PACKAGE / folder).rglob("*.py")]
    for path in sorted([*paths, *(_PACKAGE / name for name in _FILES)]):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(_PACKAGE).as_posix()}:{len(content)};".encode())
        digest.update(content)
    return f"Python {sys.version_info.major}.{sys.version_info.minor}, code {digest.hexdigest()[:12]}"


@dataclass(frozen=True)
class Lost:
    """A task is gone through no fault of its own: workers died with it, or the connection broke."""

    reason: str


@dataclass
class Errand:
    """The tasks of one batch that are under way.

    Attributes:
        demand: what the workers must have.
        arrivals: number of a task and what came of it; None wakes whoever waits.
        cancelled: True: whoever waits gives up.
        dropped: True: nobody waits any more.
        futures: what the connection keeps for the tasks that are out; used in its own thread only.
    """

    demand: Demand
    arrivals: "queue.SimpleQueue[tuple[int, Answer | Lost | CsroError] | None]" = field(
        default_factory=queue.SimpleQueue
    )
    cancelled: bool = False
    dropped: bool = False
    futures: set[Any] = field(default_factory=set)


def refuse(report: WorkerReport, demand: Demand) -> None:
    """Checks that a worker may play.

    Args:
        report: what it says of itself.
        demand: what it must have.

    Raises:
        IsolationError: it lacks a wall, and full isolation is required.
        CsroError: its results would differ, or it cannot play at all.
    """
    if report.code != demand.code:
        raise CsroError(
            f"every worker must run the same code as this process, so that results are equal, but worker "
            f"{report.address} has {report.code}, and here it is {demand.code}: update that machine, and restart it"
        )
    if report.isolation.level == "reduced" and (demand.full_isolation or report.trouble):
        raise IsolationError(
            f"every worker must shut policies in fully, but worker {report.address} cannot: "
            f"{report.trouble or report.isolation.reason}; stop it, or allow reduced isolation with CSRO_ISOLATION=auto"
        )
    if report.trouble:
        raise CsroError(f"worker {report.address} cannot play matches: {report.trouble}")
