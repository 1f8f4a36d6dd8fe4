"""Each command does its work, and its JSON has the form that DESIGN fixes."""

import json

import numpy as np
import pytest

from csro_core.cli.documents import run_document, run_text
from csro_core.estimates import Estimate
from csro_core.games.base import GameSpec
from csro_core.policies.library import reference_text
from csro_core.policies.source import sha256
from csro_core.store import default_path, open_store
from csro_core.store.records import IterationRecord, Member, RunSettings, SolutionRecord
from tests.store.conftest import true_policy


def test_games(csro):
    games = csro("games", "--json").json
    assert {"matrix", "repeated_rps"} <= {game["name"] for game in games}
    for game in games:
        assert {"name", "players", "unit", "symmetric", "zero_sum"} <= game.keys()
    assert "net throws per 1,000-throw match" in csro("games").out


@pytest.mark.parametrize("solver", ["nash", "max-entropy-nash", "uniform"])
def test_solve_rps(csro, tmp_path, solver):
    path = tmp_path / "rps.csv"
    path.write_text("0,-1,1\n1,0,-1\n-1,1,0\n")
    answer = csro("solve", path, "--meta-solver", solver, "--json").json
    assert np.allclose(answer["sigma"], 1 / 3, atol=1e-4)
    assert answer["value"] == pytest.approx(0, abs=1e-4)
    assert answer["nash_conv"] == pytest.approx(0, abs=1e-3)


def test_solve_for_people_and_with_a_column_matrix(csro, tmp_path):
    row, column = tmp_path / "row.csv", tmp_path / "column.csv"
    row.write_text("3,0\n5,1\n")  # the prisoner's dilemma: uniform is worth (3 + 0 + 5 + 1) / 4
    column.write_text("3,5\n0,1\n")
    answer = csro("solve", row, "--column", column, "--meta-solver", "uniform", "--json").json
    assert answer["value"] == 2.25
    assert answer["nash_conv"] == 1.5  # each player gains 0.75 by defecting: (5 + 1) / 2 - 2.25
    assert "NashConv 1.5" in csro("solve", row, "--column", column, "--meta-solver", "uniform").out


GOOD = "class Policy:\n    def act(self, obs):\n        return 0\n"


def test_check_a_good_policy(csro, tmp_path):
    path = tmp_path / "good.py"
    path.write_text(GOOD)
    answer = csro("check", path, "--json")
    assert (answer.code, answer.err) == (0, "")
    assert answer.json["isolation"] in {"full", "reduced"}
    expected = {"ok": True, "hash": sha256(GOOD), "problems": [], "isolation": "", "lines": 3}
    assert {**answer.json, "isolation": ""} == expected
    assert "ok" in csro("check", path, "--game", "matrix").out


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"class Policy:\n    def act(self, obs)\n        return 0\n", 2),
        (b"import os\n" + GOOD.encode(), 1),
        (GOOD.replace("return 0", "return 7").encode(), 2),
        (bytes(range(128, 256)) * 10, 0),
        (b"# " + b"x" * 1_000_000, 0),
    ],
    ids=["syntax", "import", "illegal action", "random bytes", "too large"],
)
def test_check_a_bad_policy(csro, tmp_path, text, line):
    path = tmp_path / "bad.py"
    path.write_bytes(text)
    answer = csro("check", path, "--json")
    assert answer.code == 1
    assert answer.json.keys() >= {"ok", "hash", "problems", "isolation"}
    assert answer.json["ok"] is False
    (problem,) = answer.json["problems"]
    assert problem.keys() == {"line", "message"}
    assert problem["line"] == line  # of an illegal action: where act is defined
    assert problem["message"]
    people = csro("check", path)
    assert people.code == 1
    assert problem["message"].removeprefix(f"line {line}: ") in people.out


def test_play(csro, tmp_path):
    log = tmp_path / "log.jsonl"
    arguments = ("play", "reference:rock", "reference:rotate", "--game", "repeated_rps(num_throws=30)")
    answer = csro(*arguments, "--episodes", 4, "--seed", 3, "--log", log, "--json")
    assert (answer.code, answer.err) == (0, "")
    document = answer.json
    assert document.keys() == {"game", "unit", "episodes", "seed", "mean", "stderr", "failures", "deterministic",
                               "seconds"}  # fmt: skip
    assert document["episodes"] == 4
    assert document["mean"][0] == -document["mean"][1]
    assert document["failures"] == []
    episodes = [json.loads(line) for line in log.read_text().splitlines()]
    assert [episode["seats"] for episode in episodes] == [[0, 1], [1, 0], [0, 1], [1, 0]]
    assert all(len(move) == 2 for episode in episodes for move in episode["moves"])
    assert "net throws" in csro(*arguments).out


