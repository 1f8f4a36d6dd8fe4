import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from csro_core.metagame.cells import Cell
from csro_core.metagame.payoffs import build_table, mean_and_stderr, pairing
from csro_core.metagame.population import Entry, Populations
from tests.metagame.fake_executor import MemoryCells


def policy(tree, text=None):
    return Entry(f"hash of {text or tree}", tree, text or tree, tree)


def cell(row, column, first, second=None, forfeits=()):
    second = [-value for value in first] if second is None else second
    lost = np.zeros((len(first), 2), dtype=bool)
    for episode, which in forfeits:
        lost[episode, which] = True
    return Cell(row, column, np.array([first, second], dtype=float).T, lost)


def store(*cells):
    memory = MemoryCells()
    for one in cells:
        memory.put(one)
    return memory


def one_population(*trees):
    return Populations(True, (tuple(policy(tree) for tree in trees),))


def test_one_cell_serves_both_orders_in_a_symmetric_game():
    table = build_table(one_population("b", "a"), store(cell("a", "b", [3, 5])), zero_sum=True)
    assert table.known.all()
    assert table.played.tolist() == [[[0, -4], [4, 0]], [[0, 4], [-4, 0]]]
    assert (table.played[1] == table.played[0].T).all()
    assert table.played_stderr[0, 0, 1] == table.played_stderr[1, 1, 0] == pytest.approx(1.0)
    assert table.episodes.tolist() == [[0, 2], [2, 0]]
    assert table.samples[0, 0, 1].tolist() == [-3, -5]


def test_the_other_ordered_cell_is_not_used():
    table = build_table(one_population("a", "b"), store(cell("b", "a", [3, 5])), zero_sum=True)
    assert table.known.tolist() == [[True, False], [False, True]]
    assert np.isnan(table.played[:, 0, 1]).all()
    assert not table.known.all()


def test_equal_trees_earn_exactly_nothing_against_each_other():
    twins = Populations(True, ((policy("t", "one"), policy("t", "two"), policy("u")),))
    table = build_table(twins, store(cell("t", "u", [1, 2])), zero_sum=True)
    assert table.known.all()
    assert (table.played[:, :2, :2] == 0).all()
    assert (table.played_stderr[:, :2, :2] == 0).all()
    assert (table.played[0, 0] == table.played[0, 1]).all()


def test_a_symmetric_general_sum_game_plays_its_diagonal():
    populations = one_population("a", "b")
    cells = store(cell("a", "a", [1, 3], [3, 5]), cell("b", "b", [0, 0], [0, 0]), cell("a", "b", [1, 1], [7, 9]))
    table = build_table(populations, cells, zero_sum=False)
    assert table.known.all()
    assert table.played[0].tolist() == [[3, 1], [8, 0]]
    assert (table.played[1] == table.played[0].T).all()


def test_populations_per_player_use_ordered_cells():
    populations = Populations(False, ((policy("z"), policy("a")), (policy("a"),)))
    table = build_table(populations, store(cell("z", "a", [4, 6]), cell("a", "a", [1, 1])), zero_sum=True)
    assert table.played[0].tolist() == [[5], [1]]
    assert table.played[1].tolist() == [[-5], [-1]]


def test_clean_payoffs_leave_out_what_the_opponent_forfeited():
    lost = [(0, 1), (2, 0)]
    table = build_table(one_population("a", "b"), store(cell("a", "b", [100, 2, -90, 4], forfeits=lost)), zero_sum=True)
    assert table.played[0, 0, 1] == pytest.approx(4.0)
    assert table.clean[0, 0, 1] == pytest.approx((2 - 90 + 4) / 3)
    assert table.clean[1, 0, 1] == pytest.approx((-100 - 2 - 4) / 3)
    assert table.clean[0, 1, 0] == table.clean[1, 0, 1]
    assert np.isnan(table.clean_samples[0, 0, 1]).tolist() == [True, False, False, False]
    assert table.forfeits[0, 1].tolist() == [1, 1]
    assert table.forfeits[1, 0].tolist() == [1, 1]


def test_a_cell_with_no_clean_episode_has_no_clean_payoff():
    table = build_table(
        one_population("a", "b"), store(cell("a", "b", [9, 9], forfeits=[(0, 1), (1, 1)])), zero_sum=True
    )
    assert np.isnan(table.clean[0, 0, 1])
    assert table.clean[1, 0, 1] == -9
    assert table.played[0, 0, 1] == 9
    assert table.known.all()


def test_forfeits_of_the_mirror_change_sides():
    table = build_table(one_population("b", "a"), store(cell("a", "b", [9, 9], forfeits=[(0, 1)])), zero_sum=True)
    assert table.forfeits[0, 1].tolist() == [1, 0]


def test_cells_of_different_lengths_are_padded():
    cells = store(cell("a", "b", [1, 3]), cell("a", "c", [1, 1, 1, 5]), cell("b", "c", [0, 0]))
    table = build_table(one_population("a", "b", "c"), cells, zero_sum=True)
    assert table.samples.shape == (2, 3, 3, 4)
    assert table.played[0, 0].tolist() == [0, 2, 2]
    assert np.isnan(table.samples[0, 0, 1, 2:]).all()
    assert table.episodes[0].tolist() == [0, 2, 4]


def test_equal_episodes_are_taken_as_exact_whatever_their_rounding():
    mean, stderr = mean_and_stderr(np.array([[0.1] * 7, [0.1] * 6 + [np.nan]]))
    assert mean.tolist() == [0.1, 0.1]
    assert stderr.tolist() == [0.0, 0.0]


def test_a_single_episode_has_no_standard_error_and_none_has_no_mean():
    mean, stderr = mean_and_stderr(np.array([[2.0, np.nan], [np.nan, np.nan]]))
    assert mean[0] == 2.0
    assert np.isnan(mean[1])
    assert np.isnan(stderr).all()


@given(arrays(np.float64, st.integers(2, 12), elements=st.floats(-1e3, 1e3)))
def test_mean_and_stderr_are_the_textbook_ones(samples):
    mean, stderr = mean_and_stderr(samples[np.newaxis])
    assert mean[0] == pytest.approx(samples.mean(), abs=1e-9)
    assert stderr[0] == pytest.approx(samples.std(ddof=1) / np.sqrt(samples.size), abs=1e-9)


def test_pairing_names_the_smaller_tree_first():
    a, b = policy("a"), policy("b")
    assert pairing(b, a, symmetric=True, zero_sum=True).key == ("a", "b")
    assert pairing(b, a, symmetric=True, zero_sum=True).mirrored
    assert pairing(b, a, symmetric=False, zero_sum=True).key == ("b", "a")
    assert pairing(a, a, symmetric=True, zero_sum=True) is None
    assert pairing(a, a, symmetric=False, zero_sum=True).key == ("a", "a")


def test_a_single_policy_is_a_complete_meta_game():
    table = build_table(one_population("a"), MemoryCells(), zero_sum=True)
    assert table.known.all()
    assert (table.played == 0).all()
    assert (table.played_stderr == 0).all()
