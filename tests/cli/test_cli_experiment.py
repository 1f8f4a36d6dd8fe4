"""`experiment`: real processes, one a run; killed, resumed, reported."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace

import pytest

from csro_core.experiments.kept import IMPORTED, kept_comparison
from csro_core.experiments.requests import KIND, for_experiment, request_key
from csro_core.experiments.tables import TABLES
from csro_core.store import open_store
from csro_core.store.codec import to_json
from csro_core.store.experiment_labels import ExperimentLabels
from csro_core.store.experiments import ExperimentTable
from csro_core.store.pictures import PictureTable
from tests.experiments.archived_experiment import add_experiment

SPEC = """
name = "tiny"
game = "matrix(preset=biased_rps)"
oracles = ["zero-shot"]
seeds = 2
first_seed = 0
budget = { calls = 4 }
attempts = 2
episodes = 4
jobs = 2
"""
STABLE = ("comparison.csv", "comparison.md", "comparison.tex")
"""What has to be the same to the last digit; runs.csv names runs by their random ids."""


def command(store, *arguments):
    return [sys.executable, "-m", "csro_core", "experiment", *map(str, arguments), "--store", str(store)]


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(SPEC)
    return path


def test_stopped_at_any_moment_and_resumed_it_gives_the_same_tables(spec, tmp_path):
    wanted = command(tmp_path / "whole.sqlite", spec, "--json", "--out", tmp_path / "whole")
    whole = subprocess.run(wanted, capture_output=True, timeout=180)
    assert whole.returncode == 0, whole.stderr.decode()
    document = json.loads(whole.stdout)
    assert document["status"] == "done"
    assert len(document["runs"]) == 4
    assert {one["name"] for one in document["comparison"]["variants"]} == {"best-of-n", "zero-shot"}
    assert b"4 of 4 runs done" in whole.stderr

    store = tmp_path / "broken.sqlite"
    for moment in (0.6, 1.6, 2.6):
        process = subprocess.Popen(command(store, spec), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        process.wait()
    time.sleep(5.5)  # the lease of whoever was killed expires
    resumed = subprocess.run(
        command(store, spec, "--out", tmp_path / "resumed", "--jobs", "1"), capture_output=True, timeout=180
    )
    assert resumed.returncode == 0, resumed.stderr.decode()
    for name in STABLE:
        assert (tmp_path / "resumed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    assert set(TABLES) | {"comparison.json"} == {path.name for path in (tmp_path / "whole").iterdir()}


def test_hands_end_with_the_process_that_started_them(spec, tmp_path):
    slow = spec.with_name("slow.toml")
    text = SPEC.replace("matrix(preset=biased_rps)", "repeated_rps(num_throws=300)")
    slow.write_text(text.replace("= 4 }", "= 400 }"))
    store = tmp_path / "slow.sqlite"
    process = subprocess.Popen(command(store, slow), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not (opened := _hands(store)):
            assert time.monotonic() < deadline
            time.sleep(0.1)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    deadline = time.monotonic() + 30
    while any(_alive(pid) for pid in opened):
        assert time.monotonic() < deadline, "a hand has outlived the process that started it"
        time.sleep(0.2)


def _hands(store):
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdecimal():
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as text:
                    words = text.read().split(b"\0")
            except OSError:
                continue
            if b"experiment-run" in words and str(store).encode() in words:
                found.append(int(entry))
    return found


def _alive(pid):
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    with open(f"/proc/{pid}/stat") as text:
        return text.read().rpartition(")")[2].split()[0] != "Z"


if sys.platform != "linux":
    del test_hands_end_with_the_process_that_started_them  # it looks into /proc


def test_a_forecast_makes_the_runs_known_and_starts_nothing(csro, spec):
    found = csro("experiment", spec, "--forecast")
    assert found.code == 0
    assert "0 of 4 runs done" in found.err
    assert "tiny  new" in found.out


def test_seeds_are_added_and_a_pause_is_asked_for(csro, spec, tmp_path):
    csro("experiment", spec, "--forecast")
    found = csro("experiment", "tiny", "--add-seeds", 2, "--forecast", "--json")
    assert found.json["plan"]["seeds"] == ["0", "1", "2", "3"]
    assert csro("experiment", spec, "--forecast", "--json").json["plan"]["seeds"] == ["0", "1", "2", "3"]
    assert csro("experiment", "tiny", "--pause").code == 0
    table = _table(tmp_path)
    assert table.find("tiny").wanted == "pause"


def test_a_variant_named_like_an_option_is_worked_on(csro, spec, tmp_path):
    named = SPEC.replace('oracles = ["zero-shot"]', 'variants = [{ oracle = "zero-shot", name = "--help" }]')
    spec.write_text(named.replace("seeds = 2", "seeds = 1"))
    result = csro("experiment", spec, "--json")
    assert result.code == 0, result.err
    (line,) = json.loads(result.out)["comparison"]["courses"]
    assert line["points"][-1]["calls"] == 4


def test_a_report_has_no_numbers_that_came_from_elsewhere(csro, tmp_path):
    with closing(open_store(tmp_path / "store" / "csro.sqlite", create=True)) as store:
        experiment = add_experiment(store)
        table = ExperimentTable(store.connections, store.clock)
        imported = kept_comparison(store, table.find(experiment))
        assert IMPORTED in imported.notes
        found = csro("experiment", experiment, "--report", "--json").json["comparison"]
        assert IMPORTED not in found["notes"]
        assert found["summaries"] != to_json(imported)["summaries"]


def test_a_report_waits_for_another_process_that_computes_the_same(csro, tmp_path):
    with closing(open_store(tmp_path / "store" / "csro.sqlite", create=True)) as store:
        experiment = add_experiment(store)
        record = ExperimentTable(store.connections, store.clock).find(experiment)
        document = replace(kept_comparison(store, record), notes=("of the other one",))
        request = for_experiment(store, record)
        table, key = PictureTable(store.connections, store.clock), request_key(store, request)
        table.drop(key)
        table.ask(key, KIND, to_json(request), lambda: None)
        task = table.take(key)
        threading.Timer(1.0, table.finish, (task, to_json(document))).start()
        assert csro("experiment", experiment, "--report", "--json").json["comparison"]["notes"] == ["of the other one"]


def test_another_plan_of_the_same_name_is_refused(csro, spec):
    csro("experiment", spec, "--forecast")
    spec.write_text(SPEC.replace("calls = 4", "calls = 6"))
    csro("experiment", spec, "--forecast").refused("must have the plan of this file")


def test_what_cannot_be_is_one_line(csro, spec, tmp_path):
    csro("experiment", "nobody").refused("must be the id or the name")
    csro("experiment", tmp_path / "none.toml").refused("none.toml")
    csro("experiment", spec, "--report").refused("no run with results yet")
    csro("experiment", spec, "--out", spec).refused("--out must name a folder")
    csro("experiment", spec, "--pause", "--report").refused("not allowed")
    spec.write_text("name = ")
    csro("experiment", spec).refused("no TOML")


def _table(tmp_path):
    store = open_store(tmp_path / "store" / "csro.sqlite")
    return ExperimentTable(store.connections, store.clock)


def test_a_deleted_experiment_is_named_as_such(csro, spec, tmp_path):
    csro("experiment", spec, "--forecast")
    store = open_store(tmp_path / "store" / "csro.sqlite")
    ExperimentLabels(store.connections).put_into_bin(_table(tmp_path).find("tiny").id)
    csro("experiment", "tiny").refused("'tiny' is in the bin: take it back on the page Compare")
    csro("experiment", spec).refused("which one in the bin has")
