"""run, resume, stop, add, show and evaluate: the documents that other programs read, and what is refused before."""

import json
import math

import pytest

from csro_core.store import open_store
from csro_core.store.labels import RunLabels

GAME = ("--game", "repeated_rps(num_throws=60)", "--initial", "reference:rock,reference:beat_last", "--episodes", "4")
RUN_KEYS = {"run", "status", "champion", "iterations", "policies"}
ITERATION_KEYS = {"iteration", "player", "sigma", "gain", "gain_stderr", "lift", "verdict", "attempts", "seconds"}
POLICY_KEYS = {"index", "player", "hash", "origin", "name"}
PAPER = "class Policy:\n    def act(self, obs):\n        return 1\n"
LATE = "class Policy:\n    def act(self, obs):\n        return 0 if obs['throw'] < 310 else 7\n"


def timeless(document):
    """A run's document without ids and times."""
    iterations = [{**iteration, "seconds": 0} for iteration in document["iterations"]]
    return {**document, "run": "", "name": "", "iterations": iterations}


def test_run_prints_the_document_and_the_same_one_for_the_same_seed(csro, tmp_path):
    asked = ("--seed", 7, "--iterations", 1, "--candidates", 1)
    first = csro("run", *GAME, *asked, "--json")
    assert first.code == 0
    document = first.json
    assert document.keys() >= RUN_KEYS
    assert document["status"] == "done"
    assert [iteration["iteration"] for iteration in document["iterations"]] == [1]
    assert all(iteration.keys() >= ITERATION_KEYS for iteration in document["iterations"])
    assert all(math.isclose(sum(shares), 1.0) for one in document["iterations"] for shares in one["sigma"])
    assert document["iterations"][0]["verdict"] == "improves"
    assert document["iterations"][0]["gain"] > 30
    assert document["iterations"][0]["lift"] is None  # plain PSRO
    assert all(policy.keys() >= POLICY_KEYS for policy in document["policies"])
    assert [policy["name"] for policy in document["policies"]][:3] == ["rock", "beat_last", "r1"]
    assert [policy["origin"] for policy in document["policies"]][:3] == ["seed", "seed", "oracle"]
    assert "iteration 1: improves" in first.err  # also the last one is reported
    other = ("--store", tmp_path / "other.sqlite")
    again = csro("run", *GAME, *asked, "--json", *other)
    assert timeless(again.json) == timeless(document)
    assert csro("show", document["run"], "--json").json == document
    assert csro("resume", document["run"], "--iterations", 0, "--json").json == document  # there is nothing to do


def test_resume_goes_on_and_the_preset_has_a_lift(csro):
    robust = ("--preset", "robust", "--candidates", 1, "--name", "odd ☃ name")
    made = csro("run", *GAME, "--iterations", 0, *robust, "--json")
    assert (made.code, made.json["status"], made.json["iterations"]) == (0, "done", [])
    resumed = csro("resume", "odd ☃ name", "--iterations", 1, "--json").json
    assert resumed["run"] == made.json["run"]
    assert len(resumed["iterations"]) == 1
    assert resumed["iterations"][0]["lift"] is not None
    tables = csro("show", "odd ☃ name").out
    assert "odd ☃ name" in tables
    assert csro("stop", "odd ☃ name", "--json").json["status"] == "done"  # nobody works on it


def test_add_prints_payoffs_and_the_new_sigma(csro, tmp_path):
    run = csro("run", *GAME, "--iterations", 0, "--json").json["run"]
    paper = tmp_path / "paper.py"
    paper.write_text(PAPER)
    answer = csro("add", run, paper, "--name", "paper", "--json")
    assert (answer.code, answer.err) == (0, "")
    document = answer.json
    assert document.keys() >= {"index", "hash", "payoffs", "versus_sigma", "sigma_if_added"}
    assert document["index"] == 2
    assert all(payoff.keys() >= {"opponent", "mean", "stderr", "episodes"} for payoff in document["payoffs"])
    assert {payoff["opponent"]: payoff["mean"] for payoff in document["payoffs"]}["rock"] == 60.0
    assert document["versus_sigma"].keys() >= {"mean", "stderr"}
    assert [len(shares) for shares in document["sigma_if_added"]] == [3]
    assert "paper" in csro("show", run).out
    csro("add", run, paper, "--player", 1).refused("one population serves both seats")
    csro("add", run, paper, "--name", "two\nlines").refused("printable characters")
    csro("add", run, tmp_path / "none.py").refused("there is no such file")
    paper.write_text("import os\n" + PAPER)
    csro("add", run, paper).refused("line 1:", code=1)


def test_add_to_a_population_with_a_member_that_forfeits_every_match(csro, tmp_path):
    long = ("--game", "repeated_rps(num_throws=320)", "--initial", "reference:rock", "--episodes", 2)
    run = csro("run", *long, "--iterations", 0, "--json").json["run"]
    late = tmp_path / "late.py"
    late.write_text(LATE)
    assert csro("add", run, late).code == 0
    answer = csro("add", run, "reference:rotate")
    assert answer.code == 0
    assert [line.split()[1:] for line in answer.out.splitlines() if line.startswith("edit ")] == [["-", "-", "0"]]


