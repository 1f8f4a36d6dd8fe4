import pytest
from toy_games import make_toy_game

from csro_core.matches.local_pool import LocalPool


@pytest.fixture(scope="session")
def pool():
    opened = LocalPool(make_toy_game, workers=3)
    yield opened
    opened.close()
