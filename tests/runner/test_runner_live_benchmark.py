"""A run that scores its mixture by a benchmark after every iteration: as `evaluate` does, and without changing rows."""

from dataclasses import replace

import pytest

pytest.importorskip("pyspiel")

from running import new_run, settings

from csro_core.cli.evaluate import entrant_of, scores
from csro_core.errors import UsageError
from csro_core.evaluation.benchmark import benchmark_named, checked_benchmark
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.local_pool import LocalPool
from csro_core.runner import Runner, live_benchmark

LEDUC = GameSpec("repeated_leduc")
SMALL = {
    "oracle": "zero-shot", "admit": "always", "attempts": 1, "episodes": 2, "initial": ("reference:always_call",),
}  # fmt: skip


def worked(path, pool, **changes):
    store, run = new_run(path, settings(LEDUC, **SMALL, **changes))
    Runner(store, run, pool).run_to(1)
    return store, run


def without(solution):
    return {name: value for name, value in solution.extra.items() if name != "benchmark"}


def test_sigma_is_scored_after_every_iteration_as_evaluate_does_and_nothing_else_changes(tmp_path, monkeypatch):
    benchmark = replace(benchmark_named("leduc"), episodes=4)
    monkeypatch.setattr(live_benchmark, "benchmark_named", lambda name: benchmark)
    pool = LocalPool(make_game)
    try:
        store, run = worked(tmp_path / "a.sqlite", pool, benchmark="leduc")
        plain, other = worked(tmp_path / "b.sqlite", pool)
        entrants, seed = [entrant_of(store, run, False, benchmark)], store.run(run).settings.seed
        (result,) = scores(benchmark, entrants, benchmark.episodes, seed, pool)
    finally:
        pool.close()
    solutions = store.solutions(run)
    assert [solution.iteration for solution in solutions] == [0, 1]
    last = solutions[-1].extra["benchmark"]
    assert last["benchmark"] == "leduc"
    assert last["episodes"] == benchmark.episodes
    assert last["agg_score"] == pytest.approx(result.agg_score.mean)
    assert last["agg_score_stderr"] == pytest.approx(result.agg_score.stderr)
    assert last["nemesis"] == result.nemesis
    assert solutions[0].extra["benchmark"] != last
    assert [without(solution) for solution in plain.solutions(other)] == [without(solution) for solution in solutions]
    assert [(row.gain, row.sigma) for row in plain.iterations(other)] == [
        (row.gain, row.sigma) for row in store.iterations(run)
    ]


def test_a_benchmark_is_for_its_game():
    assert checked_benchmark("leduc", make_game(LEDUC)) == "leduc"
    assert checked_benchmark("", make_game(LEDUC)) == ""
    with pytest.raises(UsageError, match="needs a run of repeated rock-paper-scissors"):
        checked_benchmark("rrps", make_game(LEDUC))
    with pytest.raises(UsageError, match="known benchmarks: rrps, leduc"):
        checked_benchmark("chess", make_game(LEDUC))
