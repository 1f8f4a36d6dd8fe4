"""Export and import of experiments: nothing is lost on the way, and a hostile file changes nothing."""

import json
import re
import warnings
import zipfile

import pytest

from csro_core.errors import NotFoundError, UsageError
from csro_core.experiments.archive import export_experiment, export_target, import_archive
from csro_core.experiments.kept import kept_comparison
from csro_core.experiments.requests import for_experiment, plan_of, request_key
from csro_core.store import open_store
from csro_core.store.experiments import ExperimentRun, ExperimentTable, status_of
from csro_core.store.pictures import PictureTable
from csro_core.store.records import RunSettings
from tests.experiments.archived_experiment import GAME, NAMES, PLAN, add_experiment, add_run
from tests.experiments.fake_documents import EVIL
from tests.store.hostile_files import add, set_field


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def store(tmp_path):
    opened = open_store(tmp_path / "a.sqlite", clock=Clock())
    yield opened
    opened.close()


@pytest.fixture
def other(tmp_path):
    opened = open_store(tmp_path / "b.sqlite", clock=Clock())
    yield opened
    opened.close()


@pytest.fixture
def experiment(store) -> str:
    return add_experiment(store)


@pytest.fixture
def archive(store, experiment, tmp_path):
    path = tmp_path / "experiment.zip"
    export_experiment(store, experiment, path)
    return path


