"""Names and the bin of experiments: their runs are neither deleted nor lost."""

import contextlib
import sqlite3
from importlib.resources import files

import pytest

from csro_core.errors import LeaseError, NotFoundError, UsageError
from csro_core.store import migrations, open_store
from csro_core.store.experiment_labels import ExperimentLabels
from csro_core.store.experiments import ExperimentRun, ExperimentTable
from csro_core.store.labels import RunLabels

DAY = 86_400.0


@pytest.fixture
def table(store, clock):
    return ExperimentTable(store.connections, clock)


@pytest.fixture
def labels(store, clock):
    return ExperimentLabels(store.connections, clock)


@pytest.fixture
def grid(table, run):
    experiment = table.create("grid", {"name": "grid", "jobs": 1})
    table.put_run(experiment, ExperimentRun("a", 0, run, "done"))
    return experiment


def test_a_name_is_kept_in_the_plan_too_and_must_be_new(table, labels, grid):
    assert labels.rename(grid, "  better ") == "better"
    assert (table.find("better").id, table.find("better").plan) == (grid, {"name": "better", "jobs": 1})
    assert labels.rename(grid, "better") == "better"
    other = table.create("other", {})
    with pytest.raises(UsageError, match="must be new, got 'other': choose"):
        labels.rename(grid, "other")
    labels.put_into_bin(other)
    with pytest.raises(UsageError, match="which one in the bin has"):
        labels.rename(grid, "other")
    with pytest.raises(UsageError, match="which one in the bin has"):
        table.create("other", {})
    for name in ("", "x" * 101, "a\nb", "\u202egnp.exe"):
        with pytest.raises(UsageError, match="a name must have"):
            labels.rename(grid, name)
    assert table.names() == {"better", "other"}


def test_the_bin_hides_an_experiment_and_leaves_its_runs(store, table, labels, grid, run, clock):
    clock.now += 60
    labels.put_into_bin(grid)
    assert table.all() == []
    assert [(one.id, one.deleted) for one in labels.bin()] == [(grid, clock.now)]
    assert [one.id for one in store.runs()] == [run]
    for wanted in (grid, "grid", grid[:5]):
        with pytest.raises(NotFoundError, match="'grid' is in the bin: take it back"):
            table.find(wanted)
    with pytest.raises(LeaseError, match="is in the bin"):
        table.take(grid, "worker")
    assert labels.take_back(grid) == 0
    assert (table.find("grid").wanted, [one.run for one in table.runs(grid)]) == ("pause", [run])


def test_what_is_worked_on_cannot_be_deleted_and_a_worker_of_the_deleted_stops(table, labels, grid, clock):
    table.take(grid, "worker")
    table.change(grid, "wanted", "run")
    with pytest.raises(LeaseError, match="'worker' works on it: pause it first"):
        labels.put_into_bin(grid)
    clock.now += 6  # its process has died, or has slept
    labels.put_into_bin(grid)
    table.change(grid, "wanted", "run")
    assert not table.beat(grid, "worker")


def test_runs_of_an_experiment_in_the_bin_are_hidden_at_most_and_come_back_with_it(store, labels, grid, run, clock):
    runs = RunLabels(store.connections, clock)
    labels.put_into_bin(grid)
    clock.now += DAY
    runs.put_into_bin(run)
    with pytest.raises(UsageError, match="delete that experiment for good first"):
        runs.erase(run)
    clock.now += 31 * DAY
    assert runs.purge() == 0
    assert labels.take_back(grid) == 1
    assert [one.id for one in store.runs()] == [run]


def test_deleting_for_good_and_the_purge_leave_the_runs(store, table, labels, grid, run, clock):
    with pytest.raises(UsageError, match="must be in the bin"):
        labels.erase(grid)
    labels.put_into_bin(grid)
    labels.erase(grid)
    assert (labels.bin(), table.runs(grid)) == ([], [])
    old, young = table.create("old", {}), table.create("young", {})
    table.put_run(old, ExperimentRun("a", 0, run, "done"))
    labels.put_into_bin(old)
    clock.now += 29 * DAY
    labels.put_into_bin(young)
    assert labels.purge() == 0
    clock.now += 2 * DAY
    assert labels.purge() == 1
    assert ([one.id for one in labels.bin()], table.experiments_of(run)) == ([young], [])
    assert [one.id for one in store.runs()] == [run]


def test_what_is_not_there_is_not_found(labels):
    for action in (labels.put_into_bin, labels.take_back, labels.erase, lambda one: labels.rename(one, "name")):
        with pytest.raises(NotFoundError):
            action("nothing0")


def test_a_store_of_version_5_keeps_its_experiments(tmp_path):
    path = tmp_path / "old.sqlite"
    names = ("schema.sql", *(f"step_{number}.sql" for number in range(2, 6)))
    migrations.prepare(
        path, tuple(files("csro_core.store").joinpath(name).read_text(encoding="utf-8") for name in names)
    )
    with contextlib.closing(sqlite3.connect(path)) as old:
        assert old.execute("PRAGMA user_version").fetchone()[0] == 5
        old.execute("INSERT INTO experiments (id, name, plan, created, wanted) VALUES ('e', 'old', '{}', 1, 'pause')")
        old.execute(
            "INSERT INTO experiment_runs (experiment, variant, seed, run, state) VALUES ('e', 'a', 0, 'r', 'done')"
        )
        old.commit()
    store = open_store(path)
    table = ExperimentTable(store.connections)
    assert (table.find("old").deleted, len(table.runs("e"))) == (None, 1)
    ExperimentLabels(store.connections).put_into_bin("e")
    assert table.all() == []
    store.close()
