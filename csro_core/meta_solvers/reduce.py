"""A zero-sum meta-game made fit for solvers: one matrix, entries in [-1, 1], without duplicates.

Axes: `N_p` policies of player p, `K_p` distinct ones.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csro_core.meta_solvers.verify import require_zero_sum


@dataclass(frozen=True)
class ReducedGame:
    """A zero-sum meta-game without duplicates.

    Attributes:
        scaled: its `[K_0, K_1]` matrix.
        kept: `[K_0]` and `[K_1]` indices of the policies that stand for their group.
        groups: `[N_0]` and `[N_1]` the group of every policy.
    """

    scaled: "ScaledMatrix"
    kept: tuple[NDArray[np.intp], NDArray[np.intp]]
    groups: tuple[NDArray[np.intp], NDArray[np.intp]]

    def select(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the `[K_0, K_1]` part of a `[N_0, N_1]` table that belongs to the kept policies."""
        return table[np.ix_(*self.kept)]


def reduce_game(payoffs: NDArray[np.float64], symmetric: bool) -> ReducedGame:
    """Merges policies with exactly equal payoffs and rescales what is left.

    Args:
        payoffs: `[2, N_0, N_1]`, already checked.
        symmetric: True where both players choose from one population; rounding that breaks the antisymmetry is
            averaged out.

    Returns:
        The reduced game; give the weights found in it back with `spread`.

    Raises:
        ValueError: the game is not zero-sum.
    """
    require_zero_sum(payoffs)
    matrix = (payoffs[0] - payoffs[0].T) / 2 if symmetric else payoffs[0]
    kept_rows, row_groups = first_of_equal_rows(matrix)
    kept_columns, column_groups = first_of_equal_rows(matrix.T)
    scaled = rescale(matrix[np.ix_(kept_rows, kept_columns)])
    return ReducedGame(scaled, (kept_rows, kept_columns), (row_groups, column_groups))


@dataclass(frozen=True)
class ScaledMatrix:
    """A zero-sum matrix brought to entries in [-1, 1], so that absolute tolerances of solvers mean something.

    Attributes:
        matrix: `[N_0, N_1]` payoff to the row player, (original - offset) / scale.
        offset: what was taken off, the middle of the range; 0.0 for an antisymmetric matrix.
        scale: what it was divided by; 1.0 where all entries are equal.
    """

    matrix: NDArray[np.float64]
    offset: float
    scale: float


def rescale(matrix: NDArray[np.float64]) -> ScaledMatrix:
    """Returns the matrix brought to [-1, 1]. Equilibria are invariant to both changes.

    HiGHS has an absolute tolerance of 1e-7: rock-paper-scissors times 1e-9 comes back as pure rock with "success".
    """
    offset = float(matrix.max()) / 2 + float(matrix.min()) / 2
    centred = matrix - offset
    scale = float(np.abs(centred).max())
    if scale == 0.0:
        return ScaledMatrix(centred, offset, 1.0)
    return ScaledMatrix(centred / scale, offset, scale)


def first_of_equal_rows(matrix: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Finds rows that are exactly equal.

    Args:
        matrix: `[N, M]`.

    Returns:
        `[K]` indices of the first of each group, ascending, and `[N]` the group of every row.
    """
    seen: dict[bytes, int] = {}
    kept: list[int] = []
    groups: list[int] = []
    for index, row in enumerate(matrix + 0.0):  # + 0.0 makes -0.0 and 0.0 the same bytes
        group = seen.setdefault(row.tobytes(), len(kept))
        if group == len(kept):
            kept.append(index)
        groups.append(group)
    return np.array(kept, dtype=np.intp), np.array(groups, dtype=np.intp)


def spread(weights: NDArray[np.float64], groups: NDArray[np.intp]) -> NDArray[np.float64]:
    """Splits the weight of each group evenly among its members.

    Args:
        weights: `[K]` by group.
        groups: `[N]` the group of every policy.

    Returns:
        `[N]` summing to what `weights` sums to.
    """
    sizes = np.bincount(groups, minlength=weights.size)
    return weights[groups] / sizes[groups]


def normalised(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the weights without negative ones (interior points contain -9e-11), summing to 1; uniform if none."""
    clipped = np.clip(weights, 0.0, None)
    total = float(clipped.sum())
    return clipped / total if total > 0 else np.full(weights.size, 1.0 / weights.size)
