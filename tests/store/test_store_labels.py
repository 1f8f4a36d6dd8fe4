"""Names, tags, notes, the archive and the bin of runs."""

import sqlite3

import pytest

from csro_core.errors import LeaseError, NotFoundError, UsageError
from csro_core.store import labels
from csro_core.store.archive import export_run, import_run
from csro_core.store.experiments import ExperimentRun, ExperimentTable
from csro_core.store.finding import is_found
from csro_core.store.results import last_results

DAY = 86_400.0


@pytest.fixture
def table(store, clock):
    return labels.RunLabels(store.connections, clock)


def count(store, query, *values):
    with store.connections.reading() as connection:
        return connection.execute(query, values).fetchone()[0]


def test_a_run_has_no_labels_at_first(store, run):
    record = store.run(run)
    assert (record.tags, record.note, record.archived, record.deleted) == ((), "", False, None)


def test_labels_are_kept_cleaned_and_noticed(store, run, table):
    before = store.version(run), store.rows_version(run)
    assert table.rename(run, "  better name ") == "better name"
    assert table.set_tags(run, ["a", " b ", "a", "", "<b>c</b>"]) == ("a", "b", "<b>c</b>")
    assert table.set_note(run, " one\r\ntwo \ud800 ") == "one\ntwo ?"
    table.archive(run)
    record = store.run("better name")
    assert (record.id, record.tags, record.note, record.archived) == (run, ("a", "b", "<b>c</b>"), "one\ntwo ?", True)
    assert record in store.runs()
    assert store.version(run) != before[0]
    assert store.rows_version(run) == before[1]  # caches of results stay
    table.archive(run, False)
    table.set_tags(run, [])
    assert (store.run(run).archived, store.run(run).tags) == (False, ())


def test_a_name_must_be_new_but_may_stay(store, run, table, make):
    other = store.create_run("other", make.settings, 1)
    assert table.rename(other, "other") == "other"
    with pytest.raises(UsageError, match=f"which run {other} has"):
        table.rename(run, "other")
    table.put_into_bin(other)
    with pytest.raises(UsageError, match="in the bin has"):
        table.rename(run, "other")
    for name in ("", " ", "x" * 101, "a\nb", "a\x00b", "\u202egnp.exe"):
        with pytest.raises(UsageError, match="a name must have"):
            table.rename(run, name)
    assert store.run(run).name != "other"


@pytest.mark.parametrize("tag", ["x" * 31, "a,b", "a\nb", "a\x00", "\u202ex", "\x1b[31m"])
def test_hostile_tags_are_refused(store, run, table, tag):
    with pytest.raises(UsageError, match="a tag must have 1 to 30 printable characters and no comma"):
        table.set_tags(run, ["fine", tag])
    assert store.run(run).tags == ()


def test_too_many_tags_and_too_long_notes_are_refused(store, run, table):
    with pytest.raises(UsageError, match="at most 12 tags, got 13"):
        table.set_tags(run, map(str, range(13)))
    assert len(table.set_tags(run, ["same"] * 13)) == 1
    with pytest.raises(UsageError, match="at most 4,000 characters, got 4,001"):
        table.set_note(run, "x" * 4_001)
    with pytest.raises(UsageError, match="control characters"):
        table.set_note(run, "a\x00b")
    assert store.run(run).note == ""


def test_what_is_not_there_is_not_found(table):
    for action in (table.archive, table.put_into_bin, table.take_back, table.erase):
        with pytest.raises(NotFoundError):
            action("nothing0")
    with pytest.raises(NotFoundError):
        table.rename("nothing0", "name")


def test_the_bin_hides_a_run_until_it_is_taken_back(store, run, table, make, clock):
    other = store.create_run("other", make.settings, 1)
    request = store.add_request(run, "step", {})
    clock.now += 60
    table.put_into_bin(run)
    assert [record.id for record in store.runs()] == [other]
    assert [(record.id, record.deleted) for record in store.bin()] == [(run, clock.now)]
    assert store.count_runs() == 1
    assert store.run(run).deleted == clock.now
    assert store.request(request).state == "failed"
    assert "bin" in store.request(request).result["message"]
    with pytest.raises(LeaseError, match="is in the bin: take it back first"):
        store.acquire(run, "me")
    table.take_back(run)
    assert {record.id for record in store.runs()} == {run, other}
    assert store.bin() == []
    store.acquire(run, "me").release("stopped")


