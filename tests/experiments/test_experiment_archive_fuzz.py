"""Import of files in which anything may stand anywhere: taken, or refused in one line with nothing written."""

import json
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from csro_core.errors import UsageError
from csro_core.experiments.archive import export_experiment, import_archive
from csro_core.experiments.experiment_report import Told, experiment_report
from csro_core.experiments.figures import comparison_figures
from csro_core.experiments.kept import kept_comparison
from csro_core.store import open_store
from csro_core.store.experiments import ExperimentTable
from tests.experiments.archived_experiment import add_experiment
from tests.store.hostile_files import places

JSON_FILES = ("experiment.json", "comparison.json", "runs/0-3/run.json", "runs/0-3/cells.json")
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 3), st.integers(), st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["", "x", "\x1b\u2028", "<script>", "=1+1", "../x", [], [[]], {}, {"x": 1}, 2**63, 10**30]),
    st.text(max_size=8),
)  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("fuzz")
    store = open_store(folder / "a.sqlite")
    export_experiment(store, add_experiment(store), folder / "x.zip")
    store.close()
    with zipfile.ZipFile(folder / "x.zip") as opened:
        return {name: opened.read(name) for name in opened.namelist()}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("target")
    store = open_store(folder / "b.sqlite")
    yield store, folder / "x.zip"
    store.close()


def import_or_refuse(store, path) -> None:
    """Imports, and draws what a page or a report would; only a refusal in one line is allowed besides."""
    table = ExperimentTable(store.connections, store.clock)
    before = (len(table.all()), len(store.runs()))
    try:
        shared = import_archive(store, path)
    except UsageError as error:
        if "\n" in str(error):
            raise AssertionError("more than one line") from error
        assert (len(table.all()), len(store.runs())) == before
        return
    if shared.kind == "run":
        return
    record = table.find(shared.id)
    comparison = kept_comparison(store, record)
    figures = {} if comparison is None else comparison_figures(comparison)
    text = experiment_report(store, Told(record, table.runs(shared.id), comparison, figures), 0.0)
    assert "<script" not in text


@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_value_anywhere_is_taken_or_refused(files, place, data):
    store, path = place
    name = data.draw(st.sampled_from(JSON_FILES))
    document = json.loads(files[name])
    keys = data.draw(st.sampled_from([one for one in places(document) if one]))
    inside = document
    for key in keys[:-1]:
        inside = inside[key]
    inside[keys[-1]] = data.draw(VALUES)
    with zipfile.ZipFile(path, "w") as opened:
        for other, contents in files.items():
            opened.writestr(other, json.dumps(document) if other == name else contents)
    import_or_refuse(store, path)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(flips=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=4))
def test_flipped_bytes_never_cause_another_error(files, place, flips):
    store, path = place
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, contents in files.items():
            opened.writestr(name, contents)
    broken = bytearray(path.read_bytes())
    for where, value in flips:
        broken[int(where * len(broken))] = value
    path.write_bytes(bytes(broken))
    import_or_refuse(store, path)
