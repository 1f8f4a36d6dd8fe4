import numpy as np
import pytest

from csro_core.analysis.alpha_sweep import MAX_EDGES, alpha_sweep
from csro_core.errors import Cancelled
from tests.analysis.matrices import BIASED, RPS, TRANSITIVE, skill
from tests.known_values import BATTLE_OF_THE_SEXES


def single(matrix):
    return np.stack([matrix, matrix.T])


def test_rock_paper_scissors_is_even_at_any_alpha():
    # OpenSpiel alpharank_test.py.
    found = alpha_sweep(single(RPS), True)
    assert np.allclose(found.stationary, 1 / 3)
    assert found.chosen == 0
    assert found.sinks == (0, 1, 2)
    assert {(start, end) for start, end, _ in found.edges} == {(0, 1), (1, 2), (2, 0)}  # rock loses to paper


@pytest.mark.parametrize(
    ("alpha", "expected"),
    # OpenSpiel's alpharank.py with m = 50 and local selection, recomputed.
    [
        (0.1, (0.286923, 0.579558, 0.133519)),
        (1.0, (0.1744, 0.717043, 0.108557)),
        (10.0, (0.280534, 0.440809, 0.278657)),
    ],
)
def test_biased_rock_paper_scissors(alpha, expected):
    found = alpha_sweep(single(BIASED), True, alpha)
    assert found.alphas[found.chosen] == alpha
    assert np.allclose(found.stationary[found.chosen], expected, atol=1e-5)
    assert np.allclose(found.stationary[-1], 1 / 3, atol=1e-2)  # only the cycle counts in the end
    assert found.alphas == tuple(sorted(found.alphas))


def test_fixation_by_the_formula():
    # OpenSpiel: u = alpha * gap, rho = (1 - e^-u) / (1 - e^-mu), neutral 1 / m, m = 50; a gap of 2 and alpha 0.05.
    found = alpha_sweep(single(np.array([[0.0, -1.0], [1.0, 0.0]])), True, 0.05)
    assert found.edges == ((0, 1, pytest.approx(50 * 0.09580813, rel=1e-6)),)
    assert found.sinks == (1,)


def test_two_populations():
    found = alpha_sweep(BATTLE_OF_THE_SEXES, False, 0.1)
    assert found.profiles == ((0, 0), (0, 1), (1, 0), (1, 1))
    # OpenSpiel's alpharank.py with m = 50, recomputed.
    assert np.allclose(found.stationary[found.chosen], (0.499986, 0.000028, 0, 0.499986), atol=1e-5)
    assert found.sinks == (0, 3)
    assert {end for _, end, _ in found.edges} == {0, 3}


def test_a_ranking_has_one_sink_and_settles():
    found = alpha_sweep(single(TRANSITIVE), True)
    assert found.sinks == (2,)
    assert np.allclose(found.stationary[0], 1 / 3, atol=0.05)  # nearly by chance
    assert found.stationary[found.chosen, 2] > 0.98
    assert 0 < found.chosen < len(found.alphas) - 1


def test_the_sweep_does_not_depend_on_the_unit():
    small, large = (alpha_sweep(single(skill(5) * scale), True) for scale in (1e-9, 1e9))
    assert np.allclose(small.stationary, large.stationary)
    assert small.chosen == large.chosen
    assert np.allclose(np.array(small.alphas), np.array(large.alphas) * 1e18)


def test_ties_everywhere():
    found = alpha_sweep(np.zeros((2, 4, 4)), True)
    assert np.allclose(found.stationary, 0.25)
    assert found.edges == ()
    assert found.sinks == (0, 1, 2, 3)
    assert alpha_sweep(np.zeros((2, 1, 1)), True).sinks == (0,)


def test_only_the_strongest_edges_are_kept():
    found = alpha_sweep(single(skill(40)), True)
    ratios = [ratio for _, _, ratio in found.edges]
    assert len(ratios) == MAX_EDGES
    assert ratios == sorted(ratios, reverse=True)
    assert min(ratios) > 1


def test_it_can_be_cancelled():
    def stop(done, total):
        if done == 3:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        alpha_sweep(single(RPS), True, on_progress=stop)


@pytest.mark.parametrize("alpha", [0.0, -1.0, np.inf, np.nan])
def test_impossible_alphas(alpha):
    with pytest.raises(ValueError, match="finite number above 0"):
        alpha_sweep(single(RPS), True, alpha)
