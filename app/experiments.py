"""Experiments for the pages: their rows, and the processes that work on them.

A page writes what a person wants (run, pause, more seeds, once more); the process that works on the experiment reads
it, and is started here, detached, so that it outlives this server.
"""

import os
import sys
import threading
import time
from dataclasses import dataclass, replace

from app import address, services
from csro_core.experiments.plan import Plan
from csro_core.experiments.planning import checked, with_seeds
from csro_core.experiments.requests import plan_of
from csro_core.experiments.spec_file import plan_from_text
from csro_core.store.codec import to_json
from csro_core.store.experiment_labels import ExperimentLabels
from csro_core.store.experiments import ExperimentRecord, ExperimentRun, ExperimentTable, Status, status_of

START_SECONDS = 15.0
"""A process that was started is expected to have begun within this time; until then no other one is started."""

DEMO = services.ASSETS / "demo-experiment.toml"

_spawned: dict[str, float] = {}
_spawning = threading.Lock()


@dataclass(frozen=True)
class Opened:
    """An experiment as a page shows it.

    Attributes:
        record: its row.
        plan: what it shall do.
        runs: its runs so far.
        status: in a word.
        starting: True while a process was started for it that has not begun yet.
    """

    record: ExperimentRecord
    plan: Plan
    runs: list[ExperimentRun]
    status: Status
    starting: bool

    @property
    def busy(self) -> bool:
        """True while somebody works on it, or is about to."""
        return self.record.worked_on or self.starting


def table() -> ExperimentTable:
    """Returns the table of experiments."""
    store = services.store()
    return ExperimentTable(store.connections, store.clock)


def labels() -> ExperimentLabels:
    """Returns what changes the names and the bin of experiments."""
    store = services.store()
    return ExperimentLabels(store.connections, store.clock)


def opened(record: ExperimentRecord) -> Opened:
    """Returns an experiment with its plan and its runs.

    Args:
        record: its row.

    Raises:
        UsageError: its plan cannot be read.
    """
    runs = table().runs(record.id)
    with _spawning:
        if record.worked_on:
            _spawned.pop(record.id, None)
        starting = time.monotonic() - _spawned.get(record.id, -1e9) < START_SECONDS
    return Opened(record, plan_of(record), runs, status_of(record, runs), starting)


def at_a_time(plan: Plan) -> int:
    """Returns how many runs of an experiment are worked on at once."""
    return plan.jobs or os.cpu_count() or 1


def show(experiment: str) -> None:
    """Makes the Compare page show an experiment."""
    address.put(experiment=experiment, runs=None, compared=None, baseline=None, edits=None)


def demo_plan() -> Plan:
    """Returns the plan of the demo experiment, which takes seconds; its runs are demo runs by their names."""
    return plan_from_text(DEMO.read_text(encoding="utf-8"), DEMO.suffix)


def create(plan: Plan) -> str:
    """Keeps a new experiment, which nobody works on yet; returns its id.

    Args:
        plan: what it shall do.

    Raises:
        UsageError: the name is taken or cannot be one.
    """
    return table().create(plan.name, to_json(plan))


def resume(experiment: str) -> None:
    """Lets an experiment go on, by a process of its own where there is none.

    Args:
        experiment: its id.

    Raises:
        NotFoundError: there is no such experiment.
        StoreError: no process can be started.
    """
    rows = table()
    rows.change(experiment, "wanted", "run")
    record = rows.find(experiment)
    if not record.worked_on:
        _start(record)


def pause(experiment: str) -> None:
    """Asks the process that works on an experiment to stop; what is finished stays."""
    table().change(experiment, "wanted", "pause")


def add_seeds(shown: Opened, more: int) -> None:
    """Adds seeds to every variant of an experiment, the next ones after its largest, and goes on.

    Args:
        shown: the experiment.
        more: how many.

    Raises:
        UsageError: there would be too many runs.
    """
    table().change(shown.record.id, "plan", to_json(checked(with_seeds(shown.plan, more))))
    resume(shown.record.id)


def retry(shown: Opened, runs: list[ExperimentRun]) -> None:
    """Lets failed runs be tried again, and goes on.

    Args:
        shown: the experiment.
        runs: which ones.
    """
    for run in runs:
        table().put_run(shown.record.id, replace(run, state="waiting", message=""))
    resume(shown.record.id)


def _start(record: ExperimentRecord) -> None:
    """Starts the process, unless one was started just now.

    Raises:
        StoreError: none can be started.
    """
    with _spawning:
        now = time.monotonic()
        if now - _spawned.get(record.id, -1e9) < START_SECONDS:
            return
        _spawned[record.id] = now
    plan = plan_of(record)
    keys = {
        services.key_slot(variant.model): key
        for variant in plan.variants
        if (key := services.remembered_key(variant.model))
    }
    command = [sys.executable, "-m", "csro_core", "experiment", record.id, "--store", str(services.store().path)]
    if keys:
        command += ["--keys-on-stdin"]
    services.start_worker(command, "\n".join(f"{slot} {key}" for slot, key in keys.items()), "the experiment")
