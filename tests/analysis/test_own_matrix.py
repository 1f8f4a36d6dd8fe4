import numpy as np
import pytest

from csro_core.analysis.own_matrix import matrix_game
from csro_core.errors import UsageError
from csro_core.games.matrix_rows import NamedRows, named_rows_from_csv_text

RPS = named_rows_from_csv_text("0,-1,1\n1,0,-1\n-1,1,0\n")


def test_one_antisymmetric_matrix_is_one_population():
    game = matrix_game(RPS)
    assert game.antisymmetric
    assert not np.signbit(game.payoffs).any() or (game.payoffs[np.signbit(game.payoffs)] < 0).all()


def test_one_other_matrix_is_zero_sum_with_two_populations():
    game = matrix_game(NamedRows(((3.0, -1.0), (-1.0, 1.0))))
    assert game.zero_sum
    assert not game.symmetric


def test_two_matrices():
    row, column = NamedRows(((3.0, 0.0), (5.0, 1.0))), NamedRows(((3.0, 5.0), (0.0, 1.0)))
    dilemma = matrix_game(row, column)
    assert dilemma.symmetric  # the second is the first transposed
    assert not dilemma.zero_sum
    assert not matrix_game(row, row).symmetric


def test_errors_count_for_both_players():
    game = matrix_game(RPS, stderr=NamedRows(((0.1,) * 3,) * 3))
    assert (game.stderr == 0.1).all()
    with pytest.raises(UsageError, match="not be negative, got -1 in row 1, column 2"):
        matrix_game(RPS, stderr=NamedRows(((0.0, -1.0, 0.0),) * 3))


def test_names_serve_both_players_of_a_square_matrix():
    named = NamedRows(((0.0, 1.0), (-1.0, 0.0)), ("a", ""), ())
    assert matrix_game(named).names == (("a", "1"), ("a", "1"))
    tall = NamedRows(((0.0,), (1.0,)), ("a", "b"), ())
    assert matrix_game(tall).names == (("a", "b"), ("0",))
    assert matrix_game(RPS).names == ((), ())


def test_shapes_must_agree():
    with pytest.raises(UsageError, match="one shape, got .3, 3. and .1, 1."):
        matrix_game(RPS, NamedRows(((1.0,),)))
