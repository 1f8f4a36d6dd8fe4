"""The secret of a run: drawn where no seed is given, stretched once, kept in its row, and seen by nobody else."""

import hashlib
import zipfile

import orjson
import pytest
from running import BIASED, new_run, settings

from csro_core.cli.documents import run_document, run_text
from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool
from csro_core.runner import Runner
from csro_core.seeds import SCHEME, Secret, Seed, run_secret
from csro_core.store import open_store
from csro_core.store.archive import export_run, import_run
from csro_core.store.codec import dumps, to_json


@pytest.fixture(scope="module")
def pool():
    made = LocalPool(make_game)
    yield made
    made.close()


def injected(store, run):
    """Puts a secret into the row of a run, so that no test waits for one to be stretched."""
    lease = store.acquire(run, "test")
    lease.keep_secret(Secret.of_key(b"s" * 32))
    lease.release("new")
    return b"s" * 32


def forbidden(*arguments, **named):
    raise AssertionError("the secret of this run is in its row: nothing is to be stretched")


def test_a_run_without_a_seed_gets_one_and_equal_runs_differ(tmp_path):
    store, first = new_run(tmp_path / "a.sqlite", settings(BIASED, seed=Seed("")))
    second = store.create_run("", settings(BIASED, seed=Seed("")), 1)
    drawn = [store.run(run).settings.seed for run in (first, second)]
    assert [len(seed) for seed in drawn] == [26, 26]
    assert len(set(drawn)) == 2
    assert store.run(first).settings.seed_scheme == SCHEME


def test_the_runner_keeps_the_stretched_secret_and_takes_the_kept_one(tmp_path, pool, monkeypatch):
    made = settings(BIASED, initial=("reference:first_action",), attempts=1)
    store, run = new_run(tmp_path / "a.sqlite", made)
    Runner(store, run, pool).run_to(0)
    with store.connections.reading() as connection:
        (kept,) = connection.execute("SELECT secret FROM runs").fetchone()
    assert bytes.fromhex(kept) == run_secret(made.seed).key
    monkeypatch.setattr(hashlib, "scrypt", forbidden)
    run_secret.cache_clear()
    other = open_store(tmp_path / "a.sqlite")
    assert other.secret(run) == Secret.of_key(bytes.fromhex(kept))
    Runner(other, run, pool).run_to(1)
    assert other.run(run).iteration == 1


def test_the_secret_is_in_no_export_document_or_row_that_people_see(tmp_path, pool):
    store, run = new_run(tmp_path / "a.sqlite", settings(BIASED, initial=("reference:first_action",), attempts=1))
    key = injected(store, run)
    Runner(store, run, pool).run_to(1)
    export_run(store, run, tmp_path / "run.zip")
    with zipfile.ZipFile(tmp_path / "run.zip") as archive:
        told = [archive.read(name) for name in archive.namelist()]
    told += [orjson.dumps(run_document(store, run)), run_text(store, run).encode(), dumps(to_json(store.runs()[0]))]
    told += [repr(store.secret(run)).encode(), repr(store.runs()).encode()]
    tables = store.calls(run), store.attempts(run), store.events(run)
    told += [dumps(to_json(row)) for table in tables for row in table]
    assert store.secret(run).key == key
    for form in (key, key.hex().encode(), repr(key).encode(), str(int.from_bytes(key, "big")).encode()):
        assert not [text for text in told if form in text]
    imported = import_run(open_store(tmp_path / "b.sqlite"), tmp_path / "run.zip")
    with open_store(tmp_path / "b.sqlite").connections.reading() as connection:
        assert connection.execute("SELECT secret FROM runs WHERE id = ?", (imported,)).fetchone()[0] == ""


def test_a_run_of_before_keeps_its_scheme_when_it_goes_on(tmp_path, pool, monkeypatch):
    store, run = new_run(tmp_path / "a.sqlite", settings(BIASED, initial=("reference:first_action",), attempts=1))
    with store.connections.writing() as connection:
        (text,) = connection.execute("SELECT settings FROM runs").fetchone()
        older = orjson.loads(text) | {"seed": 7}
        del older["seed_scheme"]
        connection.execute("UPDATE runs SET settings = ?", (orjson.dumps(older).decode(),))
    monkeypatch.setattr(hashlib, "scrypt", forbidden)
    Runner(store, run, pool).run_to(1)
    assert store.run(run).settings.seed_scheme == 1
    assert store.secret(run) == run_secret(Seed("7"), 1)
    assert "could be computed" in run_text(store, run)
    export_run(store, run, tmp_path / "run.zip")
    again = open_store(tmp_path / "b.sqlite")
    assert again.run(import_run(again, tmp_path / "run.zip")).settings.seed_scheme == 1
