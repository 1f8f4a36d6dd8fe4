import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csro_core.evaluation.nash_conv import matrix_exploitability
from csro_core.meta_solvers.verify import nash_conv
from tests.known_values import BATTLE_EQUILIBRIUM, BATTLE_OF_THE_SEXES, ZERO_SUM_GAMES
from tests.strategies import distributions, zero_sum_payoffs


@pytest.mark.parametrize("game", ZERO_SUM_GAMES, ids=lambda game: game.name)
def test_known_equilibria_are_not_exploitable(game):
    row, column = np.array(game.row), np.array(game.column)
    pure = (np.eye(row.size), np.eye(column.size))
    assert matrix_exploitability(game.payoffs, pure, (row, column)) == pytest.approx(0.0, abs=1e-9)


def test_general_sum_equilibrium():
    assert matrix_exploitability(BATTLE_OF_THE_SEXES, (np.eye(2), np.eye(2)), BATTLE_EQUILIBRIUM) == pytest.approx(0.0)


def test_the_meta_game_may_be_solved_while_the_game_is_not():
    # Two policies of rock-paper-scissors, rock and paper: paper is the equilibrium of the meta-game, and loses 1 a
    # throw to scissors in the game.
    rps = ZERO_SUM_GAMES[0].payoffs
    sigma = np.array([0.0, 1.0])
    strategies = np.eye(3)[:2]
    meta = np.array([[0.0, -1.0], [1.0, 0.0]])
    assert nash_conv(np.stack([meta, -meta]), (sigma, sigma)) == 0.0
    assert matrix_exploitability(rps, (strategies, strategies), (sigma, sigma)) == 1.0


def test_mixed_policies_count_with_their_frequencies():
    rps = ZERO_SUM_GAMES[0].payoffs
    uniform = np.full((1, 3), 1 / 3)
    assert matrix_exploitability(rps, (uniform, uniform), (np.ones(1), np.ones(1))) == pytest.approx(0.0, abs=1e-12)


@given(st.data())
def test_more_policies_in_the_support_never_change_a_game_of_pure_policies(data):
    payoffs = data.draw(zero_sum_payoffs(max_size=4))
    sigma = tuple(data.draw(distributions(size)) for size in payoffs.shape[1:])
    pure = tuple(np.eye(size) for size in payoffs.shape[1:])
    assert matrix_exploitability(payoffs, pure, sigma) == pytest.approx(nash_conv(payoffs, sigma) / 2)
