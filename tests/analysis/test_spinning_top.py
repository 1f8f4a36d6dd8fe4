import numpy as np
import pytest
from hypothesis import given, settings

from csro_core.analysis.equilibria import equilibrium, largest_support
from csro_core.analysis.spinning_top import nash_clusters, spinning_top, three_cycles, win_rates
from csro_core.errors import Cancelled
from csro_core.evaluation.published import published_cross_table
from csro_core.meta_solvers.verify import nash_conv
from tests.analysis.matrices import BIASED, ROCK_TWICE, RPS, TRANSITIVE, antisymmetric, permuted, skill


@pytest.mark.parametrize(
    ("matrix", "clusters"),
    [
        (RPS, [{0, 1, 2}]),
        (BIASED, [{0, 1, 2}]),
        (TRANSITIVE, [{2}, {1}, {0}]),  # OpenSpiel nash_averaging_test.py: all weight on the last
        (ROCK_TWICE, [{0, 1, 2, 3}]),  # duplicates are in one cluster
        (np.zeros((4, 4)), [{0, 1, 2, 3}]),
        (np.zeros((1, 1)), [{0}]),
        # Rock-paper-scissors twice, everybody of the second beats everybody of the first.
        (np.block([[RPS, -np.ones((3, 3))], [np.ones((3, 3)), RPS]]), [{3, 4, 5}, {0, 1, 2}]),
        # ... or ties: both are in equilibria, so both are in the largest support.
        (np.block([[RPS, np.zeros((3, 3))], [np.zeros((3, 3)), RPS]]), [{0, 1, 2, 3, 4, 5}]),
    ],
)
@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9])
def test_known_clusters(matrix, clusters, scale):
    assert [set(cluster) for cluster in nash_clusters(matrix * scale)] == clusters


def test_win_rates_and_cycles_by_hand():
    assert win_rates(TRANSITIVE).tolist() == [0.0, 0.5, 1.0]
    assert win_rates(ROCK_TWICE).tolist() == [0.5, 0.5, 2 / 3, 1 / 3]
    assert win_rates(np.zeros((1, 1))).tolist() == [0.5]
    assert three_cycles(RPS).tolist() == [1, 1, 1]
    assert three_cycles(TRANSITIVE).tolist() == [0, 0, 0]
    assert three_cycles(ROCK_TWICE).tolist() == [1, 1, 2, 2]


def test_the_published_bots():
    """The top cluster is the support of the exact Nash: randbot and the four that it does not lose to."""
    table = published_cross_table()
    means = np.array(table.means)
    found = spinning_top((means - means.T) / 2)
    top = {table.bots[index] for index in found.clusters[0]}
    assert top == {"randbot", "markovbails", "shofar", "iocainebot", "greenberg"}
    assert sorted(index for cluster in found.clusters for index in cluster) == list(range(43))


@given(antisymmetric(most=6))
@settings(deadline=None, max_examples=60)
def test_clusters_are_a_partition_that_names_do_not_change(matrix):
    clusters = nash_clusters(matrix)
    count = len(matrix)
    assert sorted(index for cluster in clusters for index in cluster) == list(range(count))
    order = np.random.default_rng(count).permutation(count)
    renamed = [{int(order[index]) for index in cluster} for cluster in nash_clusters(permuted(matrix, order))]
    assert renamed == [set(cluster) for cluster in clusters]


@given(antisymmetric(most=6))
@settings(deadline=None, max_examples=60)
def test_the_largest_support_is_complementary(matrix):
    """Goldman and Tucker 1956: who is in no support loses against some equilibrium; members never do."""
    support = largest_support(matrix)
    sigma = equilibrium(matrix)
    assert nash_conv(np.stack([matrix, matrix.T]), (sigma, sigma)) <= 1e-5
    outside = np.setdiff1d(np.arange(len(matrix)), support)
    assert (sigma[outside] < 1e-3).all()
    assert np.allclose((matrix @ sigma)[support], 0, atol=1e-5)


def test_large_games_take_the_support_that_nash_finds(monkeypatch):
    matrix = skill(30)
    small = nash_clusters(matrix)
    monkeypatch.setattr("csro_core.analysis.equilibria.MAX_EXACT", 2)
    assert nash_clusters(matrix) == small  # generic games have one equilibrium


def test_it_tells_progress_and_can_be_cancelled():
    heard = []
    spinning_top(skill(20), lambda done, total: heard.append((done, total)))
    assert heard[-1] == (20, 20)
    assert heard == sorted(heard)

    def stop(done, total):
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        spinning_top(skill(20), stop)
