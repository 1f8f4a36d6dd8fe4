import pytest
from executor_contract import ExecutorContract

from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool


class TestLocalPool(ExecutorContract):
    @pytest.fixture(scope="class")
    def executor(self):
        opened = LocalPool(make_game, workers=2)
        yield opened
        opened.close()
        opened.close()
