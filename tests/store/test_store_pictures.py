"""The table of pictures: who may work on what, cancelling, dead workers, limits, odd rows, and older stores."""

import contextlib
import json
import sqlite3
import threading
from importlib.resources import files

import pytest

from csro_core.errors import Cancelled, NotFoundError
from csro_core.store import migrations, open_store, pictures
from csro_core.store.archive import export_run, import_run
from csro_core.store.pictures import ALIVE_SECONDS, PictureTable

GAME = {"payoffs": [[[0.0, 0.1]]]}


@pytest.fixture
def table(store):
    return PictureTable(store.connections, store.clock)


def ask(table, key="k", kind="disc", params=None):
    return table.ask(key, kind, params or {}, lambda: GAME)


def test_from_asking_to_the_document(table, clock):
    assert table.row("k") is None
    assert ask(table, params={"policies": [0, 1, 2]})
    assert (table.row("k").state, table.row("k").created) == ("waiting", clock.now)
    task = table.take("k")
    assert (task.kind, task.params, task.game) == ("disc", {"policies": [0, 1, 2]}, GAME)
    table.beat(task, (2, 5))
    table.beat(task)
    row = table.row("k")
    assert (row.state, row.done, row.total, row.document) == ("working", 2, 5, "")
    table.finish(task, {"share": 0.5, "odd": float("nan")})
    assert json.loads(table.row("k").document) == {"share": 0.5, "odd": None}
    assert table.row("k", with_document=False).document == ""
    assert not ask(table)  # it is there
    assert table.take("k") is None
    assert sizes(table)["k"] == len(table.row("k").document)  # the game is gone


def test_only_one_works_on_a_picture(table):
    ask(table)
    assert not ask(table)
    assert table.take("k") is not None
    assert not ask(table)
    assert table.take("k") is None


def test_many_who_ask_and_take_at_once(store):
    asked, taken = [], []
    barrier = threading.Barrier(8)

    def work():
        table = PictureTable(store.connections, store.clock)
        barrier.wait()
        asked.append(ask(table))
        barrier.wait()
        taken.append(table.take("k"))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(asked) == [False] * 7 + [True]
    assert sum(task is not None for task in taken) == 1


def test_a_cancelled_worker_hears_of_it_and_writes_nothing(table):
    ask(table)
    task = table.take("k")
    table.cancel("k")
    assert table.row("k").state == "cancelled"
    for write in (lambda: table.beat(task, (1, 2)), lambda: table.finish(task, {}), lambda: table.fail(task, "no")):
        with pytest.raises(Cancelled):
            write()
    assert table.row("k").state == "cancelled"
    assert ask(table)  # begun anew; the old worker has lost it for good
    other = table.take("k")
    with pytest.raises(Cancelled):
        table.finish(task, {})
    table.finish(other, {})
    table.cancel("k")
    assert table.row("k").state == "done"
    table.cancel("nothing")


def test_a_picture_whose_worker_died_reads_as_failed_and_is_begun_again(table, clock):
    ask(table)
    dead = table.take("k")
    clock.now += ALIVE_SECONDS
    assert table.row("k").state == "working"
    clock.now += 0.1
    row = table.row("k")
    assert row.state == "failed"
    assert "has died" in row.message
    assert ask(table)
    assert table.take("k") is not None
    with pytest.raises(Cancelled):
        table.finish(dead, {})


def test_a_worker_may_be_replaced_where_nobody_asked_again(table, clock):
    ask(table)
    table.take("k")
    clock.now += ALIVE_SECONDS + 1
    task = table.take("k")
    assert task is not None
    assert table.row("k").state == "working"


def test_a_failure_keeps_its_reason(table):
    ask(table)
    table.fail(table.take("k"), "it needs a zero-sum game \ud800")
    assert (table.row("k").state, table.row("k").message) == ("failed", "it needs a zero-sum game ?")
    assert ask(table)
    assert table.row("k").message == ""


def test_unknown_keys(table):
    with pytest.raises(NotFoundError, match="'nothing'"):
        table.take("nothing")


def sizes(table):
    with table._connections.reading() as connection:
        return {row["key"]: row["size"] for row in connection.execute("SELECT key, size FROM pictures")}


