import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("pyspiel")

from csro_core.cli import reproduce
from csro_core.cli.files import write_whole
from csro_core.cli.reproduction_report import Row, report, rows_from_csv, rows_to_csv, summaries
from csro_core.cli.run import PRESETS
from csro_core.errors import UsageError
from csro_core.evaluation.benchmark import INFORMED_NOTE, TUNED_NOTE, benchmark_named
from csro_core.games.base import GameSpec

SMALL = ("--iterations", 1, "--candidates", 1, "--oracle", "zero-shot")


def row(seed, agg_score, entrant="mixture", model="synthesiser"):
    return Row(
        oracle="zero-shot", model=model, preset="psro", seed=str(seed), entrant=entrant, run="ab12", iterations=8,
        episodes=20, pop_return=agg_score + 10.0, pop_return_stderr=1.0, pop_expl=10.0, pop_expl_stderr=2.0,
        pop_expl_split=9.0, agg_score=agg_score, agg_score_stderr=2.5, agg_score_split=agg_score + 1.0,
        nemesis="greenberg", left_out=0.0, failures=0, seconds=3.25,
    )  # fmt: skip


def test_evaluate_leduc(csro):
    csro("runs")  # makes the store
    document = csro("evaluate", "reference:always_raise", "--benchmark", "leduc", "--episodes", 4, "--json").json
    assert [one["opponent"] for one in document["per_opponent"]] == ["CFR+", "AlwaysCall", "AlwaysFold"]
    assert document["per_opponent"][2]["mean"] == 100.0
    assert document["unit"] == "chips per 100 hands"
    assert document["note"] == ""
    csro("evaluate", "reference:rock", "--benchmark", "leduc", "--episodes", 3).refused("even number of episodes")
    csro("evaluate", "bot:greenberg", "--benchmark", "leduc").refused("--benchmark rrps")
    csro("evaluate", "reference:rock", "--benchmark", "leduc", "--champion").refused("--champion is for a run")


def test_a_policy_of_the_synthesiser_carries_its_note_and_a_tuned_one_another(csro):
    few = ("--initial", "reference:always_call", "--episodes", 2)
    run = csro("run", "--game", "repeated_leduc", *SMALL, *few, "--admit", "always", "--json").json
    written = next(policy["hash"] for policy in run["policies"] if policy["origin"] == "oracle")
    few = ("--benchmark", "leduc", "--episodes", 2)
    assert csro("evaluate", f"policy:{written}", *few, "--json").json["note"] == INFORMED_NOTE
    seed = next(policy["hash"] for policy in run["policies"] if policy["origin"] == "seed")
    assert csro("evaluate", f"policy:{seed}", *few, "--json").json["note"] == ""
    tuned = csro("evaluate", "reference:leduc_adaptive", *few)
    assert TUNED_NOTE in tuned.out
    assert INFORMED_NOTE not in tuned.out


def test_the_mixture_after_every_iteration(csro):
    run = csro(
        "run", "--game", "repeated_leduc", "--iterations", 2, "--candidates", 1, "--oracle", "zero-shot", "--admit",
        "always", "--initial", "reference:always_call", "--episodes", 2, "--json",
    ).json["run"]  # fmt: skip
    few = ("--benchmark", "leduc", "--episodes", 2)
    course = csro("evaluate", run, *few, "--each-iteration", "--json").json
    assert [one["iteration"] for one in course["iterations"]] == [0, 1, 2]
    last = csro("evaluate", run, *few, "--json").json
    assert course["iterations"][-1]["per_opponent"] == last["per_opponent"]
    assert course["note"] == last["note"] == INFORMED_NOTE
    csro("evaluate", run, *few, "--each-iteration", "--champion").refused("leave out --champion")
    csro("evaluate", "reference:always_call", *few, "--each-iteration").refused("--each-iteration is for a run")


def test_evaluate_a_solver(csro):
    csro("runs")
    document = csro("evaluate", "cfr:20", "--benchmark", "leduc", "--episodes", 2, "--json").json
    assert document["episodes"] == 2


def test_a_bot_plays(csro, tmp_path):
    game = ("--game", "repeated_rps", "--episodes", 2)
    first = csro("play", "bot:rockbot", "reference:rock", *game, "--json").json
    assert first["mean"] == [0.0, 0.0]
    log = tmp_path / "log.jsonl"
    assert csro("play", "bot:rockbot", "bot:copybot", *game, "--log", log, "--json").json["mean"][0] < -990
    record = json.loads(log.read_text().splitlines()[0])
    assert {mine for mine, _ in record["moves"]} == {0}
    assert len(record["moves"]) == 1000
    again = csro("play", "bot:randbot", "bot:randbot", *game, "--json").json
    assert len(again["seed"]) == 26
    same = csro("play", "bot:randbot", "bot:randbot", *game, "--seed", again["seed"], "--json").json
    assert again["mean"] == same["mean"]
    assert again["mean"][0] != 0  # two bots have two streams
    csro("play", "bot:nobody", "reference:rock", *game).refused("unknown bots nobody")
    csro("play", "bot:rockbot", "reference:rock", "--game", "repeated_rps(num_throws=9)").refused("1,000 throws")
    csro("play", "bot:rockbot", "reference:rock", *game, "--cluster", "tcp://127.0.0.1:1").refused("this machine only")
    run = csro("run", "--game", "matrix", "--iterations", 0, "--json").json["run"]
    csro("add", run, "bot:rockbot").refused("takes part in")


