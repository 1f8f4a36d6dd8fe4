"""Games with known answers, shared by tests. Every value carries its source."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class KnownGame:
    """A zero-sum matrix with its equilibrium.

    Attributes:
        name: short name.
        matrix: payoff to the row player.
        row: equilibrium strategy of the row player; the one of greatest entropy where there are many.
        column: the same for the column player.
        value: value to the row player.
        unique: True where it is the only equilibrium.
    """

    name: str
    matrix: tuple[tuple[float, ...], ...]
    row: tuple[float, ...]
    column: tuple[float, ...]
    value: float
    unique: bool = True

    @property
    def payoffs(self):
        matrix = np.array(self.matrix, dtype=float)
        return np.stack([matrix, -matrix])

    @property
    def symmetric(self):
        matrix = np.array(self.matrix, dtype=float)
        return matrix.shape[0] == matrix.shape[1] and bool((matrix == -matrix.T).all())


THIRD = 1 / 3

ZERO_SUM_GAMES = (
    # By hand.
    KnownGame("rps", ((0, -1, 1), (1, 0, -1), (-1, 1, 0)), (THIRD,) * 3, (THIRD,) * 3, 0.0),
    # Bosansky et al. 2016 (Artificial Intelligence 237), section 6.2; OpenSpiel's matrix_brps is 100 times this.
    KnownGame(
        "biased rps",
        ((0, -0.25, 0.5), (0.25, 0, -0.05), (-0.5, 0.05, 0)),
        (1 / 16, 10 / 16, 5 / 16),
        (1 / 16, 10 / 16, 5 / 16),
        0.0,
    ),
    # OpenSpiel lp_solver_test.py.
    KnownGame("saddle point", ((2, 1, 5), (-3, -4, -2)), (1, 0), (0, 1, 0), 1.0),
    # By hand: 3 x - (1 - x) = -x + (1 - x).
    KnownGame("2 x 2", ((3, -1), (-1, 1)), (THIRD, 2 / 3), (THIRD, 2 / 3), THIRD),
    KnownGame("matching pennies", ((1, -1), (-1, 1)), (0.5, 0.5), (0.5, 0.5), 0.0),
    # Nashpy test_minimax.py.
    KnownGame(
        "4 x 3",
        ((0, 1, -1), (-1, 0, 1), (1, -1, 0), (1, -1, 1)),
        (4 / 9, 2 / 9, 0, 3 / 9),
        (2 / 9, 4 / 9, 3 / 9),
        1 / 9,
    ),
    # OpenSpiel nash_averaging_test.py: the transitive game, and one where the last policy beats all others.
    KnownGame("transitive", ((0, -1, -1), (1, 0, -1), (1, 1, 0)), (0, 0, 1), (0, 0, 1), 0.0),
    KnownGame(
        "dominant",
        ((0, 234, 34, -270), (-234, 0, -38, -464), (-34, 38, 0, -270), (270, 464, 270, 0)),
        (0, 0, 0, 1),
        (0, 0, 0, 1),
        0.0,
    ),
    KnownGame("one by one", ((0,),), (1,), (1,), 0.0),
    # Many equilibria: the duplicates share the weight of one (OpenSpiel nash_averaging_test.py; Balduzzi et al. 2018).
    KnownGame(
        "pennies, row 2 twice", ((1, -1), (-1, 1), (-1, 1)), (0.5, 0.25, 0.25), (0.5, 0.5), 0.0, unique=False
    ),
    KnownGame(
        "rps, rock twice",
        ((0, 0, -1, 1), (0, 0, -1, 1), (1, 1, 0, -1), (-1, -1, 1, 0)),
        (1 / 6, 1 / 6, THIRD, THIRD),
        (1 / 6, 1 / 6, THIRD, THIRD),
        0.0,
        unique=False,
    ),
    KnownGame("all zero", ((0,) * 4,) * 4, (0.25,) * 4, (0.25,) * 4, 0.0, unique=False),
    # Two blocks of rock-paper-scissors that tie with each other: by symmetry the most even equilibrium is uniform.
    KnownGame(
        "two blocks",
        (
            (0, -1, 1, 0, 0, 0), (1, 0, -1, 0, 0, 0), (-1, 1, 0, 0, 0, 0),
            (0, 0, 0, 0, -1, 1), (0, 0, 0, 1, 0, -1), (0, 0, 0, -1, 1, 0),
        ),
        (1 / 6,) * 6,
        (1 / 6,) * 6,
        0.0,
        unique=False,
    ),
)  # fmt: skip

# Payoffs to (row, column): the battle of the sexes, general-sum; mixed equilibrium row (3/5, 2/5), column (2/5, 3/5).
BATTLE_OF_THE_SEXES = np.array([[[3.0, 0.0], [0.0, 2.0]], [[2.0, 0.0], [0.0, 3.0]]])
BATTLE_EQUILIBRIUM = (np.array([0.6, 0.4]), np.array([0.4, 0.6]))

# NashConv of rock-paper-scissors at (rock, rock) is 2 and at uniform 0 (OpenSpiel double_oracle_test.py).
ROCK_NASH_CONV = 2.0

# NashConv of the restricted game's equilibrium while double oracle grows biased rps from (rock, rock): theory of the
# example in Bosansky et al. 2016, recomputed by hand.
BIASED_DOUBLE_ORACLE = (0.5, 0.1, 0.0)

# One-sided normal quantile that shares 5 % among 3 tests: a null oracle then passes 4.8 % of the calls.
Z_OF_THREE = 2.128
