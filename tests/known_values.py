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


@dataclass(frozen=True)
class ExactValue:
    """What a policy in both seats of an OpenSpiel game is known to be worth.

    Attributes:
        game: the game as on the command line.
        policy: "uniform", or the action that it always takes where it is legal (else the nearest one).
        nash_conv: of the policy against itself.
        value: of the game to player 0, or None where it is not asked.
    """

    game: str
    policy: str
    nash_conv: float
    value: float | None = None


GOOFSPIEL = "goofspiel(num_cards=4, imp_info=true, points_order=descending)"

EXACT_VALUES = (
    # Kuhn: value Kuhn 1950; NashConv OpenSpiel exploitability_test.py (uniform, always pass).
    ExactValue("kuhn_poker", "uniform", 11 / 12, -1 / 18),
    ExactValue("kuhn_poker", "0", 2.0),
    # Always bet: by hand, 1/3 each.
    ExactValue("kuhn_poker", "1", 2 / 3),
    # Leduc: value PSRO (arXiv 1711.00832) appendix E.2 and OpenSpiel sequence_form_lp_test.py; NashConv OpenSpiel
    # exploitability_test.py; always call recomputed with OpenSpiel's best_response.
    ExactValue("leduc_poker", "uniform", 4.747222222222222, -0.085606424078),
    ExactValue("leduc_poker", "1", 2.933333333333333),
    # Always fold (where that is legal, else call): OpenSpiel exploitability_test.py. Always raise (else call) by
    # OpenSpiel's best_response.
    ExactValue("leduc_poker", "0", 2.0),
    ExactValue("leduc_poker", "2", 4.733333333333333),
    # Liar's dice and goofspiel: OpenSpiel's own best_response and sequence_form_lp.
    ExactValue("liars_dice(dice_sides=4)", "uniform", 1.3101190476190474, 0.0625),
    ExactValue("liars_dice(dice_sides=5)", "uniform", 1.4417418, 0.008),
    # Six sides: value Neller and Lanctot 2013, as in OpenSpiel's sequence_form_lp_test.py.
    ExactValue("liars_dice", "uniform", 1.5614886, -0.027131782946),
    ExactValue(GOOFSPIEL, "uniform", 1.4166666666666667, 0.0),
)

# OpenSpiel best_response_test.py: to player 0 and to player 1.
KUHN_BEST_RESPONSES_TO_UNIFORM = (0.5, 0.41666666666666663)


def kuhn_equilibrium(information_state, alpha):
    """Returns the chances to pass and to bet in the equilibria of Kuhn 1950 (OpenSpiel data.py), alpha in [0, 1/3]."""
    bet = {
        "0": alpha, "1": 0.0, "2": 3 * alpha, "0pb": 0.0, "1pb": alpha + 1 / 3, "2pb": 1.0,
        "0p": 1 / 3, "1p": 0.0, "2p": 1.0, "0b": 0.0, "1b": 1 / 3, "2b": 1.0,
    }[information_state]  # fmt: skip
    return np.array([1 - bet, bet])
