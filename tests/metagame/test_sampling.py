import zlib

import numpy as np
import pytest

from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.jobs import Failure, MatchResult
from csro_core.metagame import sampling
from csro_core.metagame.payoffs import build_table
from csro_core.metagame.population import Populations
from csro_core.metagame.sampling import CellJob, Meeting, deepen, fill, missing_jobs
from csro_core.seeds import Secret
from tests.metagame.fake_executor import (
    BEAT_LAST,
    BROKEN,
    CYCLE,
    RANDOM,
    CannedExecutor,
    FakeExecutor,
    MemoryCells,
    always,
    entry,
)

RPS = make_game(GameSpec("repeated_rps", {"num_throws": 12}))
ONE_SHOT = make_game(GameSpec("matrix", {"payoffs": [[3.0, -1.0], [-1.0, 1.0]]}))
SECRET = Secret.of_key(b"11")


def meeting(executor=None, game=RPS):
    return Meeting(game, executor or FakeExecutor(), MemoryCells(), SECRET)


def population(*texts):
    return Populations(True, (tuple(entry(text) for text in texts),))


def test_one_match_per_unordered_pair_and_none_against_oneself():
    there = meeting()
    populations = population(always(0), CYCLE, BEAT_LAST)
    assert fill(there, populations, 4) == 3
    assert len(there.executor.batches) == 1
    assert all(row < column for row, column in there.cells.cells)
    table = build_table(populations, there.cells, zero_sum=True)
    assert table.known.all()
    # Cycle meets always-rock: a tie, a win, a loss, over and over.
    assert table.played[0, 1, 0] == 0
    # Beat-last starts with a tie against rock, then plays paper 11 times.
    assert table.played[0, 2, 0] == 11


def test_nothing_is_played_twice():
    there = meeting()
    populations = population(always(0), CYCLE)
    fill(there, populations, 4)
    seen = []
    assert fill(there, populations, 4, lambda done, total: seen.append((done, total))) == 0
    assert fill(there, populations, 2) == 0
    assert seen == []
    assert fill(there, populations.extended(0, entry(BEAT_LAST)), 4) == 2
    assert len(there.executor.jobs) == 3


def test_texts_with_one_syntax_tree_share_their_cells():
    commented = CYCLE.replace("Rock, paper, scissors, and again.", "The same with another docstring.") + "# end\n"
    there = meeting()
    assert fill(there, population(CYCLE, commented, always(1)), 2) == 1


def test_seats_alternate_and_seeds_are_those_of_cells():
    job = next(missing_jobs(meeting(), population(always(0), CYCLE), 4)).job
    assert job.seats == (0, 1, 0, 1)
    assert job.seeds == SECRET.episode_seeds("cell", 0, 4)
    assert job.keep_moves


def test_missing_episodes_are_appended_and_equal_a_longer_cell_played_at_once():
    populations = population(RANDOM, BEAT_LAST)
    short, long = meeting(), meeting()
    fill(short, populations, 2)
    fill(short, populations, 6)
    fill(long, populations, 6)
    assert [len(job.seeds) for job in short.executor.jobs] == [2, 4]
    assert short.executor.jobs[1].seats == (0, 1, 0, 1)
    (one,), (other,) = short.cells.cells.values(), long.cells.cells.values()
    assert (one.returns == other.returns).all()
    assert len(set(one.returns[:, 0])) > 1
    assert one.moves[:2] == (b"", b"")
    assert one.moves[2:] == other.moves[2:]


def test_players_of_other_games_keep_their_seats():
    populations = Populations(False, ((entry(always(0)), entry(always(1))), (entry(always(0)),)))
    there = meeting(game=ONE_SHOT)
    assert fill(there, populations, 2) == 2
    assert {job.seats for job in there.executor.jobs} == {(0, 0)}
    table = build_table(populations, there.cells, zero_sum=True)
    assert table.played[0].tolist() == [[3.0], [-1.0]]


@pytest.mark.parametrize("episodes", [0, 1, 3, -2])
def test_odd_numbers_of_episodes_are_refused(episodes):
    with pytest.raises(ValueError, match="even number >= 2"):
        missing_jobs(meeting(), population(always(0), CYCLE), episodes)


