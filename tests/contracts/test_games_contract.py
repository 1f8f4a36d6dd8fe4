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
]


@pytest.mark.parametrize("game", [make_game(spec) for spec in SPECS], ids=lambda game: game.spec.key)
class TestGames(GameContract):
    pass
