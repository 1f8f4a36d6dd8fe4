import pytest

from csro_core.errors import UsageError
from csro_core.games import make_game
from csro_core.games.base import GameSpec


def test_the_default_match_has_1000_throws():
    game = make_game(GameSpec("repeated_rps"))
    assert game.title == "repeated rock-paper-scissors (1,000 throws)"
    assert game.unit == "net throws per 1,000-throw match"
    assert (game.min_return, game.max_return) == (-1000.0, 1000.0)
    assert game.symmetric
    assert game.zero_sum
    assert game.lockstep.num_steps == 1000


def test_the_first_observation_is_the_contract():
    assert make_game(GameSpec("repeated_rps", {"num_throws": 5})).first_observation(1) == {
        "throw": 0,
        "num_throws": 5,
        "my_history": [],
        "opponent_history": [],
        "player": 1,
        "legal_actions": [0, 1, 2],
    }


def test_paper_beats_rock_scissors_beats_paper_rock_beats_scissors():
    payoffs = make_game(GameSpec("repeated_rps")).lockstep.payoffs
    for beaten, winner in ((0, 1), (1, 2), (2, 0)):
        assert payoffs[:, winner, beaten].tolist() == [1.0, -1.0]
        assert payoffs[:, beaten, winner].tolist() == [-1.0, 1.0]
    assert payoffs.trace(axis1=1, axis2=2).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("throws", "screened"), [(1, 1), (299, 299), (300, 300), (301, 300), (1000, 300), (100_000, 300)]
)
def test_screening_plays_at_most_300_throws(throws, screened):
    game = make_game(GameSpec("repeated_rps", {"num_throws": throws}))
    assert make_game(game.screening).lockstep.num_steps == screened


def test_units_name_the_length_so_that_lengths_are_not_mixed_up():
    assert make_game(GameSpec("repeated_rps", {"num_throws": 300})).unit == "net throws per 300-throw match"


@pytest.mark.parametrize("throws", [0, -1, 100_001, 1.5, 10.0, True, "300", None, [[1.0]]])
def test_an_absurd_length_is_refused_in_one_line(throws):
    with pytest.raises(UsageError, match="num_throws must be a whole number from 1 to 100,000") as refused:
        make_game(GameSpec("repeated_rps", {"num_throws": throws}))
    assert "\n" not in str(refused.value)
