"""A damaged row costs that row, and is named: lists show the others, and nothing gives a traceback."""

import json
import sqlite3

import pytest

from csro_core.cli.main import main
from csro_core.errors import StoreError
from csro_core.store.archive import export_run
from csro_core.store.calls import call_lines
from csro_core.store.damage import left_out, unlisted
from csro_core.store.experiments import ExperimentTable
from csro_core.store.pictures import PictureTable
from csro_core.store.results import last_results

BROKEN = ("", "{", "7", "null", '"x"', "[1, 2]", '{"game": 7}', b"\xff\xfe")


def write(store, statement: str, *values) -> None:
    with store.connections.writing() as connection:
        connection.execute(statement, values)


def command(store, capsys, *arguments: str) -> tuple[int, str, str]:
    code = main([*arguments, "--store", str(store.path)])
    said = capsys.readouterr()
    assert "Traceback" not in said.out + said.err
    return code, said.out, said.err


@pytest.mark.parametrize("broken", BROKEN)
def test_damaged_settings_cost_their_run_only(broken, store, filled, make, capsys):
    whole = store.create_run("whole", make.settings, 1)
    write(store, "UPDATE runs SET settings = ? WHERE id = ?", broken, filled)
    assert [run.id for run in store.runs()] == [whole]
    (sentence,) = unlisted(store.connections, store.clock())
    assert filled in sentence
    assert "damaged" in sentence
    assert "\n" not in sentence
    code, out, err = command(store, capsys, "runs")
    assert code == 0
    assert "whole" in out
    assert filled in err
    code, out, err = command(store, capsys, "show", filled)
    assert code in {1, 2}
    assert filled in err
    assert len(err.strip().splitlines()) == 1
    last_results(store.connections)
    store.models_behind(make.policy(50).hash)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("tags", "{"), ("tags", "7"), ("tags", "[7]"), ("status", "great"), ("created", "yesterday"),
        ("target", "many"), ("name", b"\x00\x01"), ("note", 7.5), ("deleted", "long ago"),
        ("settings", json.dumps({"game": {"name": "repeated_rps", "parameters": {}}, "seed": "7"})),
    ],
)  # fmt: skip
def test_any_other_column_of_a_run_does_too(column, value, store, filled, make, capsys):
    store.create_run("whole", make.settings, 1)
    write(store, f"UPDATE runs SET {column} = ? WHERE id = ?", value, filled)
    code, out, _ = command(store, capsys, "runs", "--json")
    assert code == 0
    assert "whole" in out
    assert command(store, capsys, "show", filled)[0] in {0, 1, 2}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE solutions SET sigma = '{' WHERE run = ?", "UPDATE solutions SET sigma = '[[0.1]]' WHERE run = ?",
        "UPDATE solutions SET extra = '7' WHERE run = ?", "UPDATE solutions SET extra = '{' WHERE run = ?",
        "UPDATE solutions SET extra = '{\"champion\": 7}' WHERE run = ?",
        "UPDATE solutions SET extra = '{\"champion\": {\"index\": \"0\"}}' WHERE run = ?",
        "UPDATE solutions SET extra = '{\"evaluation\": {\"sigma\": 7}}' WHERE run = ?",
        "UPDATE solutions SET extra = '{\"bootstrap\": []}' WHERE run = ?",
        "UPDATE solutions SET extra = '{\"benchmark\": {\"pop_return\": \"x\"}}' WHERE run = ?",
        "UPDATE solutions SET value = 'x' WHERE run = ?", "UPDATE iterations SET gain = '{' WHERE run = ?",
        "UPDATE iterations SET gain = '7' WHERE run = ?", "UPDATE iterations SET tau = 'x' WHERE run = ?",
        "UPDATE iterations SET verdict = 'great' WHERE run = ?", "UPDATE members SET origin = 'x' WHERE run = ?",
    ],
)  # fmt: skip
def test_what_a_run_rests_on_is_told_in_one_line(statement, store, filled, make, capsys):
    store.create_run("whole", make.settings, 1)
    write(store, statement, filled)
    assert command(store, capsys, "runs")[0] == 0
    code, _, err = command(store, capsys, "show", filled)
    assert code in {1, 2}
    assert "damaged" in err
    assert filled in err
    assert len(err.strip().splitlines()) == 1
    last_results(store.connections)


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("UPDATE attempts SET per_opponent = '{' WHERE run = ? AND iteration = 1", "attempt 0 of iteration 1"),
        ("UPDATE attempts SET screen = '[]' WHERE run = ? AND iteration = 1", "attempt 0 of iteration 1"),
        ("UPDATE calls SET status = 'x' WHERE run = ?", "call"),
        ("UPDATE events SET data = '{' WHERE run = ?", "event"),
        ("UPDATE events SET data = '7' WHERE run = ?", "event"),
    ],
)
def test_what_nothing_rests_on_is_left_out_and_named(statement, named, store, filled, capsys, tmp_path):
    write(store, statement, filled)
    store.attempts(filled)
    store.calls(filled)
    call_lines(store.connections, filled)
    store.events(filled)
    (sentence,) = left_out(store.connections, filled)
    assert sentence.startswith(named)
    code, out, _ = command(store, capsys, "show", filled)
    assert code == 0
    assert "left out: " in out
    with pytest.raises(StoreError, match="must be whole"):
        export_run(store, filled, tmp_path / "x.zip")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE cells SET failures = '{' WHERE run = ?", "UPDATE cells SET failures = '[7]' WHERE run = ?",
        "UPDATE cells SET returns = x'00' WHERE run = ?", "UPDATE cells SET forfeits = 'x' WHERE run = ?",
        "UPDATE cells SET episodes = 7 WHERE run = ?",
    ],
)  # fmt: skip
def test_a_damaged_cell_is_named(statement, store, filled):
    write(store, statement, filled)
    with pytest.raises(StoreError, match="payoff cell of .* is damaged"):
        store.cells(filled).all()