def test_players_of_an_asymmetric_game_have_their_own_population(csro):
    game = ("--game", "matrix(preset=matching_pennies)", "--episodes", 4)
    document = csro("run", *game, "--iterations", 2, "--meta-solver", "nash", "--json").json
    assert [iteration["player"] for iteration in document["iterations"]] == [0, 1]
    assert {policy["player"] for policy in document["policies"]} == {0, 1}
    added = csro("add", document["run"], "reference:pure_1", "--player", 1, "--json")
    assert added.code == 0
    assert len(added.json["sigma_if_added"]) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--initial", "policy:abcd"), "policy must be a hash in the store"),
        (("--initial", "reference:nobody"), "unknown reference policy 'nobody'"),
        (("--initial", " , ,"), "--initial must name policies"),
        (("--episodes", "3"), "--episodes must be even"),
        (("--name", "a\nb"), "printable characters"),
        (("--game", "chezz"), "unknown game"),
    ],
)
def test_what_cannot_be_run_leaves_no_run_behind(csro, arguments, words):
    csro("run", "--iterations", 1, *arguments).refused(words)
    assert csro("runs", "--json").json == []


def test_isolation_that_cannot_be_leaves_no_run_behind(csro, monkeypatch):
    monkeypatch.setenv("CSRO_ISOLATION", "nonsense")
    csro("run", "--game", "matrix").refused("CSRO_ISOLATION must be")
    assert csro("runs", "--json").json == []


def test_a_left_behind_request_to_run_is_not_served_by_add(csro, tmp_path):
    run = csro("run", *GAME, "--iterations", 0, "--json").json["run"]
    store = open_store(tmp_path / "store" / "csro.sqlite")
    request = store.add_request(run, "run", {"iterations": 50})
    assert csro("add", run, "reference:rotate", "--json").code == 0
    assert store.request(request).state == "waiting"
    assert store.run(run).iteration == 0
    store.close()


def test_check_names_the_line_and_the_step_once(csro, tmp_path):
    path = tmp_path / "seven.py"
    path.write_text(PAPER.replace("return 1", "return 7"))
    (problem,) = csro("check", path, "--json").json["problems"]
    assert problem["line"] == 2
    assert "line 2" not in problem["message"]
    assert problem["message"].count("step 0") == 1


def test_evaluate_prints_the_scores(csro, tmp_path):
    pytest.importorskip("pyspiel")
    csro("runs")  # makes the store
    answer = csro("evaluate", "reference:rock", "--episodes", 2, "--json")
    assert answer.code == 0
    document = answer.json
    keys = {"pop_return", "pop_return_stderr", "pop_expl", "agg_score", "nemesis", "episodes", "per_opponent"}
    assert document.keys() >= keys
    assert document["episodes"] == 2
    assert len(document["per_opponent"]) == 43
    assert math.isclose(document["agg_score"], document["pop_return"] - document["pop_expl"])
    assert document["failures"] == []
    one = csro("evaluate", "reference:rock", "--episodes", 1, "--json").json
    assert {row["stderr"] for row in one["per_opponent"]} == {None}  # a single episode says nothing of its error
    broken = tmp_path / "broken.py"
    broken.write_text("x = 1\n")
    csro("evaluate", broken, "--episodes", 1).refused("must pass the check", code=1)
    broken.write_text("class Policy:\n    def act(self, obs):\n        return 7\n")
    assert "illegal-action" in json.dumps(csro("evaluate", broken, "--episodes", 1, "--json").json["failures"])


def test_evaluate_needs_a_run_of_the_benchmarks_game(csro):
    run = csro("run", *GAME, "--iterations", 0, "--json").json["run"]
    csro("evaluate", run).refused("needs a run of repeated rock-paper-scissors (1,000 throws)")


def test_runs_are_found_by_words_and_tags_and_archived_ones_on_request(csro, tmp_path):
    made = csro("run", *GAME, "--iterations", 0, "--name", "first", "--json").json["run"]
    csro("run", *GAME, "--iterations", 0, "--name", "second", "--json")
    rows = csro("runs", "--json").json
    assert {row["name"] for row in rows} == {"first", "second"}
    assert (rows[0]["tags"], rows[0]["note"], rows[0]["archived"]) == ([], "", False)
    assert [row["name"] for row in csro("runs", "--search", "FIRST linear", "--json").json] == ["first"]
    assert csro("runs", "--tag", "none", "--json").json == []
    assert "none of 2 runs is like that" in csro("runs", "--search", made, "--tag", "none").out
    store = open_store(tmp_path / "store" / "csro.sqlite", create=False)
    labels = RunLabels(store.connections)
    labels.set_tags(made, ["none"])
    labels.archive(made)
    store.close()
    assert [row["name"] for row in csro("runs", "--json").json] == ["second"]
    assert [row["run"] for row in csro("runs", "--all", "--tag", "none", "--json").json] == [made]
    assert "done (archived)" in csro("runs", "--all").out
