import numpy as np
import pytest

from csro_core.evaluation.champion import champion
from csro_core.metagame.cells import Cell
from csro_core.metagame.payoffs import build_table
from csro_core.metagame.population import Entry, Populations
from csro_core.metagame.statistics import halves
from tests.metagame.fake_executor import MemoryCells

FOUR = Populations(True, (tuple(Entry(f"h{i}", f"t{i}", f"x{i}", f"n{i}") for i in range(4)),))


def table_of(episodes, populations=FOUR, missing=()):
    """A table from `[E, N, N]` payoffs, of which the part above the diagonal counts."""
    cells = MemoryCells()
    for i in range(4):
        for j in range(i + 1, 4):
            if (i, j) not in missing:
                returns = np.stack([episodes[:, i, j], -episodes[:, i, j]], axis=1)
                cells.put(Cell(f"t{i}", f"t{j}", returns, np.zeros(returns.shape, dtype=bool)))
    return build_table(populations, cells, zero_sum=True)


def steady(upper, episodes=8):
    matrix = np.zeros((4, 4))
    matrix[np.triu_indices(4, 1)] = upper
    return np.repeat(matrix[None], episodes, axis=0)


def test_a_policy_that_nobody_exploits_beats_one_that_earns_more():
    # 0 crushes 1, 1 crushes 2, 2 crushes 0; 3 beats everybody a little. Order: 01 02 03 12 13 23.
    best = champion(table_of(steady([300, -90, -10, 200, -10, -10])), FOUR)
    assert (best.index, best.name, best.hash, best.player) == (3, "n3", "h3", 0)
    assert best.mean.mean == pytest.approx(30 / 4)
    assert best.minimum.mean == 0.0
    assert best.worst == 3
    assert best.score == pytest.approx(7.5)


def test_mean_and_minimum_add_up():
    best = champion(table_of(steady([-5, -5, -5, 40, 40, 1])), FOUR)
    assert best.index == 1
    assert best.score == pytest.approx((5 + 40 + 40) / 4 + 0)


def test_the_worst_opponent_is_valued_on_the_other_half():
    episodes = steady([10, 10, 10, 0, 0, 0])
    choose, check = halves(8)
    episodes[choose, 0, 1] = -20.0
    episodes[check, 0, 1] = 40.0
    best = champion(table_of(episodes), FOUR)
    assert best.index == 0
    assert best.worst == 1
    assert best.minimum.mean == 40.0
    assert best.minimum.episodes == 4
    assert best.mean.mean == pytest.approx((0 + 10 + 10 + 10) / 4)


def test_policies_with_missing_cells_are_passed_over():
    episodes = steady([300, 300, 300, 1, 1, 0])
    assert champion(table_of(episodes), FOUR).index == 0
    assert champion(table_of(episodes, missing={(0, 1)}), FOUR).index == 2
    assert champion(table_of(episodes, missing={(0, 1), (2, 3)}), FOUR) is None


def test_each_player_has_its_own_champion():
    populations = Populations(False, (FOUR.lists[0][:2], FOUR.lists[0][2:]))
    cells = MemoryCells()
    for row, column, payoff in [("t0", "t2", 5.0), ("t0", "t3", 1.0), ("t1", "t2", -1.0), ("t1", "t3", 2.0)]:
        returns = np.repeat([[payoff, -payoff]], 4, axis=0)
        cells.put(Cell(row, column, returns, np.zeros((4, 2), dtype=bool)))
    table = build_table(populations, cells, zero_sum=True)
    assert champion(table, populations).name == "n0"
    best = champion(table, populations, player=1)
    assert (best.name, best.index, best.score) == ("n3", 1, pytest.approx(-1.5 - 2.0))


def test_an_opponent_that_forfeits_makes_nobody_ineligible_and_is_no_champion():
    # t3 forfeits every match: nobody has a clean episode against it, and its own are losses.
    cells = MemoryCells()
    for i in range(4):
        for j in range(i + 1, 4):
            forfeits = np.zeros((8, 2), dtype=bool)
            forfeits[:, 1] = j == 3
            payoff = 1000.0 if j == 3 else [[0, 10, 10], [0, 0, -5]][i][j]
            cells.put(Cell(f"t{i}", f"t{j}", np.repeat([[payoff, -payoff]], 8, axis=0), forfeits))
    best = champion(build_table(FOUR, cells, zero_sum=True), FOUR)
    assert best.index == 0
    assert best.mean.mean == pytest.approx((0 + 10 + 10) / 3)  # the forfeited matches do not count
    assert best.worst == 0
