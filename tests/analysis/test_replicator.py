import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from csro_core.analysis.replicator import replicator, velocity
from tests.analysis.matrices import BIASED, RPS, TRANSITIVE

# Hofbauer and Sigmund 1998, section 7: a stable mixture of hawks and doves (value 1, cost 2), with a bystander that
# always earns less.
HAWK_DOVE = np.array([[-0.5, 1, 1], [0, 0.5, 1], [-9, -9, -9]])


def has(points, wanted):
    return any(np.allclose(point, wanted, atol=1e-9) for point in points)


@pytest.mark.parametrize(("matrix", "inner"), [(RPS, (1 / 3,) * 3), (BIASED, (1 / 16, 10 / 16, 5 / 16))])
def test_cycles_rest_in_the_corners_and_in_the_equilibrium(matrix, inner):
    points = replicator(matrix).rest_points
    assert len(points) == 4
    assert has(points, inner)
    assert all(has(points, corner) for corner in np.eye(3))


def test_cycles_circle():
    """In a zero-sum game the product of the shares, each to the power of the equilibrium's, stays the same."""
    for path in replicator(RPS).paths:
        product = path.prod(axis=1)
        assert np.allclose(product, product[0], rtol=1e-5)
    for path in replicator(BIASED * 7).paths:
        product = (path ** np.array([1 / 16, 10 / 16, 5 / 16])).prod(axis=1)
        assert np.allclose(product, product[0], rtol=1e-5)


def test_a_winner_takes_all():
    assert all(np.allclose(path[-1], (0, 0, 1), atol=1e-3) for path in replicator(TRANSITIVE).paths)


def test_an_inner_point_of_an_edge():
    found = replicator(HAWK_DOVE)
    assert has(found.rest_points, (0.5, 0.5, 0))
    assert all(np.allclose(path[-1], (0.5, 0.5, 0), atol=1e-2) for path in found.paths)


def test_where_everything_rests_only_the_corners_are_named():
    found = replicator(np.zeros((3, 3)))
    assert len(found.rest_points) == 3
    assert (found.field[:, 3:] == 0).all()
    assert all(len(path) < 5 for path in found.paths)


@settings(deadline=None, max_examples=40)
@given(arrays(float, (3, 3), elements=st.floats(-1e3, 1e3)))
def test_everything_stays_on_the_simplex(matrix):
    found = replicator(matrix)
    for points in (found.field[:, :3], found.rest_points, *found.paths):
        assert (points >= 0).all()
        assert np.allclose(points.sum(axis=1), 1)
    assert np.allclose(found.field[:, 3:].sum(axis=1), 0, atol=1e-9)


@settings(deadline=None, max_examples=40)
@given(arrays(float, (3, 3), elements=st.floats(-1, 1)))
def test_rest_points_rest(matrix):
    for point in replicator(matrix).rest_points:
        assert np.allclose(velocity(matrix, point), 0, atol=1e-6)


def test_the_field_does_not_depend_on_the_unit():
    assert np.allclose(replicator(BIASED * 1e9).field, replicator(BIASED * 1e-9).field)


def test_other_sizes_are_refused():
    with pytest.raises(ValueError, match="must be 3 x 3, got .4, 4."):
        replicator(np.zeros((4, 4)))
