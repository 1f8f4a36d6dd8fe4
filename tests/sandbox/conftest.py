import pytest

from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool
from csro_core.sandbox.host import PolicyHost


@pytest.fixture(scope="session")
def pool():
    with_all_layers = LocalPool(make_game)
    yield with_all_layers
    with_all_layers.close()


@pytest.fixture(scope="session")
def reduced_pool():
    """What runs where there is no kernel jail: process, guard and watchdog only."""
    without_kernel = LocalPool(make_game, host=PolicyHost(kernel_jail=False))
    yield without_kernel
    without_kernel.close()
