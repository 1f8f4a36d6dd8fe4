"""Places and versions: migrations, newer stores, foreign files, read-only places, full disks."""

import contextlib
import os
import shutil
import sqlite3
import tempfile
from pathlib import Path

import pytest

from csro_core.errors import StoreError
from csro_core.store import default_path, migrations, open_store
from csro_core.store.connection import Connections


def one_line(error: pytest.ExceptionInfo[StoreError]) -> str:
    text = str(error.value)
    assert "\n" not in text
    return text


@pytest.fixture
def unprivileged():
    """Files as a user without root's powers sees them, in a folder that this user can reach."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    if root:
        os.seteuid(65534)
    own = folder / "own"
    own.mkdir()
    try:
        yield own
    finally:
        own.chmod(0o777)
        if root:
            os.seteuid(0)
        shutil.rmtree(folder)


def test_default_place(monkeypatch, tmp_path):
    monkeypatch.setenv("CSRO_STORE", str(tmp_path / "x.sqlite"))
    assert default_path() == tmp_path / "x.sqlite"
    monkeypatch.setenv("CSRO_STORE", " ")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_path().name == "csro.sqlite"
    assert default_path().is_absolute()


def test_missing_folders_are_made_and_missing_files_only_on_wish(tmp_path):
    path = tmp_path / "a" / "b" / "c.sqlite"
    with pytest.raises(StoreError, match="no such file"):
        open_store(path, create=False)
    assert not path.parent.exists()
    open_store(path).close()
    assert open_store(path, create=False).runs() == []


def test_the_file_is_in_wal_mode_and_checks_foreign_keys(store):
    with store.connections.reading() as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert connection.execute("PRAGMA foreign_keys").fetchone()[0] == 1


def version_of(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA user_version").fetchone()[0]


def test_a_version_0_store_migrates_forward(tmp_path, make):
    path = tmp_path / "old.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {migrations.APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 0")
    store = open_store(path)
    assert version_of(path) == len(migrations.STEPS)
    assert store.run(store.create_run("", make.settings, 1)).target == 1


def test_later_steps_run_once_and_keep_the_rows(store, run):
    steps = (*migrations.STEPS, "ALTER TABLE runs ADD COLUMN remark TEXT NOT NULL DEFAULT 'none; ok';\n")
    migrations.prepare(store.path, steps)
    migrations.prepare(store.path, steps)
    assert version_of(store.path) == len(steps)
    with contextlib.closing(sqlite3.connect(store.path)) as connection:
        assert connection.execute("SELECT id, remark FROM runs").fetchall() == [(run, "none; ok")]


def test_a_failing_step_changes_nothing(store, run):
    steps = (*migrations.STEPS, "CREATE TABLE half (a);\nINSERT INTO nowhere VALUES (1);\n")
    with pytest.raises(StoreError, match="nowhere"):
        migrations.prepare(store.path, steps)
    assert version_of(store.path) == len(migrations.STEPS)
    with contextlib.closing(sqlite3.connect(store.path)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM sqlite_schema WHERE name = 'half'").fetchone() == (0,)
    assert store.run(run).id == run


def test_a_newer_store_is_refused(store):
    with contextlib.closing(sqlite3.connect(store.path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="newer CSRO .schema 99") as error:
        open_store(store.path)
    assert "update CSRO" in one_line(error)


def test_foreign_files_are_refused(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a database, " * 100)
    with pytest.raises(StoreError, match="not a CSRO store") as error:
        open_store(text)
    one_line(error)
    other = tmp_path / "other.sqlite"
    with contextlib.closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE mine (a)")
    with pytest.raises(StoreError, match="another program's"):
        open_store(other)
    with pytest.raises(StoreError) as error:
        open_store(tmp_path)
    one_line(error)


def test_a_damaged_file_is_one_line(store, run):
    store.close()
    data = bytearray(store.path.read_bytes())
    data[1024:] = os.urandom(len(data) - 1024)
    store.path.write_bytes(bytes(data))
    with pytest.raises(StoreError) as error:
        open_store(store.path).runs()
    one_line(error)


def test_a_read_only_folder_is_one_line(unprivileged):
    unprivileged.chmod(0o555)
    with pytest.raises(StoreError, match="cannot be opened") as error:
        open_store(unprivileged / "csro.sqlite")
    one_line(error)
    with pytest.raises(StoreError, match="folder cannot be made") as error:
        open_store(unprivileged / "deeper" / "csro.sqlite")
    one_line(error)


def test_a_read_only_file_refuses_writes_in_one_line(unprivileged, make):
    path = unprivileged / "csro.sqlite"
    store = open_store(path)
    run = store.create_run("", make.settings, 1)
    store.close()
    path.chmod(0o444)
    store = open_store(path)
    with pytest.raises(StoreError, match="read-only") as error:
        store.create_run("", make.settings, 1)
    one_line(error)
    with pytest.raises(StoreError, match="read-only"):
        store.acquire(run, "me")
    store.close()


def limit_pages(monkeypatch) -> None:
    """A disk that has just become full: the file may grow no more (SQLite then reports SQLITE_FULL)."""
    lend = Connections._take

    def limited(self: Connections) -> sqlite3.Connection:
        connection = lend(self)
        connection.execute("PRAGMA max_page_count = 1")  # SQLite raises it to the current size
        return connection

    monkeypatch.setattr(Connections, "_take", limited)


def test_a_full_disk_is_one_line_and_loses_nothing(store, run, make, monkeypatch):
    lease = store.acquire(run, "me")
    lease.add_member(make.member(0))
    limit_pages(monkeypatch)

    def fill() -> None:
        for number in range(1000):
            lease.event("filler", {"text": "x" * 1000, "number": number})

    with pytest.raises(StoreError, match="disk is full") as error:
        fill()
    one_line(error)
    big = make.cell(make.policy(0), make.policy(0), episodes=20_000, moves=False)
    with pytest.raises(StoreError, match="disk is full"):
        lease.cells.put(big)
    monkeypatch.undo()
    store.close()  # drops the limited connections
    assert store.cells(run).all() == []
    assert len(store.members(run)) == 1
    lease.cells.put(big)
    assert store.cells(run).all()[0].episodes == 20_000


def test_a_locked_store_is_one_line(store, run, monkeypatch):
    monkeypatch.setattr("csro_core.store.connection.BUSY_SECONDS", 0.05)
    with contextlib.closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        store.close()  # so that new connections have the short patience
        with pytest.raises(StoreError, match="locked") as error:
            store.save_draft(run, "h", "x")
        one_line(error)
        assert store.run(run).id == run  # readers do not wait
