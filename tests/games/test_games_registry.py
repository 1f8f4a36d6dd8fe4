import pytest

from csro_core.errors import UsageError
from csro_core.games import GAMES, list_games, make_game, parse_game
from csro_core.games.base import GameSpec


def test_the_registry_lists_its_games_with_their_defaults():
    assert [game.spec for game in list_games()] == [GameSpec(name) for name in GAMES]
    assert {"repeated_rps", "matrix"} <= set(GAMES)


def test_an_unknown_game_lists_the_known_ones():
    with pytest.raises(UsageError, match=r"unknown game 'gofspiel'; did you mean goofspiel.*repeated_rps, matrix"):
        make_game(GameSpec("gofspiel"))


def test_an_unknown_parameter_lists_the_known_ones():
    with pytest.raises(UsageError, match="no parameter 'rounds'; it has: num_throws"):
        make_game(GameSpec("repeated_rps", {"rounds": 3}))


def test_defaults_are_dropped_so_that_a_game_has_one_key():
    game = make_game(GameSpec("repeated_rps", {"num_throws": 1000}))
    assert game is make_game(GameSpec("repeated_rps"))
    assert game.spec.key == "repeated_rps"
    assert make_game(GameSpec("matrix", {"preset": "rps"})).spec.key == "matrix"


def test_different_parameters_are_different_games():
    keys = {make_game(GameSpec("repeated_rps", {"num_throws": throws})).spec.key for throws in (1, 2, 300, 1000)}
    assert len(keys) == 4


def test_a_cached_game_does_not_hide_a_wrong_parameter_that_compares_equal():
    make_game(GameSpec("repeated_rps", {"num_throws": 1}))
    with pytest.raises(UsageError):
        make_game(GameSpec("repeated_rps", {"num_throws": True}))


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("repeated_rps", GameSpec("repeated_rps")),
        ("  repeated_rps ( ) ", GameSpec("repeated_rps")),
        ("repeated_rps(num_throws=300)", GameSpec("repeated_rps", {"num_throws": 300})),
        ("repeated_rps(num_throws=1000)", GameSpec("repeated_rps")),
        ("matrix", GameSpec("matrix")),
        ("matrix(preset=biased_rps)", GameSpec("matrix", {"preset": "biased_rps"})),
        ('matrix( preset = "biased_rps" )', GameSpec("matrix", {"preset": "biased_rps"})),
        ("matrix(payoffs=[[1, 2], [3, 4]])", GameSpec("matrix", {"payoffs": [[1.0, 2.0], [3.0, 4.0]]})),
        ("matrix(payoffs=[[1,-1],[-1,1]])", GameSpec("matrix", {"preset": "matching_pennies"})),
    ],
)
def test_games_as_they_are_written_on_the_command_line(text, spec):
    assert parse_game(text) == spec


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "NAME"),
        ("matrix(", "NAME"),
        ("matrix)", "NAME"),
        ("hex(board_size=3, (2)", "name=value"),
        ("matrix(preset=rps) x", "NAME"),
        ("chess", "4,674 distinct actions"),
        ("chezz", "unknown game 'chezz'; did you mean chess"),
        ("repeated_rps(300)", "name=value, got '300'"),
        ("repeated_rps(num_throws=)", "name=value"),
        ("repeated_rps(num_throws=1,)", "name=value, got ''"),
        ("repeated_rps(num_throws=1, num_throws=2)", "given twice"),
        ("repeated_rps(num_throws=many)", "whole number.*'many'"),
        ("repeated_rps(num_throws=-5)", "whole number.*-5"),
        ("matrix(payoffs=[[1, NaN]])", "list of rows"),
        ("matrix(payoffs=" + "[" * 5000 + ")", "list of rows"),
        ("matrix(payoffs=null)", "list of rows"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(text, message):
    with pytest.raises(UsageError, match=message) as refused:
        parse_game(text)
    assert "\n" not in str(refused.value)
