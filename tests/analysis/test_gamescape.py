import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial import ConvexHull, QhullError

from csro_core.analysis.gamescape import convex_hull, gamescape
from tests.analysis.matrices import RPS, TRANSITIVE, skill


def test_rock_paper_scissors_is_a_triangle():
    found = gamescape(RPS)
    assert sorted(found.hull) == [0, 1, 2]
    assert found.shares == pytest.approx((0.5, 0.5))
    # Rows differ by (-1, -1, 2) and its turns: every side has length sqrt 6.
    sides = [np.linalg.norm(found.points[i] - found.points[i - 1]) for i in range(3)]
    assert sides == pytest.approx([np.sqrt(6)] * 3)


def test_a_ranking_is_mostly_a_line():
    assert gamescape(TRANSITIVE).shares == pytest.approx((0.9, 0.1))


def test_a_mixture_of_others_widens_nothing():
    matrix = skill(6)
    mixed = np.vstack([matrix, matrix.mean(axis=0)])
    assert 6 not in gamescape(mixed).hull


def test_distances_are_at_most_those_of_the_rows_and_equal_in_two_dimensions():
    matrix = skill(9)
    points = gamescape(matrix).points
    flat = matrix[:, :2]
    exact = gamescape(flat).points
    for i in range(9):
        for j in range(i):
            assert np.linalg.norm(points[i] - points[j]) <= np.linalg.norm(matrix[i] - matrix[j]) + 1e-12
            assert np.linalg.norm(exact[i] - exact[j]) == pytest.approx(np.linalg.norm(flat[i] - flat[j]))


@pytest.mark.parametrize("matrix", [np.zeros((1, 1)), np.full((4, 4), 7.0), np.full((4, 1), 1e90), np.ones((1, 5))])
def test_equal_rows_are_one_place(matrix):
    found = gamescape(matrix)
    assert np.allclose(found.points, 0)
    assert found.hull == (0,)
    assert found.shares == (0.0, 0.0)


def test_one_column_is_a_line():
    found = gamescape(np.array([[1.0], [5.0], [3.0]]))
    assert found.shares == pytest.approx((1.0, 0.0))
    assert set(found.hull) == {0, 1}


points_in_a_plane = st.integers(1, 12).flatmap(
    lambda count: arrays(float, (count, 2), elements=st.integers(-3, 3).map(float))
)


@settings(deadline=None)
@given(points_in_a_plane)
def test_the_hull_is_convex_and_holds_every_point(points):
    hull = convex_hull(points)
    assert len(set(hull)) == len(hull)
    corners = points[list(hull)]
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        side = end - start
        away = points - start
        assert (side[0] * away[:, 1] - side[1] * away[:, 0] >= -1e-12).all()
    try:
        expected = {tuple(points[index]) for index in ConvexHull(points).vertices} if len(points) > 2 else None
    except QhullError:  # a line, or a single place
        expected = None
    if expected is not None:
        assert {tuple(corner) for corner in corners} == expected
    else:
        assert len(hull) <= 2