def test_a_run_that_is_worked_on_cannot_be_deleted(store, run, table, clock):
    store.acquire(run, "runner, pid 71")
    with pytest.raises(LeaseError, match="'runner, pid 71' works on it: stop it first"):
        table.put_into_bin(run)
    assert store.run(run).deleted is None
    clock.now += 6  # the process has died
    table.put_into_bin(run)
    table.erase(run)
    with pytest.raises(NotFoundError):
        store.run(run)


def test_a_run_of_an_experiment_cannot_be_deleted(store, run, table, clock):
    experiments = ExperimentTable(store.connections, clock)
    experiment = experiments.create("grid", {})
    experiments.put_run(experiment, ExperimentRun("a", 0, run, "done"))
    with pytest.raises(UsageError, match="is part of the experiment 'grid'"):
        table.put_into_bin(run)
    experiments.drop(experiment)
    table.put_into_bin(run)
    experiment = experiments.create("grid", {})
    experiments.put_run(experiment, ExperimentRun("a", 0, run, "done"))
    with pytest.raises(UsageError, match="experiment 'grid'"):
        table.erase(run)
    clock.now += 31 * DAY
    assert table.purge() == 0


def test_deleting_for_good_leaves_no_row_and_the_texts_of_others(store, filled, table, make, tmp_path):
    kept = store.create_run("kept", make.settings, 1, [make.policy(0)])
    store.save_draft(filled, make.policy(0).hash, "draft")
    store.add_request(filled, "stop", {})
    with pytest.raises(UsageError, match="must be in the bin"):
        table.erase(filled)
    assert store.members(filled)
    shared, own = make.policy(0), make.policy(1)
    table.put_into_bin(filled)
    table.erase(filled)
    with store.connections.reading() as connection:
        tables = [
            row["name"]
            for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            if "run" in {column["name"] for column in connection.execute(f"PRAGMA table_info({row['name']})")}
        ]
        # A later table with rows of runs must be known to `erase`.
        assert set(tables) == {*labels.RUN_TABLES, "experiment_runs"}
        for name in tables:
            left = connection.execute(f"SELECT COUNT(*) FROM {name} WHERE run = ?", (filled,)).fetchone()[0]
            assert left == 0, name
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert count(store, "SELECT COUNT(*) FROM moves") == 0
    assert store.policies(kept) == [shared]
    assert count(store, "SELECT COUNT(*) FROM texts") == 1
    with pytest.raises(NotFoundError):
        store.policy(own.hash)


def test_a_failed_deletion_changes_nothing(store, filled, table, monkeypatch):
    table.put_into_bin(filled)
    monkeypatch.setattr(labels, "RUN_TABLES", ("leases", "nowhere"))
    with pytest.raises((sqlite3.Error, Exception), match="nowhere"):
        table.erase(filled)
    assert len(store.members(filled)) == 3


def test_the_bin_is_emptied_of_what_is_old(store, run, table, make, clock):
    table.put_into_bin(run)
    clock.now += 29 * DAY
    young = store.create_run("young", make.settings, 1)
    table.put_into_bin(young)
    assert table.purge() == 0
    clock.now += 2 * DAY
    assert table.purge() == 1
    assert [record.id for record in store.bin()] == [young]


def test_exports_carry_tags_and_note(store, filled, table, tmp_path):
    table.set_tags(filled, ["a", "b"])
    table.set_note(filled, "what it is for")
    export_run(store, filled, tmp_path / "labelled.zip")
    copy = store.run(import_run(store, tmp_path / "labelled.zip"))
    assert (copy.tags, copy.note, copy.archived) == (("a", "b"), "what it is for", False)


def test_search_finds_words_anywhere(store, run, table):
    table.rename(run, "Odd Name")
    table.set_tags(run, ["baseline"])
    table.set_note(run, "a NOTE about seeds")
    record = store.run(run)
    for text in ("", "odd", "NAME baseline", "note seeds", "repeated_rps linear", "synthesiser new", run):
        assert is_found(record, text), text
    for text in ("even", "odd missing", "%", "oddname"):
        assert not is_found(record, text), text


def test_last_results_are_those_of_the_last_rows(store, filled, run, make):
    empty = store.create_run("empty", make.settings, 1)
    found = last_results(store.connections)
    assert found[filled].gain.mean == 3.25
    assert found[filled].exploitability is None
    assert empty not in found
