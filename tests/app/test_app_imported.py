"""Imported runs are marked on every page; damaged rows are named and cost nothing else."""

import pytest

from csro_core.store.archive import export_run, import_run
from tests.app.app_pages import app, html, run_id, words

PAGES = ("", "views/policies.py", "views/matches.py", "views/metagame.py", "views/benchmark.py", "views/calls.py")
CHIP = ">imported</span>"


@pytest.fixture
def both(store, tmp_path):
    """A run of here, and the same one imported."""
    run = run_id(store, "demo rps")
    lease = store.acquire(run, "owner")
    lease.event("isolation", {"level": "full", "reason": "", "walls": ["Landlock 7"]})
    lease.release("done")
    export_run(store, run, tmp_path / "x.zip")
    return run, import_run(store, tmp_path / "x.zip", own=True)


def test_every_page_of_an_imported_run_says_so(store, both):
    here, imported = both
    for page in PAGES:
        assert CHIP in html(app(page, run=imported)), page
        assert CHIP not in html(app(page, run=here)), page


def test_its_isolation_is_what_the_archive_tells_until_somebody_here_looks(store, both):
    here, imported = both
    assert "Isolation: full</span>" in html(app(run=here))
    assert "Isolation: full, as told by the archive" in html(app(run=imported))
    lease = store.acquire(imported, "owner")
    lease.event("isolation", {"level": "reduced", "reason": "no seccomp", "walls": []})
    lease.release("done")
    drawn = html(app(run=imported))
    assert "Isolation: reduced (no seccomp)" in drawn
    assert "as told by" not in drawn


def test_lists_mark_it_too(store, both):
    _, imported = both
    test = app("views/runs.py", run=imported, picked=imported)
    assert any("imported" in status for status in test.dataframe[0].value["status"])
    assert CHIP in html(test)
    assert "imported" in words(app("views/compare.py", compared="runs", runs=".".join(both)))


def test_a_damaged_run_is_named_and_the_others_are_shown(store, both):
    here, imported = both
    with store.connections.writing() as connection:
        connection.execute("UPDATE runs SET settings = '{' WHERE id = ?", (imported,))
    test = app("views/runs.py", run=here)
    assert any(imported in one.value for one in test.warning)
    assert len(test.dataframe[0].value) == len(store.runs())
    assert not app(run=imported).exception


def test_a_damaged_row_of_the_run_shown_is_named(store, both):
    here, _ = both
    with store.connections.writing() as connection:
        connection.execute("UPDATE attempts SET per_opponent = '{' WHERE run = ?", (here,))
        connection.execute("UPDATE runs SET rows_changed = rows_changed + 1 WHERE id = ?", (here,))
    test = app(run=here)
    assert any("attempt" in one.value and "damaged" in one.value for one in test.warning)
    with store.connections.writing() as connection:
        connection.execute("UPDATE solutions SET extra = '{\"champion\": 7}' WHERE run = ?", (here,))
        connection.execute("UPDATE runs SET rows_changed = rows_changed + 1 WHERE id = ?", (here,))
    test = app(run=here, may_complain=True)
    assert not test.exception
    assert any("is damaged in the store" in one.value for one in test.text)
