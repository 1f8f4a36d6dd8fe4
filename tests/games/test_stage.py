import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.games.stage import step_rewards

ROCK, PAPER, SCISSORS = 0, 1, 2
FOUR = make_game(GameSpec("repeated_rps", {"num_throws": 4}))
BIASED = make_game(GameSpec("matrix", {"preset": "biased_rps"}))


def test_news_is_the_step_and_the_last_joint_throw_as_each_player_sees_it():
    episodes = FOUR.new_episodes([1])
    episodes.apply([ROCK, PAPER])
    first, second = episodes.pending()
    assert (first.assign, first.append) == ({"throw": 1}, {"my_history": [ROCK], "opponent_history": [PAPER]})
    assert (second.assign, second.append) == ({"throw": 1}, {"my_history": [PAPER], "opponent_history": [ROCK]})


def test_a_match_is_scored_throw_by_throw():
    episodes = FOUR.new_episodes([1])
    for pair in ([PAPER, ROCK], [SCISSORS, PAPER], [ROCK, ROCK], [ROCK, PAPER]):
        episodes.apply(pair)
    assert episodes.pending() == []
    assert episodes.returns().tolist() == [[1.0, -1.0]]
    assert episodes.moves() == [bytes([1, 0, 2, 1, 0, 0, 0, 1])]


def test_after_a_forfeit_the_rest_is_lost_throw_by_throw_and_the_other_episodes_go_on():
    episodes = FOUR.new_episodes([1, 2])
    episodes.apply([PAPER, ROCK, PAPER, ROCK])  # player 0 leads 1 in both
    episodes.apply([PAPER, None, PAPER, ROCK])  # player 1 forfeits episode 0 with three throws to go
    assert {turn.episode for turn in episodes.pending()} == {1}
    episodes.apply([None, ROCK])  # player 0 forfeits episode 1 with two to go
    assert episodes.pending() == []
    assert episodes.returns().tolist() == [[4.0, -4.0], [0.0, 0.0]]
    assert episodes.moves() == [bytes([1, 0, 1, 255]), bytes([1, 0, 1, 0, 255, 0])]


def test_when_both_forfeit_the_rest_is_worth_nothing():
    episodes = FOUR.new_episodes([1])
    episodes.apply([PAPER, ROCK])
    episodes.apply([None, None])
    assert episodes.pending() == []
    assert episodes.returns().tolist() == [[1.0, -1.0]]


def test_a_forfeit_of_a_matrix_costs_the_own_worst_payoff():
    episodes = BIASED.new_episodes([1, 2, 3])
    episodes.apply([None, 0, 0, None, None, None])
    assert episodes.returns().tolist() == [[-0.5, 0.5], [0.5, -0.5], [0.0, 0.0]]


def test_an_empty_batch_is_over_at_once():
    episodes = FOUR.new_episodes([])
    assert episodes.pending() == []
    assert episodes.returns().shape == (0, 2)


def test_step_rewards_reads_a_padded_log_like_a_short_one():
    stage = FOUR.lockstep
    short = step_rewards(stage, bytes([1, 0, 255, 2]), (True, False))
    padded = step_rewards(stage, bytes([1, 0, 255, 2, 255, 255, 255, 255]), (True, False))
    assert short.tolist() == padded.tolist() == [[1.0, -1.0], [-1.0, 1.0], [-1.0, 1.0], [-1.0, 1.0]]


def test_step_rewards_of_a_policy_that_never_moved():
    assert step_rewards(FOUR.lockstep, b"", (False, True)).tolist() == [[1.0, -1.0]] * 4
    assert step_rewards(FOUR.lockstep, b"", (True, True)).tolist() == [[0.0, 0.0]] * 4


@pytest.mark.parametrize("log", [bytes(7), bytes(10), bytes(6), b"", bytes([0, 0, 0, 255, 0, 0, 0, 0])])
def test_step_rewards_refuses_a_log_that_cannot_be(log):
    with pytest.raises(ValueError, match="log"):
        step_rewards(FOUR.lockstep, log)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=4, max_size=4))
def test_returns_are_the_sums_of_the_payoffs(pairs):
    episodes = FOUR.new_episodes([1])
    for pair in pairs:
        episodes.apply(pair)
    wins = sum((one - two) % 3 == 1 for one, two in pairs)
    losses = sum((two - one) % 3 == 1 for one, two in pairs)
    assert episodes.returns().tolist() == [[wins - losses, losses - wins]]
    rewards = step_rewards(FOUR.lockstep, episodes.moves()[0])
    assert np.array_equal(rewards.sum(axis=0), episodes.returns()[0])
