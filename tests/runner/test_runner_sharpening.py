"""More episodes where sigma rests on noise: played before the next iteration, once, also after a crash."""

import pytest
from running import SHORT_RPS, new_run, rows, run_here, settings

from csro_core import csro
from csro_core.csro import DEEPEST
from csro_core.estimates import Estimate
from csro_core.evaluation.admission import Admission
from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool
from csro_core.metagame.population import Entry
from csro_core.metagame.sampling import Meeting, deepen
from csro_core.seeds import run_secret

MADE = settings(SHORT_RPS, attempts=1, initial=("reference:biased", "reference:sticky"))


@pytest.fixture(autouse=True)
def always_rivalled(monkeypatch):
    """Every finalist is kept out by a member that earns as much."""
    gain = Estimate(5.0, 1.0, 8)
    kept_out = Admission(gain, None, "rejected", "no more than a member does already", rivalled=True)
    monkeypatch.setattr(csro, "admit", lambda bench, populations, trial, always: kept_out)


def test_the_next_iteration_begins_with_a_sigma_that_is_known_better(tmp_path):
    store, run = new_run(tmp_path / "s.sqlite", MADE)
    run_here(store, run, 3)
    seen = [(one.iteration, one.cause, one.extra.get("deepen")) for one in store.solutions(run)]
    assert seen == [
        (0, "iteration", None), (1, "iteration", 8), (1, "episodes", None), (2, "iteration", 16), (2, "episodes", None),
        (3, "iteration", 32),
    ]  # fmt: skip
    assert [iteration.solution for iteration in store.iterations(run)] == [0, 2, 4]
    assert {cell.returns.shape[0] for cell in store.cells(run).all() if cell.row != cell.column} == {16}
    first, second, third = (iteration.episodes for iteration in store.iterations(run))
    assert first < second < third


def test_it_goes_on_alike_after_a_stop_between_iterations_and_after_a_crash_while_it_deepened(tmp_path):
    whole, run = new_run(tmp_path / "whole.sqlite", MADE)
    run_here(whole, run, 3)
    halves, other = new_run(tmp_path / "halves.sqlite", MADE)
    run_here(halves, other, 1)
    lease = halves.acquire(other, "a process that dies")
    pool = LocalPool(make_game)
    members = [Entry(m.policy.hash, m.policy.tree_hash, m.policy.source, m.name) for m in halves.members(other)]
    meeting = Meeting(make_game(SHORT_RPS), pool, lease.cells, run_secret(MADE.seed))
    assert deepen(meeting, members, members, 0, 8) > 0
    pool.close()
    lease.release("interrupted", "")
    run_here(halves, other, 3)
    assert rows(halves, other) == rows(whole, run)


@pytest.mark.parametrize("wanted", [7, -8, 8 * DEEPEST * 4])
def test_what_a_file_of_somebody_else_asks_for_is_not_played(tmp_path, wanted):
    store, run = new_run(tmp_path / "s.sqlite", MADE)
    run_here(store, run, 1)
    with store.connections.writing() as connection:
        connection.execute("UPDATE solutions SET extra = json_set(extra, '$.deepen', json(?))", (str(wanted),))
    run_here(store, run, 2)
    assert [one.cause for one in store.solutions(run)] == ["iteration"] * 3
