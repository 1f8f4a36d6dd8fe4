"""An archive of the size of a usual experiment is imported in a real browser: the server's limit lets it pass."""

import zlib
from dataclasses import replace

import numpy as np
import pytest

from csro_core.experiments.archive import export_experiment
from csro_core.metagame.cells import Cell
from csro_core.seeds import Seed
from csro_core.store import open_store
from csro_core.store.experiments import ExperimentTable
from csro_core.store.records import Member
from tests.e2e.harness import server, settle
from tests.experiments.archived_experiment import PLAN, add_experiment, policy

pytestmark = pytest.mark.e2e

EPISODES, THROWS, POLICIES = 16, 1_000, 12


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Twenty runs with twelve policies each and every throw of their matches, which hardly get smaller in a zip."""
    folder = tmp_path_factory.mktemp("share")
    store = open_store(folder / "other.sqlite")
    experiment = add_experiment(store, replace(PLAN, seeds=tuple(Seed(str(seed)) for seed in range(10))))
    dice = np.random.default_rng(0)
    for number, one in enumerate(ExperimentTable(store.connections, store.clock).runs(experiment)):
        lease = store.acquire(one.run, "me")
        texts = [policy(index, f"of run {number}") for index in range(3, POLICIES)]
        for index, text in enumerate(texts, start=3):
            lease.add_member(Member(0, index, text, f"p{index}", "oracle", "", 1))
        for place, row in enumerate(texts):
            for column in texts[place:]:
                lease.cells.put(_cell(*sorted((row.tree_hash, column.tree_hash)), dice))
        lease.release("done")
    export_experiment(store, experiment, folder / "large.zip")
    store.close()
    return folder / "large.zip"


def _cell(row, column, dice):
    returns = np.zeros((EPISODES, 2))
    throws = dice.integers(0, 3, (EPISODES, 2 * THROWS), dtype=np.uint8)
    logs = tuple(zlib.compress(one.tobytes()) for one in throws)
    return Cell(row, column, returns, np.zeros((EPISODES, 2), dtype=np.bool_), (), logs)


def test_an_archive_of_a_usual_experiment_is_imported(archive, open_page, tmp_path):
    assert archive.stat().st_size > 5 * 1024**2
    with server(tmp_path / "store.sqlite") as running:
        page = open_page().page
        page.goto(running.url)
        settle(page)
        page.get_by_role("button", name="Import", exact=True).click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_text("200MB per file").wait_for()
        dialog.locator("input[type=file]").set_input_files(archive)
        dialog.get_by_role("button", name="Import", exact=True).click()
        page.wait_for_url("**/compare?*experiment=*")
        settle(page)
        page.get_by_text("2 variants × 10 seeds").first.wait_for()
        store = open_store(running.store)
        (record,) = ExperimentTable(store.connections, store.clock).all()
        assert len(ExperimentTable(store.connections, store.clock).runs(record.id)) == 20
        store.close()
