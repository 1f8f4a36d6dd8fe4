import json
import sys

import pytest

from csro_core.bench.rows import Label, Row, Target, row_of, unknown_row
from csro_core.bench.tables import HEADERS, cells, markdown, verdict
from csro_core.cli.main import main

pytest.importorskip("pyspiel", reason="no OpenSpiel on this platform")

KEYS = {"name", "ours", "against", "baseline", "ratio", "low", "high", "target", "met"}


@pytest.fixture(scope="module")
def document():
    with pytest.MonkeyPatch.context() as patch:
        printed = []
        patch.setattr(sys.stdout, "write", printed.append)
        assert main(["bench", "--quick", "--json", "--workers", "2"]) == 0
    return json.loads("".join(printed))


def test_one_document_with_machine_and_rows(document):
    assert set(document) == {"machine", "rows"}
    assert {"cores", "python", "load"} <= set(document["machine"])
    assert document["machine"]["cores"] >= 1
    assert all(set(row) >= KEYS for row in document["rows"])


def test_every_figure_is_a_positive_ratio_of_two_figures(document):
    measured = [row for row in document["rows"] if row["ours"] is not None]
    assert len(measured) >= 25
    for row in measured:
        assert row["ours"] > 0
        assert row["baseline"] > 0
        assert 0 < row["low"] <= row["ratio"] <= row["high"]


def test_what_the_issue_asks_for_is_there(document):
    rows = document["rows"]
    for game in ("repeated RPS", "repeated Leduc"):
        for cost in ("trivial", "2 µs", "20 µs"):
            compared = [row["against"] for row in rows if row["name"] == f"{game}, {cost} policies"]
            assert compared == ["bare loop", "OpenSpiel loop", "no lockstep"]
    names = " | ".join(row["name"] for row in rows)
    for wanted in ("lockstep 1,", "lockstep 8,", "lockstep 32,", "lockstep 64,", "throughput", "one step of one match"):
        assert wanted in names
    starts = ("a policy process from the pool, median", "that is not ready yet", "90th percentile", "with the zygote")
    for wanted in (*starts, "resident"):
        assert wanted in names


def test_targets_are_those_of_the_issue(document):
    targets = {
        (row["name"], row["target_of"], row["target"]) for row in document["rows"] if row["target"] is not None
    }
    assert targets >= {
        ("repeated RPS, 2 µs policies", "ratio", 2.2),
        ("repeated RPS, 20 µs policies", "ratio", 1.0),
        ("repeated Leduc, 2 µs policies", "ratio", 3.0),
        ("a policy process from the pool, median", "ours", 10.0),
        ("a policy process that is not ready yet, median", "ours", 10.0),
        ("memory of a policy process, resident", "ours", 25.0),
    }
    assert all((row["met"] is None) == (row["target"] is None) for row in document["rows"])


def test_bad_numbers_of_workers_are_bad_usage(capsys):
    assert main(["bench", "--workers", "0"]) == 2
    assert "--workers" in capsys.readouterr().err


def row(target=None):
    return row_of(Label("repeated RPS, 2 µs policies", "bare loop", "µs an act"), [4.0, 6.0], [2.0, 2.0], target)


@pytest.mark.parametrize(
    ("target", "met", "words"),
    [
        (None, None, ""),
        (Target("ratio", 2.5), True, "≤ 2.5×: met"),
        (Target("ratio", 2.49), False, "≤ 2.49×: NOT met"),
        (Target("ours", 5.0), True, "≤ 5 µs an act: met"),
        (Target("ours", 4.9), False, "≤ 4.9 µs an act: NOT met"),
    ],
)
def test_a_target_is_met_or_not(target, met, words):
    assert row(target).met is met
    assert verdict(row(target)) == words


def test_a_row_in_words():
    assert cells(row(Target("ratio", 2.2))) == [
        "repeated RPS, 2 µs policies", "5.00 µs an act", "bare loop", "2.00 µs an act", "2.50×", "2.00 – 3.00",
        "≤ 2.2×: NOT met",
    ]  # fmt: skip
    unknown = unknown_row(Label("memory", "bare", "MB"))
    assert cells(unknown) == ["memory", "n/a", "bare", "n/a", "n/a", "", ""]


def test_markdown_has_one_line_a_workload_and_one_for_each_other_figure():
    rows = [row(Target("ratio", 2.2)), Row(**{**vars(row()), "against": "no lockstep"}), unknown_row(
        Label("memory", "bare", "MB"))]
    text = markdown(rows, "A machine.")
    assert "| repeated RPS, 2 µs policies | **2.50× (2.00 – 3.00)**, ≤ 2.2×: NOT met | n/a | 2.50× (2.00" in text
    assert f"| {' | '.join(HEADERS)} |" in text
    assert text.startswith("A machine.\n\n| ours against | bare loop | OpenSpiel loop | no lockstep |")
    widths = {line.count("|") for line in text.splitlines()[2:5]}
    assert len(widths) == 1
