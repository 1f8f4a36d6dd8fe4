"""The disc game nearest to an antisymmetric matrix: the largest block of its Schur form."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Disc:
    """The best approximation of A by a game in which policies are points p and A_ij = p_i x p_j (cross product).

    Attributes:
        points: `[N, 2]`; i beats j where j lies less than half a turn counter-clockwise of i. Turned so that the point
            furthest out (the first of several) lies on the positive x axis.
        weights: `[N // 2]` w of every block [[0, w], [-w, 0]] of the Schur form, largest first, >= 0.
        share: of the squared Frobenius norm of A that the points explain, 0 to 1; 0.0 where A is 0.
    """

    points: NDArray[np.float64]
    weights: NDArray[np.float64]
    share: float


def disc_game(matrix: NDArray[np.float64]) -> Disc:
    """Returns the disc game of a matrix.

    Singular values of an antisymmetric matrix come in pairs w, w. A v = w u implies A u = -w v, and v^T A v = 0 makes
    the two orthogonal, so A = sum over blocks of w (u v^T - v u^T): this is the real Schur form by a singular value
    decomposition, which is faster, and sound also where several w are equal.

    Source: Balduzzi et al. 2018, Re-evaluating Evaluation (arXiv 1806.02643), section 2.4 and proposition 4; the disc
    game: Balduzzi et al. 2019 (arXiv 1901.08106), example 2.

    Args:
        matrix: `[N, N]` antisymmetric.
    """
    count = matrix.shape[0]
    scale = float(np.abs(matrix).max())
    if scale == 0 or count < 2:
        return Disc(np.zeros((count, 2)), np.zeros(count // 2), 0.0)
    left, values, right = np.linalg.svd(matrix / scale)
    relative = values[: 2 * (count // 2) : 2]
    points = np.column_stack([left[:, 0], right[0]]) * np.sqrt(relative[0] * scale)
    share = float(relative[0] ** 2 / (relative**2).sum())
    return Disc(_turned(points), relative * scale, share)


def _turned(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the points turned around the origin: eigenvectors are unique up to a turn only."""
    radii = np.hypot(points[:, 0], points[:, 1])
    # Rounding shall not choose among points equally far out.
    first = points[int(np.argmax(radii >= (1 - 1e-9) * radii.max()))]
    cosine, sine = first / np.hypot(*first)
    turned: NDArray[np.float64] = points @ np.array([[cosine, -sine], [sine, cosine]])
    return turned
