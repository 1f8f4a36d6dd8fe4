"""Export and import on the pages."""

import zipfile

import pytest
from streamlit.testing.v1 import AppTest

from app import share
from csro_core.errors import UsageError
from csro_core.experiments.archive import export_experiment
from csro_core.store import open_store
from csro_core.store.experiments import ExperimentTable
from tests.app.app_pages import app, words
from tests.experiments.archived_experiment import add_experiment


@pytest.fixture
def experiment_file(tmp_path):
    other = open_store(tmp_path / "other.sqlite")
    path = tmp_path / "x.zip"
    export_experiment(other, add_experiment(other), path)
    other.close()
    return path


def test_the_run_page_offers_the_run_as_a_zip_file_made_on_click(store, tmp_path):
    test = app()
    assert any(button.label == "Run with report (zip)" for button in test.get("download_button"))
    (tmp_path / "x.zip").write_bytes(share.run_zip(store.runs()[0].id))
    with zipfile.ZipFile(tmp_path / "x.zip") as opened:
        assert {"report.html", "run.json", "tables/payoffs.csv"} <= set(opened.namelist())


def test_a_file_that_is_refused_is_told_in_one_line_without_a_path_of_this_machine(store):
    runs = store.runs()
    with pytest.raises(UsageError) as error:
        share.take(b"PK no zip")
    assert str(error.value).startswith("this file cannot be imported")
    assert "\n" not in str(error.value)
    assert store.runs() == runs


def test_no_room_for_a_temporary_file_is_told_in_words(store, monkeypatch):
    def full(prefix):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(share.tempfile, "TemporaryDirectory", full)
    for action in (lambda: share.take(b"PK"), lambda: share.run_zip(store.runs()[0].id)):
        with pytest.raises(UsageError, match="No space left on device; free some space"):
            action()


def _imported(data: bytes) -> AppTest:
    test = app()
    test.button(key="import_button").click().run()
    test.file_uploader(key="import_file").upload("x.zip", data, "application/zip").run()
    test.button(key="import_do").click().run()
    return test


def test_an_experiment_is_imported_and_shown(store, experiment_file):
    test = _imported(experiment_file.read_bytes())
    assert not test.exception
    (record,) = ExperimentTable(store.connections).all()
    assert test.query_params["experiment"] in ([record.id], record.id)
    assert any(button.label == "Export (zip)" for button in test.get("download_button"))
    with zipfile.ZipFile(experiment_file) as opened:
        assert len(opened.namelist()) > 10


def test_a_refused_file_changes_nothing_on_the_page(store):
    test = _imported(b"no zip")
    assert not test.exception
    assert "cannot be imported" in words(test)
    assert ExperimentTable(store.connections).all() == []
