import pytest
from meta_solver_contract import MetaSolverContract

from csro_core.meta_solvers import META_SOLVERS, make_meta_solver


@pytest.mark.parametrize("solver", [make_meta_solver(name) for name in META_SOLVERS], ids=lambda solver: solver.name)
class TestMetaSolvers(MetaSolverContract):
    pass
