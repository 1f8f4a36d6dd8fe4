"""A tournament of many policies: memory does not grow with its cells, and everything else only linearly."""

import weakref

import numpy as np
import pytest

from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.jobs import Isolation, MatchResult
from csro_core.metagame import sampling
from csro_core.metagame.population import Entry, Populations
from csro_core.metagame.sampling import Meeting, deepen, fill
from csro_core.seeds import Secret

RPS = make_game(GameSpec("repeated_rps", {"num_throws": 12}))
WINDOW = 50


class HoardingExecutor:
    """Keeps every result of a submission until it returns, as an executor has to, and watches how many are alive."""

    isolation = Isolation("reduced", "a fake for tests")

    def __init__(self):
        self.submissions = []
        self.alive = 0
        self.most = 0

    def submit(self, jobs, on_result=None):
        self.submissions.append(len(jobs))
        results = []
        for index, job in enumerate(jobs):
            returns = np.zeros((len(job.seeds), 2))
            # The cell takes the array over, so that it is alive as long as the result or the cell is.
            weakref.finalize(returns, self._gone)
            self.alive += 1
            self.most = max(self.most, self.alive)
            results.append(MatchResult(returns, returns.astype(bool), (), (bytes(100),) * len(job.seeds), 0.0))
            on_result(index, results[-1])
        return results

    def _gone(self):
        self.alive -= 1


class CountingCells:
    """Remembers of every cell how many episodes it has, and how often it was asked for anything."""

    def __init__(self):
        self.kept = {}
        self.reads = 0

    def lengths(self, keys):
        self.reads += 1
        return {key: self.kept[key] for key in keys if key in self.kept}

    def put_all(self, cells):
        for cell in cells:
            assert (cell.row, cell.column) not in self.kept
            self.kept[cell.row, cell.column] = cell.episodes


def tournament(size, episodes=2):
    there = Meeting(RPS, HoardingExecutor(), CountingCells(), secret=Secret.of_key(b"1"))
    entries = tuple(Entry(f"h{number:03d}", f"t{number:03d}", f"text {number}", f"p{number}") for number in range(size))
    assert fill(there, Populations(True, (entries,)), episodes) == len(there.cells.kept) == size * (size - 1) // 2
    return there


@pytest.fixture(autouse=True)
def small_windows(monkeypatch):
    monkeypatch.setattr(sampling, "WINDOW_JOBS", WINDOW)


def test_memory_does_not_grow_with_the_number_of_cells():
    most = [tournament(size).executor.most for size in (20, 40)]
    # A window's results, and at most as many of the one before, which go when the next one has begun.
    assert WINDOW <= most[0] <= 2 * WINDOW
    assert most[1] == most[0]


def test_long_cells_come_in_smaller_windows(monkeypatch):
    monkeypatch.setattr(sampling, "WINDOW_EPISODES", 100)
    assert set(tournament(8, episodes=30).executor.submissions[:-1]) == {3}
    assert tournament(3, episodes=1000).executor.submissions == [1, 1, 1]


def test_matches_and_queries_grow_no_faster_than_cells():
    small, large = tournament(20), tournament(40)
    for there, cells in ((small, 190), (large, 780)):
        assert sum(there.executor.submissions) == cells
        assert len(there.executor.submissions) == -(-cells // WINDOW)
        assert there.cells.reads == 1


def test_what_is_there_is_never_made_a_job():
    there = tournament(10)
    entries = tuple(Entry(f"h{number:03d}", f"t{number:03d}", f"text {number}", f"p{number}") for number in range(12))
    played = sum(there.executor.submissions)
    assert fill(there, Populations(True, (entries,)), 2) == 21
    assert deepen(there, entries[:3], entries, 0, 2) == 0
    assert sum(there.executor.submissions) == played + 21