def test_cells_that_arrived_before_a_crash_are_kept():
    class Dies(FakeExecutor):
        played = 0

        def play(self, job):
            if self.played == 2:
                raise KeyboardInterrupt
            self.played += 1
            return super().play(job)

    there = meeting(Dies())
    populations = population(always(0), CYCLE, BEAT_LAST)
    with pytest.raises(KeyboardInterrupt):
        fill(there, populations, 2)
    assert len(there.cells.history) == 2
    assert len(list(missing_jobs(there, populations, 2))) == 1


@pytest.mark.parametrize(("seconds", "kept"), [(0.0, [0, 1, 2]), (60.0, [0, 0, 0])])
def test_cells_are_kept_while_others_are_played(monkeypatch, seconds, kept):
    class Counts(FakeExecutor):
        def play(self, job):
            known.append(len(there.cells.history))
            return super().play(job)

    monkeypatch.setattr(sampling, "KEEP_SECONDS", seconds)
    known = []
    there = meeting(Counts())
    fill(there, population(always(0), CYCLE, BEAT_LAST), 2)
    assert known == kept
    assert len(there.cells.history) == 3


def test_progress_is_told():
    seen = []
    fill(meeting(), population(always(0), CYCLE, BEAT_LAST), 2, lambda *step: seen.append(step))
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_failures_become_plain_mappings_that_name_the_right_policy():
    there = meeting()
    populations = population(BROKEN, always(2))
    fill(there, populations, 2)
    (cell,) = there.cells.cells.values()
    broken = 0 if cell.row == populations.lists[0][0].tree_hash else 1
    assert cell.forfeits[:, broken].all()
    assert {failure["policy"] for failure in cell.failures} == {broken}
    assert cell.failures[0]["status"] == "exception"
    assert [failure["episode"] for failure in cell.failures] == [0, 1]
    table = build_table(populations, there.cells, zero_sum=True)
    assert table.played[0].tolist() == [[0, -12], [12, 0]]
    assert np.isnan(table.clean[0, 1, 0])
    assert table.clean[0, 0, 1] == -12


def test_appended_failures_count_their_episodes_on():
    earlier = MatchResult(np.zeros((2, 2)), np.zeros((2, 2), dtype=bool), (), (b"", b""), 0.0)
    first = CellJob("a", "b", None, 0).finished(earlier)
    later = MatchResult(
        np.ones((2, 2)), np.ones((2, 2), dtype=bool), (Failure(1, "timeout", "slow", episode=1),), (b"x", b"y"), 0.0
    )
    cell = CellJob("a", "b", None, 2).finished(later, first)
    assert cell.failures[0]["episode"] == 3
    assert cell.returns[:, 0].tolist() == [0, 0, 1, 1]


def test_deepen_plays_only_the_cells_it_names():
    there = meeting(CannedExecutor({("a", "b"): 1.0, ("a", "c"): 2.0, ("b", "c"): 3.0}, noise=1.0))
    a, b, c = (entry(text) for text in "abc")
    fill(there, Populations(True, ((a, b, c),)), 2)
    assert deepen(there, [a], [a, b], 0, 8) == 1
    lengths = {frozenset((x, y)): cell.episodes for (x, y), cell in there.cells.cells.items()}
    assert lengths[frozenset((a.tree_hash, b.tree_hash))] == 8
    assert lengths[frozenset((a.tree_hash, c.tree_hash))] == 2


def test_deepen_knows_whose_policies_they_are():
    there = meeting(game=ONE_SHOT)
    rows, columns = (entry(always(0)),), (entry(always(1)),)
    deepen(there, columns, rows, 1, 2)
    assert list(there.cells.cells) == [(rows[0].tree_hash, columns[0].tree_hash)]


def test_moves_are_kept_with_the_first_policy_first():
    there = meeting()
    fill(there, population(always(0), always(1)), 2)
    (cell,) = there.cells.cells.values()
    first = 0 if cell.row == entry(always(0)).tree_hash else 1
    assert [zlib.decompress(log) for log in cell.moves] == [bytes([first, 1 - first]) * 12] * 2
