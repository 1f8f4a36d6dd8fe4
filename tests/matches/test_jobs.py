import numpy as np
import pytest

from csro_core.games.base import GameSpec
from csro_core.matches.jobs import MatchJob

GAME = GameSpec("repeated_rps")


@pytest.mark.parametrize("number", [np.int64(1), True, 1.0, "1", None])
def test_seats_and_seeds_are_plain_ints(number):
    """numpy's numbers would reach a policy as bytes, and give other seeds than equal ints."""
    for seats, seeds in (((number,), (1,)), ((1,), (number,))):
        with pytest.raises(ValueError, match="plain ints"):
            MatchJob(GAME, ("a", "b"), seats, seeds)


@pytest.mark.parametrize(("seats", "seeds"), [((), ()), ((0,), (1, 2)), ((2,), (1,)), ((0, -1), (1, 2))])
def test_seats_and_seeds_speak_of_the_same_episodes(seats, seeds):
    with pytest.raises(ValueError, match="one seat"):
        MatchJob(GAME, ("a", "b"), seats, seeds)


def test_any_int_is_a_seed():
    assert MatchJob(GAME, ("a", "b"), (0, 1, 1), (-5, 2**70, -5)).seeds == (-5, 2**70, -5)