def test_rows_survive_csv_and_the_note_stands_beside_the_synthesisers():
    rows = [row(0, 200.0), row(1, 220.0), row(0, 5.5, model="gemini:x")]
    text = rows_to_csv(rows, INFORMED_NOTE)
    assert rows_from_csv(text) == rows
    assert text.count(INFORMED_NOTE) == 2
    with pytest.raises(ValueError, match="the columns must be"):
        rows_from_csv("a,b\n1,2\n")


def test_summaries_have_students_interval():
    (found,) = summaries([row(0, 200.0), row(1, 220.0), row(2, 240.0)])
    assert (found.seeds, found.agg_score, found.agg_score_min) == (3, 220.0, 200.0)
    # t(0.975, 2) = 4.302653; standard error 20 / sqrt(3).
    assert found.agg_score_half_width == pytest.approx(4.302653 * 20 / 3**0.5, rel=1e-5)


def test_the_report_has_both_tables_and_says_what_is_missing():
    text = report(benchmark_named("rrps"), [row(0, 200.0), row(1, 220.0)], [("seed", "0")], 3)
    assert "3 runs are still to come" in text
    assert "| PopRL | 258.0 | 11.0 | 247.0 | arXiv 2303.03196 |" in text
    assert "forum summary (secondary)" in text
    assert INFORMED_NOTE in text
    assert INFORMED_NOTE not in report(benchmark_named("rrps"), [row(0, 2.0, model="gemini:x")], [("seed", "0")], 0)


def test_reproduce_goes_on_where_it_was(csro, tmp_path, monkeypatch):
    # Runs of three hands, so that the test is quick; the scores have a hundred.
    short = replace(benchmark_named("leduc"), game=GameSpec("repeated_leduc", {"num_hands": 3}))
    monkeypatch.setattr(reproduce, "benchmark_named", lambda name: short)
    monkeypatch.setattr(reproduce, "PRESETS", {"robust": PRESETS["robust"]})
    out = tmp_path / "out"
    one = csro("reproduce", "leduc", *SMALL, "--seeds", 1, "--episodes", 2, "--out", out, "--json")
    assert one.code == 0, one.err
    names = [(found["preset"], found["entrant"]) for found in one.json["rows"]]
    assert names[:2] == [("", "CFR+ (10,000 iterations)"), ("", "AlwaysRaise")]
    assert names[2:] == [("robust", "mixture"), ("robust", "champion")]
    assert "AlphaEvolve" in (out / "report.md").read_text()
    written = (out / "report.csv").read_text()
    again = csro("reproduce", "leduc", *SMALL, "--seeds", 1, "--episodes", 2, "--out", out, "--json").json
    assert again["rows"] == one.json["rows"]
    assert (out / "report.csv").read_text() == written
    (out / "report.csv").write_text("mine\n")
    csro("reproduce", "leduc", *SMALL, "--out", out).refused("choose another --out")


def test_reproduce_says_that_it_cannot_write_before_it_works(csro, tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("mine")
    csro("reproduce", "rrps", *SMALL, "--seeds", 1, "--out", taken).refused("is a file")
    csro("reproduce", "rrps", *SMALL, "--seeds", 1, "--out", taken / "below").refused("that can be written")
    assert csro("runs", "--json").json == []


def test_a_report_that_cannot_be_finished_leaves_the_one_of_before(tmp_path, monkeypatch):
    path = tmp_path / "report.csv"
    write_whole(path, "before", "the report")

    def full(self, text, encoding):
        with self.open("w", encoding=encoding) as file:
            file.write(text[:2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(UsageError, match="No space left on device"):
        write_whole(path, "after", "the report")
    assert [one.name for one in tmp_path.iterdir()] == ["report.csv"]
    assert path.read_text() == "before"


def test_an_oracle_named_twice_is_run_once():
    assert reproduce._oracles("zero-shot, zero-shot,best-of-n") == ["zero-shot", "best-of-n"]


def test_reproduce_does_not_take_another_run_for_one_of_its_own(csro, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    csro("run", "--game", "matrix", "--iterations", 1, "--candidates", 1, "--name", "psro-zero-shot-seed-0")
    csro("reproduce", "rrps", *SMALL, "--seeds", 1).refused("must be one of `reproduce`")
    csro("reproduce", "rrps", "--oracle", "wishing").refused("the oracle must be one of")
    assert not (tmp_path / "reproduce-rrps").exists()
