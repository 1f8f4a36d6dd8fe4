import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csro_core.analysis.decomposition import decompose
from tests.analysis.matrices import BIASED, RPS, TRANSITIVE, antisymmetric


@pytest.mark.parametrize(
    ("matrix", "transitive", "cyclic"),
    # Frobenius norms of the two parts over that of the whole, by hand: the transitive game has ratings -2/3, 0, 2/3,
    # so differences 2/3, 2/3, 4/3 against 1, 1, 1; rock-paper-scissors has ratings 0.
    [
        (RPS, 0.0, 1.0),
        (TRANSITIVE, np.sqrt(8 / 9), 1 / 3),
        # Ratings 1/12, 1/15, -3/20; the squares of the parts are 0.20389 and 0.42778 of 0.315 each way.
        (BIASED, 0.568, 0.823),
    ],
)
def test_shares(matrix, transitive, cyclic):
    found = decompose(matrix)
    assert found.transitive_share == pytest.approx(transitive, abs=5e-4)
    assert found.cyclic_share == pytest.approx(cyclic, abs=5e-4)


def test_a_rating_explains_itself():
    ratings = np.array([3.0, -1.0, 0.5, -2.5])
    found = decompose(ratings[:, np.newaxis] - ratings)
    assert np.allclose(found.ratings, ratings)  # they have mean 0
    assert found.cyclic_share == pytest.approx(0.0, abs=1e-15)


def test_zeros_have_no_shares():
    assert (decompose(np.zeros((3, 3))).transitive_share, decompose(np.zeros((1, 1))).cyclic_share) == (0.0, 0.0)


@settings(deadline=None)
@given(antisymmetric(), st.sampled_from([1e-200, 1e-9, 1.0, 1e9, 1e90]))
def test_the_parts_add_up_and_are_orthogonal(matrix, scale):
    found = decompose(matrix * scale)
    assert np.allclose(found.transitive + found.cyclic, matrix * scale, atol=1e-12 * scale)
    assert np.allclose(found.cyclic.sum(axis=1), 0, atol=1e-12 * scale)
    squares = found.transitive_share**2 + found.cyclic_share**2
    assert squares == pytest.approx(1.0 if matrix.any() else 0.0)