def contents(path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def write(path, files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, data in files.items():
            opened.writestr(name, data)


def experiments(store):
    return ExperimentTable(store.connections, store.clock)


def test_an_experiment_comes_back_whole_and_is_exported_again_to_equal_bytes(store, other, archive, tmp_path):
    shared = import_archive(other, archive)
    assert (shared.kind, shared.name, len(shared.runs)) == ("experiment", "which oracle?", 4)
    record = experiments(other).find(shared.id)
    assert plan_of(record).cluster == ""
    assert plan_of(record).variants == PLAN.variants
    assert [(one.variant, one.seed, one.state) for one in experiments(other).runs(shared.id)] == [
        (name, seed, "done") for name in NAMES for seed in PLAN.seeds
    ]
    again = tmp_path / "again.zip"
    export_experiment(other, shared.id, again)
    before, after = contents(archive), contents(again)
    assert list(before) == list(after)
    differing = {name for name in before if before[name] != after[name]}
    assert differing <= {"tables/runs.csv", "report.html"}  # the one names runs by their ids, the other says "imported"
    assert b"(imported)" in after["report.html"]
    assert b"(imported)" not in before["report.html"]
    assert not list(tmp_path.glob("*.part"))


def test_an_archive_has_what_people_read(archive):
    names = set(contents(archive))
    assert {"report.html", "tables/comparison.csv", "tables/comparison.md", "tables/comparison.tex"} <= names
    assert {"figures/gap-over-calls.svg", "figures/cross-play.svg", "figures/joint-shares.svg"} <= names
    assert {"runs/0-3/run.json", "runs/1-7/cells.json"} <= names
    assert sum(name.startswith("policies/") for name in names) == 3  # each text once
    assert b"10.0.0.1" not in b"".join(contents(archive).values())


def test_an_imported_experiment_is_done_and_nobody_works_on_it(other, archive):
    shared = import_archive(other, archive)
    record = experiments(other).find(shared.id)
    assert (status_of(record, experiments(other).runs(shared.id)), record.wanted) == ("done", "pause")
    assert all(other.run(run).status == "done" for run in shared.runs)
    rows = PictureTable(other.connections).row(record.comparison)
    assert rows.state == "done"
    assert kept_comparison(other, record).variants[0].runs == shared.runs[:2]


def test_an_imported_comparison_is_found_where_one_of_here_would_be(store, other, experiment, archive):
    assert experiments(store).find(experiment).comparison == request_key(
        store, for_experiment(store, experiments(store).find(experiment))
    )
    shared = import_archive(other, archive)
    record = experiments(other).find(shared.id)
    assert record.comparison == request_key(other, for_experiment(other, record))


def test_a_comparison_of_another_request_is_not_taken_for_the_one_of_here(other, archive):
    files = contents(archive)
    set_field(("comparison.json", "play"), 16)(files)
    write(archive, files)
    record = experiments(other).find(import_archive(other, archive).id)
    assert record.comparison != request_key(other, for_experiment(other, record))
    assert kept_comparison(other, record).play == 16


def test_names_stay_unique(store, archive):
    names = [import_archive(store, archive).name for _ in range(2)]
    assert names == ["which oracle? (2)", "which oracle? (3)"]
    assert len({run.name for run in store.runs()}) == 12


def test_a_run_wins_where_both_have_the_name_and_either_is_found_by_id(store, experiment, tmp_path):
    run = add_run(store, "which oracle?", RunSettings(GAME))
    shared = export_target(store, "which oracle?", tmp_path / "x.zip")
    assert (shared.kind, shared.id) == ("run", run)
    assert experiment in shared.note
    assert export_target(store, experiment, tmp_path / "x.zip").kind == "experiment"
    with pytest.raises(NotFoundError, match="nor does an experiment"):
        export_target(store, "nothing", tmp_path / "x.zip")


def test_a_run_with_its_report_comes_back(store, other, tmp_path):
    run = add_run(store, "alone", RunSettings(GAME))
    path, again = tmp_path / "run.zip", tmp_path / "again.zip"
    export_target(store, run, path)
    names = set(contents(path))
    assert {"report.html", "tables/payoffs.csv", "tables/sigma.csv", "tables/course.csv"} <= names
    assert {"figures/payoffs.svg", "figures/sigma.svg", "figures/exploitability.svg"} <= names
    export_target(other, import_archive(other, path).id, again)
    before, after = contents(path), contents(again)
    assert b"This run was imported" in after.pop("report.html")
    assert b"This run was imported" not in before.pop("report.html")
    assert before == after


def test_runs_that_are_not_done_are_said_to_be_so_and_failed_ones_keep_their_reason(store, experiment, other, tmp_path):
    rows = experiments(store).runs(experiment)
    experiments(store).put_run(experiment, ExperimentRun(rows[0].variant, rows[0].seed, rows[0].run, "running"))
    failed = ExperimentRun(rows[1].variant, rows[1].seed, rows[1].run, "failed", "no key")
    experiments(store).put_run(experiment, failed)
    export_experiment(store, experiment, tmp_path / "x.zip")
    found = experiments(other).runs(import_archive(other, tmp_path / "x.zip").id)
    assert [one.state for one in found] == ["done", "failed", "done", "done"]
    assert "not used up" in found[0].message
    assert found[1].message == "no key"


def test_an_experiment_that_was_not_compared_has_no_comparison(store, other, tmp_path):
    experiment = add_experiment(store, compared=False)
    export_experiment(store, experiment, tmp_path / "x.zip")
    assert "comparison.json" not in contents(tmp_path / "x.zip")
    shared = import_archive(other, tmp_path / "x.zip")
    assert experiments(other).find(shared.id).comparison == ""


def test_an_experiment_without_runs_cannot_be_exported(store, tmp_path):
    experiment = experiments(store).create("empty", json.loads(json.dumps({})))
    with pytest.raises(UsageError, match="no run yet"):
        export_experiment(store, experiment, tmp_path / "x.zip")


def change_text(files: dict[str, bytes]) -> None:
    files[next(name for name in files if name.startswith("policies/"))] += b"import os\n"


def many_rows(files: dict[str, bytes]) -> None:
    data = json.loads(files["runs/0-3/run.json"])
    data["events"] = [{"kind": "x", "data": {}, "created": 1.0}] * 1_000_000
    files["runs/0-3/run.json"] = json.dumps(data).encode()


def many_points(files: dict[str, bytes]) -> None:
    data = json.loads(files["comparison.json"])
    data["notes"] = ["x"] * 1_000_000
    files["comparison.json"] = json.dumps(data).encode()


def repeat_run(files: dict[str, bytes]) -> None:
    data = json.loads(files["experiment.json"])
    data["runs"].append(data["runs"][0])
    files["experiment.json"] = json.dumps(data).encode()


E = "experiment.json"
C = "comparison.json"
HOSTILE = {
    "parent folder": (add("../evil.py"), "does not belong"),
    "absolute name": (add("/etc/cron.d/evil"), "does not belong"),
    "run of no experiment": (add("runs/9-9/run.json", b"{}"), "does not belong"),
    "deep run": (add("runs/0-3/../../run.json", b"{}"), "does not belong"),
    "script among the figures": (add("figures/x.js"), "does not belong"),
    "figure with a bad name": (add("figures/<script>.svg"), "does not belong"),
    "later version": (set_field(("manifest.json", "version"), 2), "a newer CSRO wrote it"),
    "other format": (set_field(("manifest.json", "format"), EVIL), "format must be csro-experiment 1"),
    "no run": (set_field((E, "runs"), []), "1 to 1,000 runs"),
    "run twice": (repeat_run, "of its own"),
    "label that leaves the folder": (set_field((E, "runs", 0, "label"), "../0-3"), "must have a label"),
    "variant of no plan": (set_field((E, "runs", 0, "variant"), "x"), "variant of the plan"),
    "run that goes on": (set_field((E, "runs", 0, "state"), "running"), "done or failed"),
    "message with escapes": (set_field((E, "runs", 0, "message"), "\x1b[2J"), "printable"),
    "name with escapes": (set_field((E, "name"), "\x1b[2J"), "printable"),
    "unknown oracle": (set_field((E, "plan", "variants", 0, "oracle"), "x"), "oracle must be one of"),
    "model with a password": (
        set_field((E, "plan", "variants", 0, "model"), "openai:m@http://a:pw@host/v1"), "no user name",
    ),
    "unknown game": (set_field((E, "plan", "game", "name"), "no_such_game"), "unknown game"),
    "endless budget": (set_field((E, "plan", "budget"), 1e300), "budget"),
    "budget of nothing": (set_field((E, "plan", "budget"), None), "budget"),
    "a million jobs": (set_field((E, "plan", "jobs"), 10**6), "jobs"),
    "unknown field": (set_field((E, "evil"), 1), "check evil"),
    "seed of another run": (set_field((E, "runs", 0, "seed"), 5), "seed"),
    "other game": (set_field((E, "plan", "game", "parameters"), {"num_throws": 100}), "of the game"),
    "changed text": (change_text, "text with that hash"),
    "a million rows": (many_rows, "at most 200,000 rows"),
    "a million notes": (many_points, "notes"),
    "run without cells": (lambda files: files.pop("runs/0-3/cells.json"), "must hold a file"),
    "run that is none": (set_field(("runs/0-3/run.json", "target"), -1), "run 0-3"),
    "NaN in the comparison": (add(C, b'{"budget": NaN}'), "must be JSON"),
    "comparison of other runs": (set_field((C, "variants", 0, "runs", 0), "9-9"), "of a run of its variants"),
    "variant that is not compared": (set_field((C, "baseline"), "x"), "baseline"),
    "script in a name": (set_field((C, "variants", 0, "name"), "\u2028"), "baseline"),
    "script in a note": (set_field((C, "notes"), ["\x1b[2J"]), "printable"),
    "huge number": (set_field((C, "summaries", 0, "mean"), 1e300), "finite and at most"),
    "share beyond 1": (set_field((C, "joint", "shares", "zero-shot"), 7.0), "from 0 to 1"),
    "share of nobody": (set_field((C, "joint", "shares", "x"), 0.5), "owners"),
    "policy without a hash": (set_field((C, "joint", "policies", 0, "hash"), "x"), "hash"),
    "ragged cross-play": (set_field((C, "cross_play", "mean", 0), [1.0]), "one row and one column"),
    "final point of none": (set_field((C, "courses", 0, "final"), 99), "one of its points"),
    "courses that go back": (set_field((C, "courses", 0, "points", 1, "iteration"), 0), "in the order"),
    "negative interval": (set_field((C, "summaries", 0, "half_width"), -1.0), "negative"),
    "negative interval of cross-play": (set_field((C, "cross_play", "half_width", 0, 1), -1.0), "negative"),
    "negative error": (set_field((C, "courses", 0, "points", 0, "gap_stderr"), -1.0), "negative"),
    "negative cost": (set_field((C, "courses", 0, "points", 0, "calls"), -1), "negative"),
    "comparison of another game": (set_field((C, "game", "name"), "matrix"), "game of its experiment"),
    "payoff beyond the game": (set_field(("runs/0-3/cells.json", 0, "returns", 0), [301.0, -301.0]), "run 0-3: cells"),
    "cell of an unknown policy": (set_field(("runs/0-3/cells.json", 0, "row"), "f" * 64), "policies of the run"),
    "forged docstring": (set_field(("runs/1-7/run.json", "policies", 0, "docstring"), EVIL), "must be what its text"),
    "forged tree hash": (set_field(("runs/1-7/run.json", "policies", 0, "tree_hash"), "f" * 64), "of the run"),
    "gap beyond the game": (set_field((C, "courses", 0, "points", 0, "gap"), 1e6), "what the game can give"),
    "cross-play beyond the game": (set_field((C, "cross_play", "mean", 0, 1), 301.0), "what the game can give"),
    "mean beyond the game": (set_field((C, "summaries", 0, "mean"), 1e6), "what the game can give"),
    "difference beyond the game": (set_field((C, "differences", 0, "mean"), 1e6), "what the game can give"),
    "verdict of no kind": (set_field((C, "differences", 0, "verdict"), EVIL), "must be one of"),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_contents_are_refused_in_one_line_and_nothing_is_written(case, other, archive):
    change, words = HOSTILE[case]
    files = contents(archive)
    change(files)
    write(archive, files)
    with pytest.raises(UsageError) as error:
        import_archive(other, archive)
    text = str(error.value)
    assert words in text
    assert "\n" not in text
    assert text.isprintable()
    assert len(text) < 700
    assert_untouched(other)


def assert_untouched(store) -> None:
    with store.connections.reading() as connection:
        for table in ("runs", "experiments", "experiment_runs", "pictures", "texts", "policies", "cells"):
            assert connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0] == 0


def test_links_bombs_and_names_that_occur_twice_are_refused(other, archive):
    files = contents(archive)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, data in files.items():
            opened.writestr(name, data)
        link = zipfile.ZipInfo("figures/link.svg")
        link.external_attr = 0o120777 << 16
        opened.writestr(link, b"/etc/passwd")
    with pytest.raises(UsageError, match="must not be a link"):
        import_archive(other, archive)
    write(archive, files | {"runs/0-3/cells.json": b" " * 300_000_000})
    with pytest.raises(UsageError, match=r"must not become|must have at most"):
        import_archive(other, archive)
    write(archive, files | {"report.html": b" " * 60_000_000})
    with pytest.raises(UsageError, match=r"must have at most|must not become"):
        import_archive(other, archive)
    write(archive, files)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(archive, "a") as opened:
            opened.writestr("experiment.json", b"{}")
    with pytest.raises(UsageError, match="occur twice"):
        import_archive(other, archive)
    assert_untouched(other)


def test_what_is_for_people_is_not_looked_into(other, archive):
    files = contents(archive)
    write(archive, files | {"report.html": b"<script>alert(1)</script>\xff", "figures/x.svg": b"\x00"})
    assert import_archive(other, archive).kind == "experiment"


def test_a_failure_while_writing_leaves_nothing(other, archive, monkeypatch):
    def fail(*_args):
        raise ValueError("the row contradicts the store")

    monkeypatch.setattr("csro_core.experiments.archive.insert_experiment", fail)
    with pytest.raises(UsageError, match="contradicts"):
        import_archive(other, archive)
    assert_untouched(other)


def test_a_failure_at_the_comparison_leaves_nothing_of_the_runs_either(other, archive, monkeypatch):
    written = []

    def fail(store, experiment, _comparison):
        # The last thing that is written; everything else is there by now, in the same transaction.
        written.append((ExperimentTable(store.connections).find(experiment).name, len(store.runs())))
        raise ValueError("the process is out of luck")

    monkeypatch.setattr("csro_core.experiments.archive.keep_comparison", fail)
    with pytest.raises(UsageError, match="out of luck"):
        import_archive(other, archive)
    assert written == [("which oracle?", 4)]
    assert_untouched(other)


def test_the_report_of_an_experiment_says_what_was_asked_and_found(archive):
    text = contents(archive)["report.html"].decode()
    for words in (
        "Which of zero-shot, best-of-n", "best-of-n is ahead of zero-shot.", "± 4",
        "unequal cost: median", "Cross-play",
        "python -m csro_core import FILE.zip", "prefers-color-scheme",
    ):  # fmt: skip
        assert words in text
    assert len(re.findall("<svg", text)) == 3
