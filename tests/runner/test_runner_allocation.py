"""Adaptive allocation in a run: where the episodes go, when it stops, and the same rows after a crash in a round."""

import os
import signal
import threading
import time

import numpy as np
import orjson
import pytest
from running import SHORT_RPS, new_run, rows, run_here, settings, start_command

from csro_core.csro import DEEPEST
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.local_pool import LocalPool
from csro_core.metagame.population import Entry
from csro_core.metagame.rounds import ROUNDS, plan_from_document
from csro_core.metagame.sampling import Meeting, deepen_each
from csro_core.runner.session import Session
from csro_core.runner.solutions import played_beyond
from csro_core.runner.watch import Watch
from csro_core.seeds import run_secret
from csro_core.store import open_store

NOISY = ("reference:biased", "reference:sticky", "reference:uniform", "reference:rock")
MADE = settings(SHORT_RPS, attempts=1, initial=NOISY, allocation="adaptive", payoff_stderr=1.0)


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    store, run = new_run(tmp_path_factory.mktemp("unbroken") / "s.sqlite", MADE)
    run_here(store, run, 2)
    return store, run


def sides_of(store, run, solution):
    members = store.members(run)[: solution.sizes[0]]
    return [Entry(m.policy.hash, m.policy.tree_hash, m.policy.source, m.name) for m in members]


def test_every_round_is_planned_in_the_solution_before_it(unbroken):
    store, run = unbroken
    solutions = store.solutions(run)
    assert "episodes" in [solution.cause for solution in solutions]
    for before, after in zip(solutions, solutions[1:], strict=False):
        planned = "allocation" in before.extra or "deepen" in before.extra
        assert (after.cause == "episodes") == planned
        if "allocation" in before.extra:
            plan = plan_from_document(before.extra["allocation"], before.sizes, DEEPEST * MADE.episodes)
            assert after.extra["played"] == plan.episodes
            assert after.sizes == before.sizes
    assert "allocation" not in solutions[-1].extra


def test_it_stops_at_the_wanted_error_or_at_the_most_a_cell_may_have(unbroken):
    store, run = unbroken
    last = store.solutions(run)[-1]
    sigma = np.array(last.sigma[0])
    entries = sides_of(store, run, last)
    cells = {frozenset((cell.row, cell.column)): cell for cell in store.cells(run).all()}
    for one in entries:
        square, exhausted = 0.0, False
        for share, other in zip(sigma, entries, strict=True):
            if one is other:
                continue
            cell = cells[frozenset((one.tree_hash, other.tree_hash))]
            square += share**2 * cell.returns[:, 0].var(ddof=1) / cell.episodes
            exhausted |= cell.episodes == DEEPEST * MADE.episodes
        # 3.2 times the wanted error is allowed far behind; the prior of the spreads blurs a little.
        assert exhausted or np.sqrt(square) <= 3.2 * MADE.payoff_stderr * 1.2


def test_a_payoff_without_luck_is_never_played_further(unbroken):
    store, run = unbroken
    lengths = {cell.episodes for cell in store.cells(run).all() if cell.returns[:, 0].std() == 0}
    assert lengths <= {MADE.episodes}
    assert max(cell.episodes for cell in store.cells(run).all()) > MADE.episodes


def test_the_further_episodes_are_counted_in_the_next_iteration(unbroken):
    store, run = unbroken
    first, second = store.iterations(run)
    assert played_beyond(store.solutions(run), 0) > 0
    assert first.episodes > played_beyond(store.solutions(run), 0)
    assert second.episodes > played_beyond(store.solutions(run), 1)


def test_the_same_rows_in_one_go_and_one_by_one(tmp_path, unbroken):
    store, run = new_run(tmp_path / "s.sqlite", MADE)
    for target in (1, 2):
        run_here(store, run, target)
    whole, other = unbroken
    assert rows(store, run) == rows(whole, other)