def test_the_oldest_are_dropped_beyond_the_number(table, clock, monkeypatch):
    monkeypatch.setattr(pictures, "MAX_ROWS", 3)
    for number in range(6):
        clock.now += 1
        ask(table, f"k{number}")
        if number != 1:
            table.finish(table.take(f"k{number}"), {})
    assert sorted(sizes(table)) == ["k1", "k3", "k4", "k5"]  # k1 still waits
    clock.now += 3600
    ask(table, "k6")
    assert sorted(sizes(table)) == ["k4", "k5", "k6"]  # nobody waits so long


def test_the_oldest_are_dropped_beyond_the_size(table, clock, monkeypatch):
    monkeypatch.setattr(pictures, "MAX_SIZE", 250)
    for number in range(4):
        clock.now += 1
        ask(table, f"k{number}")
        table.finish(table.take(f"k{number}"), {"x": "y" * 92})
    assert sorted(sizes(table)) == ["k2", "k3"]
    clock.now += 1
    ask(table, "large")
    table.finish(table.take("large"), {"x": "y" * 1000})
    assert sorted(sizes(table)) == ["large"]  # the newest stays, whatever its size


def spoil(store, assignment):
    with store.connections.writing() as connection:
        connection.execute(f"UPDATE pictures SET {assignment}")


@pytest.mark.parametrize(
    ("assignment", "state"),
    [
        ("state = 'strange'", "failed"), ("state = 7", "failed"), ("state = x'00ff'", "failed"),
        ("state = 'working', heartbeat = 'soon'", "failed"), ("state = 'working', heartbeat = 9e999", "working"),
        ("done = 'many', total = x'01'", "waiting"), ("message = 3, document = x'00'", "waiting"),
    ],
)  # fmt: skip
def test_odd_rows_are_read(store, table, assignment, state):
    ask(table)
    spoil(store, assignment)
    row = table.row("k")
    assert row.state == state
    assert isinstance(row.done, int)
    assert isinstance(row.document, str)


@pytest.mark.parametrize(
    "assignment", ["game = '{'", "game = ''", "params = '[]'", "params = 'NaN'", "params = x'ff'", "game = x'ff00'"]
)
def test_what_cannot_be_read_fails(store, table, assignment):
    ask(table)
    spoil(store, assignment)
    with pytest.raises(ValueError, match="cannot be read"):
        table.take("k")
    assert table.row("k").state == "failed"
    assert ask(table)


def test_a_store_of_version_3_gets_the_table_and_keeps_its_rows(tmp_path):
    path = tmp_path / "old.sqlite"
    names = ("schema.sql", "step_2.sql", "step_3.sql")
    migrations.prepare(
        path, tuple(files("csro_core.store").joinpath(name).read_text(encoding="utf-8") for name in names)
    )
    settings = json.dumps({"game": {"name": "repeated_rps", "parameters": {}}, "seed": 3})
    with contextlib.closing(sqlite3.connect(path)) as old:
        assert old.execute("PRAGMA user_version").fetchone()[0] == 3
        assert old.execute("SELECT COUNT(*) FROM sqlite_schema WHERE name = 'pictures'").fetchone()[0] == 0
        old.execute(
            "INSERT INTO runs (id, name, settings, game_key, status, message, target, created) "
            "VALUES ('r', 'old', ?, 'g', 'done', '', 1, 0)",
            (settings,),
        )
        old.commit()
    store = open_store(path)
    assert store.run("r").settings.seed == "3"
    assert store.run("r").settings.seed_scheme == 1
    table = PictureTable(store.connections)
    assert ask(table)
    assert table.row("k").state == "waiting"
    with contextlib.closing(sqlite3.connect(path)) as new:
        assert new.execute("PRAGMA user_version").fetchone()[0] == len(migrations.STEPS) >= 4


def test_pictures_are_neither_exported_nor_imported(store, run, table, tmp_path):
    ask(table)
    export_run(store, run, tmp_path / "run.zip")
    other = open_store(tmp_path / "other.sqlite")
    import_run(other, tmp_path / "run.zip")
    assert PictureTable(other.connections).row("k") is None
    assert b"payoffs" not in (tmp_path / "run.zip").read_bytes()
