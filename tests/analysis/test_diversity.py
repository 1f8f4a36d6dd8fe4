import numpy as np
import pytest
from hypothesis import given, settings

from csro_core.analysis.diversity import MAX_MOMENTS, diversity_history, effective_diversity, expected_cardinality
from tests.analysis.matrices import BIASED, ROCK_TWICE, RPS, TRANSITIVE, antisymmetric, skill


@pytest.mark.parametrize(
    ("matrix", "effective", "cardinality"),
    [
        # p^T max(0, A) p by hand with p = (1/3, 1/3, 1/3), (1/16, 10/16, 5/16), (0, 0, 1). L = A A^T has the squares of
        # the weights of A as eigenvalues, twice each: rock-paper-scissors and the ranking have w^2 = 3, so 2 * 3 / 4.
        (RPS, 1 / 3, 1.5),
        (BIASED, (1 * 5 * 0.5 + 10 * 1 * 0.25 + 5 * 10 * 0.05) / 256, 0.479087),
        (TRANSITIVE, 0.0, 1.5),
        # w^2 = 5 for the duplicated rock: 2 * 5 / 6.
        (ROCK_TWICE, 1 / 3, 5 / 3),
    ],
)
def test_known_values(matrix, effective, cardinality):
    assert effective_diversity(matrix) == pytest.approx(effective, abs=1e-5)
    assert expected_cardinality(matrix) == pytest.approx(cardinality, abs=1e-6)


@given(antisymmetric())
@settings(deadline=None, max_examples=50)
def test_bounds(matrix):
    assert 0 <= expected_cardinality(matrix) <= np.linalg.matrix_rank(matrix) + 1e-9
    # Mean of the positive part of the payoff within p, whose mean is 0: at most half the largest.
    assert 0 <= effective_diversity(matrix) <= np.abs(matrix).max() / 2 + 1e-6


def test_a_policy_that_repeats_another_adds_little():
    more = expected_cardinality(ROCK_TWICE) - expected_cardinality(RPS)
    assert 0 < more < 0.2


def test_history_grows_by_iterations():
    matrix = np.array(ROCK_TWICE)
    found = diversity_history(matrix, [0, 2, 2, 5])
    assert found.iterations == (0, 2, 5)
    assert found.sizes == (1, 3, 4)
    assert found.effective == pytest.approx((0, 0, 1 / 3), abs=1e-5)
    assert found.cardinality[0] == 0


def test_history_does_not_depend_on_the_unit():
    matrix = skill(6)
    small, large = (diversity_history(matrix * scale, range(6)) for scale in (1e-9, 1e9))
    assert small.cardinality == pytest.approx(large.cardinality)
    assert np.array(large.effective) == pytest.approx(np.array(small.effective) * 1e18, rel=1e-3)


def test_a_long_history_is_thinned(monkeypatch):
    monkeypatch.setattr("csro_core.analysis.diversity.equilibrium", lambda part: np.eye(len(part))[0])
    heard = []
    found = diversity_history(np.zeros((300, 300)), range(300), lambda done, total: heard.append((done, total)))
    assert len(found.iterations) == MAX_MOMENTS
    assert (found.iterations[0], found.iterations[-1]) == (0, 299)
    assert heard[-1] == (MAX_MOMENTS, MAX_MOMENTS)
