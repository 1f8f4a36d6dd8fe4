import pytest
from executor_contract import ExecutorContract

from csro_core.games import make_game
from csro_core.matches.cluster import ClusterPool
from csro_core.matches.local_pool import LocalPool


class TestLocalPool(ExecutorContract):
    @pytest.fixture(scope="class")
    def executor(self):
        opened = LocalPool(make_game, workers=2)
        yield opened
        opened.close()
        opened.close()


class TestClusterPool(ExecutorContract):
    @pytest.fixture(scope="class")
    def executor(self, tmp_path_factory):
        pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
        from tests.matches.cluster_machines import machines  # it needs the extra

        with machines(tmp_path_factory.mktemp("cluster"), workers=2) as own:
            opened = ClusterPool(own.address)
            yield opened
            opened.close()
            opened.close()
