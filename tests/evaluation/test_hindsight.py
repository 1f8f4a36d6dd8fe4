import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from csro_core.evaluation.hindsight import gaps
from csro_core.metagame.cells import Cell
from csro_core.metagame.payoffs import build_table
from csro_core.metagame.population import Entry, Populations
from csro_core.metagame.statistics import halves
from tests.known_values import ZERO_SUM_GAMES
from tests.metagame.fake_executor import MemoryCells


def table_of(matrices, symmetric=True, missing=(), forfeits=()):
    """A table from `[E, N, N]` (or `[E, N_0, N_1]`) per-episode payoffs of a zero-sum game."""
    episodes, rows, columns = matrices.shape
    first = tuple(Entry(f"r{i}", f"r{i:03}", f"r{i}", f"r{i}") for i in range(rows))
    second = tuple(Entry(f"c{j}", f"c{j:03}", f"c{j}", f"c{j}") for j in range(columns))
    populations = Populations(symmetric, (first,) if symmetric else (first, second))
    cells = MemoryCells()
    for i in range(rows):
        for j in range(i + 1 if symmetric else 0, columns):
            if (i, j) in missing:
                continue
            lost = np.zeros((episodes, 2), dtype=bool)
            if (i, j) in forfeits:
                lost[:, 1] = True
            returns = np.stack([matrices[:, i, j], -matrices[:, i, j]], axis=1)
            other = first[j] if symmetric else second[j]
            cells.put(Cell(first[i].tree_hash, other.tree_hash, returns, lost))
    return build_table(populations, cells, zero_sum=True)


def steady(matrix, episodes=8):
    return np.repeat(np.array(matrix, dtype=float)[None], episodes, axis=0)


BIASED = ZERO_SUM_GAMES[1].matrix


def test_known_gaps_of_biased_rps():
    table = table_of(steady(BIASED))
    found = gaps(table, [[[1.0]], [[1.0, 0.0]], [[0.0, 1.0]], [list(ZERO_SUM_GAMES[1].row)]], symmetric=True)
    assert [gap.value for gap in found] == pytest.approx([0.25, 0.25, 0.05, 0.0], abs=1e-12)
    assert [gap.best for gap in found[:3]] == [(1,), (1,), (2,)]
    assert all(gap.pool == 3 and gap.stderr == 0.0 and gap.episodes == 4 for gap in found)


def test_the_maximiser_is_chosen_on_one_half_and_valued_on_the_other():
    episodes = steady([[0, -1, 0], [1, 0, 0], [0, 0, 0]])
    choose, check = halves(8)
    # Policy 2 looks great where it is chosen and poor where it is valued.
    episodes[choose, 2, 0] = 10.0
    episodes[check, 2, 0] = -4.0
    episodes[:, 0, 2] = -episodes[:, 2, 0]
    (gap,) = gaps(table_of(episodes), [[[1.0]]], symmetric=True)
    assert gap.best == (2,)
    assert gap.value == -4.0


def test_noise_alone_shows_no_gap_on_average():
    rng = np.random.default_rng(0)
    values, naive = [], []
    for _ in range(300):
        noise = rng.normal(size=(8, 6, 6))
        episodes = noise - noise.transpose(0, 2, 1)
        values.append(gaps(table_of(episodes), [[[1 / 6] * 6]], symmetric=True)[0].value)
        naive.append(episodes.mean(axis=0).mean(axis=1).max())
    standard_error = np.std(values) / np.sqrt(300)
    assert abs(np.mean(values)) < 4 * standard_error
    assert np.mean(naive) > 10 * standard_error


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_value_and_error_are_those_of_the_per_episode_differences(data):
    size = data.draw(st.integers(2, 4))
    noise = data.draw(arrays(np.float64, (8, size, size), elements=st.floats(-20, 20)))
    episodes = noise - noise.transpose(0, 2, 1)
    sigma = np.full(size, 1 / size)
    (gap,) = gaps(table_of(episodes), [[sigma.tolist()]], symmetric=True)
    sums = episodes[halves(8)[1]][:, gap.best[0]] @ sigma
    assert gap.value == pytest.approx(sums.mean(), abs=1e-9)
    assert gap.stderr == pytest.approx(sums.std(ddof=1) / 2, abs=1e-9)


def test_only_policies_that_met_the_whole_support_are_in_the_pool():
    matrix = steady([[0, -1, -9], [1, 0, 0], [9, 0, 0]])
    table = table_of(matrix, missing={(1, 2)})
    on_first, on_both = gaps(table, [[[1.0]], [[0.5, 0.5]]], symmetric=True)
    assert (on_first.pool, on_first.best, on_first.value) == (3, (2,), 9.0)
    assert (on_both.pool, on_both.best, on_both.value) == (2, (1,), 0.5)


def test_nobody_gains_by_breaking_a_member():
    matrix = steady([[0, -1, -9], [1, 0, 0], [9, 0, 0]])
    broken = -matrix  # so that policy 0 is the row policy that earns, and its opponents forfeit
    table = table_of(broken, forfeits={(0, 2)})
    (gap,) = gaps(table, [[[0.0, 0.0, 1.0]]], symmetric=True)
    assert gap.best != (0,)


def test_two_populations_share_the_gap():
    matrix = steady([[2, 1, 5], [-3, -4, -2]])
    table = table_of(matrix, symmetric=False)
    equilibrium, poor = gaps(table, [[[1.0], [0.0, 1.0]], [[0.0, 1.0], [1.0]]], symmetric=False)
    assert equilibrium.value == 0.0
    # (row 1, column 0) pays -3: row 0 gains 5, column 1 gains 1, the mean is 3.
    assert poor.value == 3.0
    assert poor.best == (0, 1)
    assert poor.pool == 5


def test_what_sigma_earns_itself_counts_in_general_sum_games():
    rows = Populations(False, ((Entry("a", "a", "a", "a"), Entry("b", "b", "b", "b")), (Entry("c", "c", "c", "c"),)))
    cells = MemoryCells()
    noise = np.arange(8.0)
    for tree, first in [("a", 1.0 + noise), ("b", 4.0 + noise * 0)]:
        cells.put(Cell(tree, "c", np.stack([first, np.full(8, 2.0)], axis=1), np.zeros((8, 2), dtype=bool)))
    table = build_table(rows, cells, zero_sum=False)
    (gap,) = gaps(table, [[[1.0, 0.0], [1.0]]], symmetric=False)
    # Chosen on episodes 0, 1, 4, 5 (b, 4 against 3.5), valued on 2, 3, 6, 7: 4 - 5.5 for the rows, 0 for the column.
    assert gap.best == (1, 0)
    assert gap.value == pytest.approx((4 - 5.5) / 2)
    assert gap.stderr == pytest.approx(np.std([2, 3, 6, 7], ddof=1) / 2 / 2)


def test_too_few_episodes_are_no_evidence():
    (one,) = gaps(table_of(steady(BIASED, 1)), [[[1.0]]], symmetric=True)
    assert np.isnan(one.value)
    assert one.pool == 0
    (two,) = gaps(table_of(steady(BIASED, 2)), [[[1.0]]], symmetric=True)
    assert two.value == 0.25
    assert np.isnan(two.stderr)
    assert gaps(table_of(steady(BIASED)), [], symmetric=True) == []
