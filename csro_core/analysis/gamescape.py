"""The gamescape in two dimensions: rows of payoffs along their first two principal components, with their hull."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Gamescape:
    """The rows of a matrix as points of a plane.

    Attributes:
        points: `[N, 2]` along the first two principal components, centred at the mean row. A distance in the plane is
            at most the Euclidean distance of the rows, and equal to it where the shares add up to 1.
        hull: indices of the corners of the convex hull, counter-clockwise, from the leftmost on.
        shares: of the variance along the two components, 0 to 1 each; 0.0 where all rows are equal.
    """

    points: NDArray[np.float64]
    hull: tuple[int, ...]
    shares: tuple[float, float]


def gamescape(matrix: NDArray[np.float64]) -> Gamescape:
    """Returns the gamescape of the row player.

    Source: Balduzzi et al. 2019, Open-ended Learning in Symmetric Zero-sum Games (arXiv 1901.08106), section 3: the
    gamescape is the convex hull of the rows; here it is seen along the directions in which it is widest.

    Args:
        matrix: `[N, M]` payoffs to the row player.
    """
    count = matrix.shape[0]
    scale = float(np.abs(matrix).max()) or 1.0
    centred = matrix / scale - (matrix / scale).mean(axis=0)
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    points = np.zeros((count, 2))
    shares = [0.0, 0.0]
    variance = float((values**2).sum())
    # Where all rows are equal, what is left are roundings, which have no direction.
    for axis in range(min(2, values.size) if variance > 1e-28 * matrix.size else 0):
        column = left[:, axis] * values[axis]
        # The sign of a component is arbitrary: its largest coordinate (the first of several) is made positive.
        furthest = int(np.argmax(np.abs(column) >= (1 - 1e-9) * np.abs(column).max()))
        points[:, axis] = column * (1.0 if column[furthest] >= 0 else -1.0)
        shares[axis] = float(values[axis] ** 2 / variance)
    return Gamescape(points * scale, convex_hull(points), (shares[0], shares[1]))


def convex_hull(points: NDArray[np.float64]) -> tuple[int, ...]:
    """Returns the corners of the convex hull of points in a plane, counter-clockwise, from the leftmost (lowest) on.

    Points on an edge are no corners, and of equal points the first is the corner; so a line has two corners, a single
    place one. (`scipy.spatial.ConvexHull` refuses both.)

    Source: Andrew 1979, Another efficient algorithm for convex hulls in two dimensions.

    Args:
        points: `[N, 2]`, N >= 1.
    """
    order = sorted(range(len(points)), key=lambda index: (points[index][0], points[index][1], index))
    distinct = [
        index
        for place, index in enumerate(order)
        if place == 0 or tuple(points[index]) != tuple(points[order[place - 1]])
    ]
    if len(distinct) == 1:
        return (distinct[0],)
    lower, upper = _chain(points, distinct), _chain(points, distinct[::-1])
    return (*lower[:-1], *upper[:-1])


def _chain(points: NDArray[np.float64], order: list[int]) -> list[int]:
    """Returns the part of the hull to the right of the way from the first to the last point."""
    chain: list[int] = []
    for index in order:
        while len(chain) > 1 and _turn(points[chain[-2]], points[chain[-1]], points[index]) <= 0:
            chain.pop()
        chain.append(index)
    return chain


def _turn(start: NDArray[np.float64], middle: NDArray[np.float64], end: NDArray[np.float64]) -> float:
    """Returns a positive number where the way from start over middle to end turns left."""
    first, second = middle - start, end - start
    return float(first[0] * second[1] - first[1] * second[0])