def test_damaged_logs_and_progress_are_told_or_left_out(store, filled, make):
    write(store, "UPDATE moves SET logs = x'ff'")
    cell = store.cells(filled).all()[0]
    with pytest.raises(StoreError, match="logs of .* damaged"):
        store.cell_moves(filled, cell.row, cell.column)
    for broken in ("{", "7"):
        write(store, "UPDATE runs SET progress = ? WHERE id = ?", broken, filled)
        assert store.progress(filled) == {}
    number = store.add_request(filled, "stop", {})
    write(store, "UPDATE requests SET payload = '{' WHERE id = ?", number)
    assert store.requests(filled) == store.waiting(filled) == []
    with pytest.raises(StoreError, match="damaged"):
        store.request(number)


@pytest.mark.parametrize("assignment", ["created = 'x'", "size = 'x'", "state = 'x'", "done = 'x'", "document = x'ff'"])
def test_a_damaged_picture_costs_that_one_only(assignment, store):
    table = PictureTable(store.connections, store.clock)
    table.put("a", "kind", {"x": 1})
    write(store, f"UPDATE pictures SET {assignment}")
    assert table.row("a") is not None
    table.put("b", "kind", {})
    assert table.row("b").document == "{}"


@pytest.mark.parametrize("plan", ["", "{", "7", "[]"])
def test_a_damaged_experiment_costs_that_one_only(plan, store, capsys):
    table = ExperimentTable(store.connections, store.clock)
    bad, good = table.create("bad", {}), table.create("good", {})
    write(store, "UPDATE experiments SET plan = ? WHERE id = ?", plan, bad)
    assert [one.id for one in table.all()] == [good]
    for wanted in (bad, "bad"):
        with pytest.raises(StoreError, match="is damaged"):
            table.find(wanted)
    assert any(bad in sentence for sentence in unlisted(store.connections, store.clock()))
    assert command(store, capsys, "export", "bad", str(store.path.with_suffix(".zip")))[0] in {1, 2}


@pytest.mark.parametrize("broken", ["zz", "ab", "ab" * 31, "AB" * 32, b"\xff\xfe", 7, "ab" * 32 + "\n"])
def test_a_damaged_secret_is_named_but_not_told(broken, store, filled):
    write(store, "UPDATE runs SET secret = ? WHERE id = ?", broken, filled)
    with pytest.raises(StoreError, match="64 hexadecimal digits") as caught:
        store.secret(filled)
    assert filled in str(caught.value)
    assert str(caught.value).endswith("its secret must be 64 hexadecimal digits")


def test_damaged_settings_are_named_where_the_secret_is_wanted(store, filled):
    write(store, "UPDATE runs SET settings = ? WHERE id = ?", "{", filled)
    with pytest.raises(StoreError, match=filled):
        store.secret(filled)


@pytest.mark.parametrize(
    ("column", "value"), [("iteration", b"\xff\xfe"), ("seconds", "9" * 400), ("seconds", -float("inf"))]
)
def test_a_list_of_runs_names_a_run_whose_sums_are_no_numbers(column, value, store, filled, capsys):
    write(store, f"UPDATE iterations SET {column} = ? WHERE run = ?", value, filled)
    code, _, err = command(store, capsys, "runs")
    assert code == 0
    assert filled in err


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("runs SET rows_changed = ?", b"\xff\xfe"), ("runs SET rows_changed = ?", "9" * 400),
        ('cells SET "row" = ?', b"\xff\xfe"), ("solutions SET number = ?", 2**62),
        ("members SET policy = ?", b"\xff\xfe"), ("members SET player = ?", 2**62),
    ],
)  # fmt: skip
def test_an_export_of_damaged_rows_is_one_line(change, value, store, filled, tmp_path, capsys):
    table = change.split()[0]
    # Not by the store's own connection, which would refuse a policy that is not there.
    connection = sqlite3.connect(store.path)
    connection.execute(f"UPDATE {change} WHERE rowid = (SELECT MIN(rowid) FROM {table})", (value,))
    connection.commit()
    connection.close()
    code, _, err = command(store, capsys, "export", filled, str(tmp_path / "run.zip"))
    assert code in {0, 1, 2}
    assert len(err.strip().splitlines()) <= 1
