import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csro_core.meta_solvers.reduce import first_of_equal_rows, reduce_game, rescale, spread
from csro_core.meta_solvers.verify import gains, nash_conv, require_zero_sum
from tests.known_values import BATTLE_EQUILIBRIUM, BATTLE_OF_THE_SEXES, ROCK_NASH_CONV, ZERO_SUM_GAMES
from tests.strategies import distributions, zero_sum_payoffs

RPS = ZERO_SUM_GAMES[0].payoffs


def test_nash_conv_of_rock_and_of_uniform():
    rock = np.array([1.0, 0.0, 0.0])
    assert nash_conv(RPS, (rock, rock)) == ROCK_NASH_CONV
    assert gains(RPS, (rock, rock)) == (1.0, 1.0)
    assert nash_conv(RPS, (np.full(3, 1 / 3), np.full(3, 1 / 3))) == pytest.approx(0.0, abs=1e-15)


def test_nash_conv_of_a_general_sum_game():
    assert nash_conv(BATTLE_OF_THE_SEXES, BATTLE_EQUILIBRIUM) == pytest.approx(0.0, abs=1e-12)
    # Both insist on their own favourite: each would gain by giving in, 2 and 2.
    assert gains(BATTLE_OF_THE_SEXES, (np.array([1.0, 0.0]), np.array([0.0, 1.0]))) == (2.0, 2.0)


@given(st.data())
def test_nash_conv_is_not_negative_and_is_what_the_best_pure_deviations_earn(data):
    payoffs = data.draw(zero_sum_payoffs())
    row, column = (data.draw(distributions(size)) for size in payoffs.shape[1:])
    value = sum(row[i] * column[j] * payoffs[0, i, j] for i in range(row.size) for j in range(column.size))
    best_row = max(sum(column[j] * payoffs[0, i, j] for j in range(column.size)) for i in range(row.size))
    best_column = max(sum(row[i] * payoffs[1, i, j] for i in range(row.size)) for j in range(column.size))
    conv = nash_conv(payoffs, (row, column))
    assert conv >= 0
    assert conv == pytest.approx((best_row - value) + (best_column + value), abs=1e-9)


def test_general_sum_is_refused_with_the_reason():
    require_zero_sum(RPS)
    with pytest.raises(ValueError, match="zero-sum games only.*off by 5"):
        require_zero_sum(BATTLE_OF_THE_SEXES)


def test_duplicates_are_found_whatever_their_place_and_the_sign_of_zero():
    kept, groups = first_of_equal_rows(np.array([[1.0, 0.0], [2.0, 1.0], [1.0, -0.0], [2.0, 1.0 + 1e-15]]))
    assert kept.tolist() == [0, 1, 3]
    assert groups.tolist() == [0, 1, 0, 2]
    assert spread(np.array([0.5, 0.25, 0.25]), groups).tolist() == [0.25, 0.25, 0.25, 0.25]


def test_rescaling_takes_off_what_all_entries_share():
    scaled = rescale(np.array([[1e9 + 3.0, 1e9 - 1.0], [1e9 - 1.0, 1e9 + 1.0]]))
    assert scaled.matrix.tolist() == [[1.0, -1.0], [-1.0, 0.0]]
    assert (scaled.offset, scaled.scale) == (1e9 + 1.0, 2.0)
    assert rescale(np.full((2, 2), 7.0)).matrix.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_rounding_in_a_symmetric_game_is_averaged_out():
    payoffs = RPS * 0.1
    payoffs[0, 0, 1] += 1e-17
    payoffs[1, 1, 0] += 1e-17
    matrix = reduce_game(payoffs, symmetric=True).scaled.matrix
    assert (matrix == -matrix.T).all()
