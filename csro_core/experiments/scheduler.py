"""Working on an experiment: several runs at a time, each by a hand of its own, until all budgets are used up.

Whatever ends this process, nothing is lost: a run is resumed where its last iteration ended, and an experiment where
its runs are. Which run is worked on when decides no results.
"""

import os
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from csro_core.experiments.plan import Plan
from csro_core.experiments.planning import checked, ensure_runs
from csro_core.experiments.requests import plan_of
from csro_core.store import Store
from csro_core.store.experiments import ExperimentRun, ExperimentTable

LOOK_SECONDS = 0.2
BEAT_SECONDS = 1.0


class Hand(Protocol):
    """Works on one run."""

    def outcome(self) -> str | None:
        """Returns None while it works, "" where the run is done, else why it failed."""
        ...

    def stop(self) -> None:
        """Ends the work in good order, and returns when it has ended. Idempotent."""
        ...


class Crew(Protocol):
    """Gives hands."""

    def start(self, run: ExperimentRun) -> Hand:
        """Begins to work on a run of the experiment."""
        ...


@dataclass(frozen=True)
class Desk:
    """What the work on an experiment needs.

    Attributes:
        store: where the runs are.
        crew: works on them.
        told: hears a sentence whenever something has happened.
    """

    store: Store
    crew: Crew
    told: Callable[[str], None]

    @property
    def table(self) -> ExperimentTable:
        """The table of experiments."""
        return ExperimentTable(self.store.connections, self.store.clock)


def work_on(desk: Desk, experiment: str) -> bool:
    """Works on an experiment until every run is done or has failed, or somebody wants a pause.

    A run that has failed before is left as it is: set it to "waiting" to try it again. Seeds that are added meanwhile
    are worked on too.

    Args:
        desk: what is needed.
        experiment: its id.

    Returns:
        True where nothing is left to do; False where it was paused, or taken over by another process.

    Raises:
        NotFoundError: there is no such experiment.
        LeaseError: another process works on it.
        UsageError: the plan is not possible any more.
    """
    owner = f"experiment, pid {os.getpid()}, {uuid.uuid4().hex[:8]}"
    desk.table.take(experiment, owner)
    desk.table.change(experiment, "wanted", "run")  # not before: it is another process that somebody has paused
    message = "it was ended from outside"
    try:
        shift = _Shift(desk, experiment)
        with shift:
            finished = shift.work(lambda: desk.table.beat(experiment, owner))
        message = ""
        return finished
    finally:
        desk.table.release(experiment, owner, message)


class _Shift:
    """One piece of work on an experiment; leaving it stops whatever is under way."""

    def __init__(self, desk: Desk, experiment: str) -> None:
        self._desk = desk
        self._experiment = experiment
        self._plan = self._read_plan()
        self._waiting = self._open(ensure_runs(desk.store, desk.table, experiment, self._plan))
        self._at_work: list[tuple[ExperimentRun, Hand]] = []

    def __enter__(self) -> "_Shift":
        return self

    def __exit__(self, *ignored: object) -> None:
        at_work, self._at_work = self._at_work, []
        # All of them before anything is written: a full disk must leave nobody at work.
        for _, hand in at_work:
            hand.stop()
        for run, _ in at_work:
            self._put(replace(run, state="waiting", message=""))

    def work(self, beat: Callable[[], bool]) -> bool:
        """Works until nothing is left.

        Returns:
            False where `beat` has said to stop.
        """
        beaten = 0.0
        while self._waiting or self._at_work:
            if time.monotonic() - beaten >= BEAT_SECONDS:
                if not beat():
                    return False
                beaten = time.monotonic()
                self._look_for_changes()
            self._collect()
            self._start()
            time.sleep(LOOK_SECONDS)
        return True

    def _start(self) -> None:
        while self._waiting and len(self._at_work) < at_a_time(self._plan):
            run = replace(self._waiting.pop(0), state="running", message="")
            self._put(run)
            self._at_work.append((run, self._desk.crew.start(run)))

    def _collect(self) -> None:
        still = []
        for run, hand in self._at_work:
            outcome = hand.outcome()
            if outcome is None:
                still.append((run, hand))
                continue
            self._put(replace(run, state="failed" if outcome else "done", message=outcome))
            words = f"failed: {outcome}" if outcome else "done"
            self._desk.told(f"{run.variant}, seed {run.seed}: {words}")
        self._at_work = still

    def _look_for_changes(self) -> None:
        plan = self._read_plan()
        if plan != self._plan:
            self._plan = plan
            ensure_runs(self._desk.store, self._desk.table, self._experiment, plan)
        # Also what a person has set to be tried again.
        busy = {(run.variant, run.seed) for run, _ in self._at_work}
        runs = self._desk.table.runs(self._experiment)
        self._waiting = [run for run in self._open(runs) if (run.variant, run.seed) not in busy]

    def _open(self, runs: list[ExperimentRun]) -> list[ExperimentRun]:
        wanted = {(variant.name, seed) for variant in self._plan.variants for seed in self._plan.seeds}
        return [run for run in runs if run.state in {"waiting", "running"} and (run.variant, run.seed) in wanted]

    def _put(self, run: ExperimentRun) -> None:
        self._desk.table.put_run(self._experiment, run)

    def _read_plan(self) -> Plan:
        return checked(plan_of(self._desk.table.find(self._experiment)))


def at_a_time(plan: Plan) -> int:
    """Returns how many runs of a plan are worked on at a time."""
    return plan.jobs or os.cpu_count() or 1


def try_again(table: ExperimentTable, experiment: str) -> int:
    """Sets the runs that failed to "waiting".

    Args:
        table: of the store.
        experiment: its id.

    Returns:
        How many there were.
    """
    failed = [run for run in table.runs(experiment) if run.state == "failed"]
    for run in failed:
        table.put_run(experiment, replace(run, state="waiting", message=""))
    return len(failed)
