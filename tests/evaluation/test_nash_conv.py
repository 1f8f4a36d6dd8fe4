import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csro_core.evaluation.nash_conv import action_frequencies, matrix_exploitability, meta_nash_conv
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.jobs import MatchJob
from tests.known_values import BATTLE_EQUILIBRIUM, BATTLE_OF_THE_SEXES, ZERO_SUM_GAMES
from tests.metagame.fake_executor import BROKEN, RANDOM, FakeExecutor, always
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
    assert meta_nash_conv(np.stack([meta, -meta]), (sigma, sigma)) == 0.0
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
    assert matrix_exploitability(payoffs, pure, sigma) == pytest.approx(meta_nash_conv(payoffs, sigma) / 2)


def log(*pairs):
    return zlib.compress(bytes(byte for pair in pairs for byte in pair))


def test_actions_are_counted_and_forfeits_are_not():
    moves = [log((0, 1)), log((0, 1)), log((2, 1)), log((255, 1)), log()]
    first = action_frequencies(moves, 0, 3)
    assert first.frequencies == pytest.approx([2 / 3, 0, 1 / 3])
    assert (first.deterministic, first.episodes) == (False, 3)
    second = action_frequencies(moves, 1, 3)
    assert second.frequencies.tolist() == [0, 1, 0]
    assert (second.deterministic, second.episodes) == (True, 4)


def test_a_policy_that_never_acts_is_not_called_deterministic():
    found = action_frequencies([log((255, 0))], 0, 2)
    assert np.isnan(found.frequencies).all()
    assert (found.deterministic, found.episodes) == (False, 0)


def test_logs_of_longer_games_are_refused():
    with pytest.raises(ValueError, match="2 steps"):
        action_frequencies([log((0, 1), (1, 1))], 0, 2)


def test_frequencies_of_real_matches():
    game = make_game(GameSpec("matrix"))
    for texts, sure in [((always(2), RANDOM), (True, False)), ((BROKEN, always(1)), (False, True))]:
        job = MatchJob(game.spec, texts, seats=(0, 1) * 20, seeds=tuple(range(40)), keep_moves=True)
        moves = FakeExecutor().play(job).moves
        assert tuple(action_frequencies(moves, policy, 3).deterministic for policy in (0, 1)) == sure