def test_play_a_policy_that_fails(csro, tmp_path):
    path = tmp_path / "seven.py"
    path.write_text(GOOD.replace("return 0", "return 7"))
    answer = csro("play", path, "reference:rock", "--game", "repeated_rps(num_throws=30)", "--json")
    assert answer.code == 1
    failure = answer.json["failures"][0]
    assert failure.keys() == {"player", "episode", "step", "status", "line", "message"}
    assert (failure["player"], failure["status"]) == (0, "illegal-action")
    path.write_bytes(b"\xff\xfe")
    csro("play", path, "reference:rock", "--game", "repeated_rps").refused("UTF-8", code=1)


def test_play_a_log_that_cannot_be_written(csro, tmp_path):
    csro("play", "reference:rock", "reference:rock", "--game", "repeated_rps", "--log", tmp_path / "no" / "x").refused(
        "--log must name a file that can be written"
    )


def test_play_on_a_matrix_of_the_user(csro, tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("1,2\n")
    answer = csro("play", "reference:first_action", "reference:first_action", "--game", f"matrix:{path}", "--json")
    assert answer.code == 0
    assert answer.json["game"].startswith("matrix-")


@pytest.fixture
def filled(csro):
    """A run with one iteration in the default store."""
    store = open_store(default_path())
    run = store.create_run("demo", RunSettings(GameSpec("matrix")), 2)
    lease = store.acquire(run, "test")
    for index, name in enumerate(("rock", "rotate")):
        text = reference_text(name)
        policy = true_policy(text)
        lease.add_member(Member(0, index, policy, name, "seed" if index == 0 else "oracle", "", index))
    extra = {"champion": {"name": "rock"}}
    lease.add_solution(SolutionRecord(0, 0, "iteration", (1,), ((1.0,),), 0.0, 0.0, 0.0, extra=extra))
    lease.commit_iteration(
        IterationRecord(
            1, 0, 0, ((1.0,),), (1.0,), Estimate(2.0, float("nan"), 1), None, "improves", "it gains", "", 3, 1.25
        )
    )
    lease.release("done")
    store.close()
    return run


def test_runs_and_show(csro, filled):
    (listed,) = csro("runs", "--json").json
    assert (listed["run"], listed["name"], listed["status"], listed["game"]) == (filled, "demo", "done", "matrix")
    for wanted in (filled, filled[:4], "demo"):
        document = csro("show", wanted, "--json").json
        assert document["run"] == filled
    assert {"run", "name", "status", "champion", "iterations", "policies"} <= document.keys()
    assert document["champion"] == {"name": "rock"}
    assert document["iterations"] == [
        {
            "iteration": 1, "player": 0, "sigma": [[1.0]], "gain": 2.0, "gain_stderr": None, "lift": None,
            "verdict": "improves", "attempts": 3, "episodes": None, "seconds": 1.25,
        }
    ]  # fmt: skip
    assert [set(policy) for policy in document["policies"]] == [{"index", "player", "hash", "origin", "name"}] * 2
    people = csro("show", "demo").out
    assert "rotate" in people
    assert "improves" in people
    assert "demo" in csro("runs").out


def test_an_empty_store_lists_nothing(csro):
    assert csro("runs", "--json").json == []
    assert "no runs yet" in csro("runs").out


def test_documents_of_a_new_run(csro):
    store = open_store(default_path())
    run = store.create_run("", RunSettings(GameSpec("matrix")), 2)
    document = run_document(store, run)
    assert (document["champion"], document["iterations"], document["policies"]) == (None, [], [])
    assert run in run_text(store, run)
    store.close()


def test_policies_of_the_store_play(csro, filled):
    digest = sha256(reference_text("rock"))
    answer = csro("play", f"policy:{digest[:8]}", "reference:rock", "--game", "repeated_rps(num_throws=30)", "--json")
    assert answer.code == 0
    csro("play", "policy:00000000", "reference:rock", "--game", "repeated_rps").refused("hash in the store")


def test_export_and_import(csro, filled, tmp_path):
    path = tmp_path / "demo.zip"
    assert csro("export", "demo", path, "--json").json == {"run": filled, "file": str(path)}
    answer = csro("import", path, "--json").json
    assert answer["name"] == "demo (2)"
    before, after = csro("show", filled, "--json").json, csro("show", answer["run"], "--json").json
    for key in ("champion", "iterations", "policies", "status"):
        assert before[key] == after[key]
    other = tmp_path / "other.sqlite"
    assert csro("import", path, "--store", other, "--json").json["name"] == "demo"
    assert "demo" in csro("runs", "--store", other).out
