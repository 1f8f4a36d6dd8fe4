"""Replicator dynamics of three policies: directions, paths and rest points on the simplex."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FIELD_STEPS = 12
"""The field is given at the points whose shares are multiples of 1 / 12."""

_STARTS = ((0.8, 0.1, 0.1), (0.1, 0.8, 0.1), (0.1, 0.1, 0.8), (0.4, 0.3, 0.3), (0.6, 0.3, 0.1), (0.1, 0.6, 0.3))
_STEP = 0.1
_STEPS = 1_500
_KEPT_EVERY = 10
_RESTING = 1e-6


@dataclass(frozen=True)
class Replicator:
    """The dynamics of the shares x of three policies, with time in units of 1 / the largest payoff.

    Attributes:
        field: `[F, 6]` points of the simplex and the velocity at each.
        paths: `[T_k, 3]` each, shares at equal intervals of time from a start on; a path that rests ends.
        rest_points: `[R, 3]` isolated points where nothing changes, corners first.
    """

    field: NDArray[np.float64]
    paths: tuple[NDArray[np.float64], ...]
    rest_points: NDArray[np.float64]


def replicator(matrix: NDArray[np.float64]) -> Replicator:
    """Returns the dynamics dx_i / dt = x_i ((A x)_i - x^T A x).

    Source: Taylor and Jonker 1978, Evolutionary stable strategies and game dynamics, equation 2.

    Args:
        matrix: `[3, 3]` payoff to the policy of the row against that of the column, in a symmetric game.

    Raises:
        ValueError: the matrix is not 3 x 3.
    """
    if matrix.shape != (3, 3):
        raise ValueError(f"the plot is for three policies, so the matrix must be 3 x 3, got {list(matrix.shape)}")
    # Adding a number to a column changes no velocity, and neither do roundings of huge common parts then.
    centred = matrix - matrix.mean(axis=0)
    scale = float(np.abs(centred).max())
    scaled = centred / scale if scale > 0 else centred
    points = np.array(
        [(i, j, FIELD_STEPS - i - j) for i in range(FIELD_STEPS + 1) for j in range(FIELD_STEPS + 1 - i)], dtype=float
    )
    points /= FIELD_STEPS
    field = np.hstack([points, velocity(scaled, points)])
    return Replicator(field, _paths(scaled), _rest_points(scaled))


def velocity(matrix: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns `[.., 3]` the rate of change of the shares; its rows sum to 0.

    Args:
        matrix: `[3, 3]`.
        shares: `[.., 3]`.
    """
    earned = shares @ matrix.T
    rate: NDArray[np.float64] = shares * (earned - (shares * earned).sum(axis=-1, keepdims=True))
    return rate


def _paths(matrix: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Returns `[T_k, 3]` shares from each start on, by the classical Runge-Kutta method."""
    here = np.array(_STARTS)
    kept, speeds = [here], [np.inf * np.ones(len(here))]
    for step in range(1, _STEPS + 1):
        first = velocity(matrix, here)
        second = velocity(matrix, here + _STEP / 2 * first)
        third = velocity(matrix, here + _STEP / 2 * second)
        fourth = velocity(matrix, here + _STEP * third)
        here = np.clip(here + _STEP / 6 * (first + 2 * second + 2 * third + fourth), 0.0, None)
        here = here / here.sum(axis=1, keepdims=True)
        if step % _KEPT_EVERY == 0:
            kept.append(here)
            speeds.append(np.abs(first).max(axis=1))
    points, resting = np.stack(kept, axis=1), np.stack(speeds, axis=1) < _RESTING
    lengths = [int(np.argmax(still)) + 1 if still.any() else len(kept) for still in resting]
    return tuple(path[:length] for path, length in zip(points, lengths, strict=True))


def _rest_points(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the isolated rest points: corners, then one on each edge and one inside, where there are any."""
    found = list(np.eye(3))
    for support in ((0, 1), (0, 2), (1, 2), (0, 1, 2)):
        point = _indifferent(matrix, list(support))
        if point is not None:
            found.append(point)
    return np.array(found)


def _indifferent(matrix: NDArray[np.float64], support: list[int]) -> NDArray[np.float64] | None:
    """Returns the point inside a face at which its policies earn the same; None where there is none or a line of them.

    Args:
        matrix: `[3, 3]`.
        support: the policies of the face.
    """
    size = len(support)
    part = matrix[np.ix_(support, support)]
    system = np.vstack([part[1:] - part[0], np.ones(size)])
    if np.linalg.matrix_rank(system, tol=1e-9) < size:
        return None
    shares = np.linalg.solve(system, np.append(np.zeros(size - 1), 1.0))
    if float(shares.min()) <= 1e-9:
        return None
    point = np.zeros(3)
    point[support] = shares
    return point
