"""`compare-oracles` on a one-step game, where a whole comparison takes seconds."""

import pytest

from csro_core.cli.compare_oracles import Budget

COMMON = ("compare-oracles", "--game", "matrix(preset=biased_rps)", "--calls", "4", "--candidates", "2", "--play", "4")


@pytest.mark.parametrize(
    ("calls", "episodes", "held"), [(4, None, True), (5, None, False), (99, 10, True), (1, 11, False)]
)
def test_a_budget_counts_calls_or_else_episodes(calls, episodes, held):
    budget = Budget(4, None) if episodes is None else Budget(4, 10)
    assert budget.holds(calls, episodes or 0) == held


def test_runs_are_cut_at_equal_calls_and_at_equal_episodes_and_a_second_time_nothing_is_run(csro):
    first = csro(*COMMON, "--oracles", "best-of-n,zero-shot", "--seeds", "2", "--json")
    assert first.code == 0, first.err
    rows = first.json["rows"]
    assert [(row["seed"], row["cut"], row["oracle"]) for row in rows] == [
        (seed, cut, oracle)
        for seed in ("1000", "1001") for cut in ("calls", "episodes") for oracle in ("best-of-n", "zero-shot")
    ]  # fmt: skip
    assert {row["calls"] for row in rows if row["cut"] == "calls"} == {4}
    for row in rows:
        base = next(r for r in rows if (r["seed"], r["cut"], r["oracle"]) == (row["seed"], "calls", "best-of-n"))
        assert row["cut"] == "calls" or row["episodes"] <= base["episodes"]
    assert all(row["versus_baseline"] == 0.0 for row in rows if row["oracle"] == "best-of-n")
    summary = first.json["summary"]
    assert [(one["cut"], one["oracle"], one["seeds"]) for one in summary] == [
        (cut, oracle, 2) for cut in ("calls", "episodes") for oracle in ("best-of-n", "zero-shot")
    ]
    runs = csro("runs", "--json").json
    again = csro(*COMMON, "--oracles", "best-of-n,zero-shot", "--seeds", "2", "--json")
    assert again.json == first.json
    assert csro("runs", "--json").json == runs


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--oracles", "zero-shot"), "--oracles takes best-of-n and any of"),
        (("--oracles", "best-of-n,simulated-annealing"), "--oracles takes best-of-n and any of"),
        (("--calls", "1"), "--calls must be at least --candidates, got 1 and 2"),
        (("--game", "matrix(preset=matching_pennies)"), "symmetric zero-sum game"),
    ],
)
def test_what_cannot_be_compared_is_one_line(csro, more, words):
    csro(*COMMON, *more).refused(words)


def test_another_comparison_in_the_same_store_is_told_apart(csro):
    assert csro(*COMMON, "--oracles", "best-of-n", "--seeds", "1", "--json").code == 0
    other = ("--oracles", "best-of-n", "--seeds", "1", "--preset", "psro", "--json")
    assert csro(*COMMON, *other).code == 0
    assert len(csro("runs", "--json").json) == 2