def test_the_same_rows_after_a_process_died_in_the_middle_of_a_round(tmp_path, unbroken):
    path = tmp_path / "s.sqlite"
    store, run = new_run(path, MADE)
    # The process that dies has opened the run, written the plan of the first round, and played half of it.
    lease = store.acquire(run, "a process that dies")
    pool = LocalPool(make_game)
    try:
        interrupt_after_opening(store, lease, pool)
        first = store.solutions(run)[0]
        plan = plan_from_document(first.extra["allocation"], first.sizes, DEEPEST * MADE.episodes)
        assert len(plan.cells) > 1
        entries = sides_of(store, run, first)
        meeting = Meeting(make_game(SHORT_RPS), pool, lease.cells, run_secret(MADE.seed))
        half = plan.cells[: len(plan.cells) // 2]
        assert deepen_each(meeting, [(entries[c.row], entries[c.column], c.after) for c in half]) == len(half)
    finally:
        pool.close()
        lease.release("interrupted", "")
    run_here(store, run, 2)
    whole, other = unbroken
    assert rows(store, run) == rows(whole, other)


def interrupt_after_opening(store, lease, pool):
    Session(store, lease, pool, Watch(store, lease, lease.run, threading.Event(), 1.0)).open()


def test_the_same_rows_after_kill_9_in_a_round(tmp_path):
    made = settings(
        GameSpec("repeated_rps", {"num_throws": 200}), attempts=1, initial=NOISY, allocation="adaptive",
        payoff_stderr=0.5,
    )  # fmt: skip
    whole, other = new_run(tmp_path / "whole.sqlite", made, 1)
    run_here(whole, other, 1)
    path = tmp_path / "s.sqlite"
    store, run = new_run(path, made, 1)
    process = start_command(path, "resume", run, "--iterations", "1")
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if any(cell.episodes > made.episodes for cell in store.cells(run).all()):
            break
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert store.run(run).iteration == 0
    later = open_store(path, clock=lambda: time.time() + 6)
    run_here(later, run, 1)
    assert rows(later, run) == rows(whole, other)


def test_without_a_wanted_error_each_iteration_has_one_round_for_the_price_of_a_row(tmp_path):
    made = settings(SHORT_RPS, attempts=1, initial=NOISY, allocation="adaptive")
    store, run = new_run(tmp_path / "s.sqlite", made)
    run_here(store, run, 1)
    solutions = store.solutions(run)
    assert [solution.cause for solution in solutions].count("episodes") >= 1
    for solution in solutions:
        assert solution.extra.get("allocation", {"round": 1})["round"] == 1
        assert solution.extra.get("played", 0) <= solution.sizes[0] * made.episodes or "deepen" in solution.extra


def test_rounds_between_two_iterations_are_limited(unbroken):
    store, run = unbroken
    for iteration in (0, 1, 2):
        causes = [one.cause for one in store.solutions(run) if one.iteration == iteration]
        assert causes.count("episodes") <= ROUNDS + 1


@pytest.mark.parametrize("plan", [{"round": 1, "cells": [[0, 1, 4, 4 * DEEPEST + 2]]}, {"round": 1}, 7])
def test_what_a_file_of_somebody_else_asks_for_is_not_played(tmp_path, plan):
    made = settings(SHORT_RPS, attempts=1, initial=NOISY, allocation="adaptive", payoff_stderr=1e6)
    store, run = new_run(tmp_path / "s.sqlite", made)
    run_here(store, run, 0)
    with store.connections.writing() as connection:
        connection.execute(
            "UPDATE solutions SET extra = json_set(extra, '$.allocation', json(?))", (orjson.dumps(plan).decode(),)
        )
    run_here(store, run, 1)
    assert {cell.episodes for cell in store.cells(run).all()} == {made.episodes}


def test_intervals_are_stored_with_every_solution(unbroken):
    store, run = unbroken
    for solution in store.solutions(run):
        found = solution.extra["bootstrap"]
        assert [len(population) for population in found["sigma"]] == list(solution.sizes)
        assert found["draws"] > 1
    first = store.solutions(run)[0]
    assert any(low < high for low, high in first.extra["bootstrap"]["sigma"][0])
