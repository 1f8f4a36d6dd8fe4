"""`export` and `import` of runs and experiments, as commands."""

import zipfile

import pytest

from csro_core.store import default_path, open_store
from csro_core.store.records import RunSettings
from tests.experiments.archived_experiment import GAME, add_experiment, add_run


@pytest.fixture
def filled(csro):
    store = open_store(default_path(), create=True)
    experiment = add_experiment(store)
    run = add_run(store, "which oracle?", RunSettings(GAME))
    store.close()
    return experiment, run


def test_an_experiment_is_exported_and_imported(csro, filled, tmp_path):
    experiment, _ = filled
    path = tmp_path / "x.zip"
    told = csro("export", experiment, path, "--json")
    assert told.code == 0
    assert (told.json["experiment"], len(told.json["runs"])) == (experiment, 4)
    taken = csro("import", path, "--json")
    assert taken.json["name"] == "which oracle? (2)"
    assert taken.json["experiment"] != experiment
    assert len(taken.json["runs"]) == 4


def test_a_run_wins_on_a_tie_and_that_is_said(csro, filled, tmp_path):
    experiment, run = filled
    told = csro("export", "which oracle?", tmp_path / "x.zip", "--json")
    assert told.json == {"run": run, "file": str(tmp_path / "x.zip")}
    assert experiment in told.err
    assert csro("import", tmp_path / "x.zip").out.startswith("imported as run ")


def test_what_cannot_be_is_refused_in_one_line(csro, filled, tmp_path):
    csro("export", "nothing", tmp_path / "x.zip").refused("nor does an experiment")
    csro("import", tmp_path / "missing.zip").refused("can be read")
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as opened:
        opened.writestr("experiment.json", "{}")
        opened.writestr("../evil", "x")
    csro("import", tmp_path / "evil.zip").refused("manifest.json")
