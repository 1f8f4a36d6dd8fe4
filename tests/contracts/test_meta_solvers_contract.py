import pytest
from meta_solver_contract import MetaSolverContract

from csro_core.meta_solvers import META_SOLVERS, make_meta_solver, prd, regret_matching, shor


@pytest.fixture(scope="module", autouse=True)
def few_steps():
    """The contract holds after any number of steps; the real ones take a second a game."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (prd, regret_matching, shor):
            patch.setattr(module, "affordable_steps", lambda payoffs, wanted: min(wanted, 300))
        yield


@pytest.mark.parametrize("solver", [make_meta_solver(name) for name in META_SOLVERS], ids=lambda solver: solver.name)
class TestMetaSolvers(MetaSolverContract):
    pass
