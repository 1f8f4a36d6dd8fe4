import numpy as np
import pytest
from hypothesis import given, settings
from scipy.linalg import schur

from csro_core.analysis.disc import disc_game
from tests.analysis.matrices import BIASED, RPS, antisymmetric, skill


def cross_products(points):
    return np.outer(points[:, 0], points[:, 1]) - np.outer(points[:, 1], points[:, 0])


@pytest.mark.parametrize("matrix", [RPS, BIASED, RPS * 1e9, RPS * 1e-9])
def test_three_policies_are_a_disc_game(matrix):
    found = disc_game(matrix)
    assert np.allclose(cross_products(found.points), matrix, atol=1e-12 * np.abs(matrix).max())
    assert found.share == pytest.approx(1.0)


def test_the_weight_of_rock_paper_scissors():
    # The eigenvalues of this circulant matrix are 0 and +- i sqrt 3.
    assert disc_game(RPS).weights == pytest.approx([np.sqrt(3)])


@settings(deadline=None)
@given(antisymmetric())
def test_weights_are_those_of_the_real_schur_form(matrix):
    form, _ = schur(matrix, output="real")
    # A norm of each pair of off-diagonal entries, which is independent of how the blocks are ordered.
    expected = np.sort(np.abs(np.linalg.eigvals(form).imag))[::-1][: 2 * (len(matrix) // 2) : 2]
    found = disc_game(matrix)
    assert np.allclose(found.weights, expected, atol=1e-6)
    whole = (matrix**2).sum()
    assert 2 * (found.weights**2).sum() == pytest.approx(whole, abs=1e-9)
    if whole > 0:
        rest = ((matrix - cross_products(found.points)) ** 2).sum()
        assert rest == pytest.approx(whole * (1 - found.share), abs=1e-8)


def test_the_picture_does_not_turn_with_the_order_of_the_policies():
    matrix = skill(12)
    order = np.random.default_rng(1).permutation(12)
    assert np.allclose(disc_game(matrix[np.ix_(order, order)]).points, disc_game(matrix).points[order], atol=1e-9)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_nothing_to_see(count):
    found = disc_game(np.zeros((count, count)))
    assert (found.points == 0).all()
    assert found.share == 0.0
    assert found.weights.shape == (count // 2,)
