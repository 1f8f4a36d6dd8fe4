import pytest
from game_contract import GameContract

from csro_core.games import GAMES, make_game
from csro_core.games.base import GameSpec

SPECS = [
    *(GameSpec(name) for name in GAMES),
    GameSpec("repeated_rps", {"num_throws": 7}),
    GameSpec("matrix", {"preset": "biased_rps"}),
    GameSpec("matrix", {"preset": "matching_pennies"}),
    GameSpec("matrix", {"payoffs": [[3.0, -1.5, 0.25]]}),
    GameSpec("matrix", {"payoffs": [[2.0], [-4.0]]}),
    GameSpec("repeated_leduc", {"num_hands": 3, "reveal": True}),
    GameSpec("kuhn_poker", {"tensor": True}),
    GameSpec("goofspiel", {"num_cards": 4}),
    GameSpec("repeated_game", {"stage_game": "matrix_mp()", "num_repetitions": 5}),
    *(
        GameSpec(name)
        for name in ("tic_tac_toe", "universal_poker", "matrix_rps", "matrix_pd", "tiny_hanabi", "bargaining", "pig")
    ),
]


@pytest.mark.parametrize("game", [make_game(spec) for spec in SPECS], ids=lambda game: game.spec.key)
class TestGames(GameContract):
    pass
