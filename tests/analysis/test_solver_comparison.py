import numpy as np
import pytest

from csro_core.analysis.solver_comparison import compare_solvers
from csro_core.errors import UsageError
from csro_core.meta_solvers import META_SOLVERS
from tests.analysis.matrices import RPS
from tests.known_values import BATTLE_OF_THE_SEXES


def test_every_solver_on_rock_paper_scissors():
    heard = []
    rows = compare_solvers(np.stack([RPS, RPS.T]), None, True, (), lambda done, total: heard.append((done, total)))
    assert [row.solver for row in rows] == list(META_SOLVERS)
    for row in rows:
        assert row.error == ""
        assert np.allclose(row.sigma, 1 / 3, atol=1e-3)
        assert row.seconds >= 0
    assert heard[0] == (0, len(META_SOLVERS))
    assert heard[-1] == (len(META_SOLVERS), len(META_SOLVERS))


def test_a_solver_that_does_not_fit_is_a_row_with_the_reason():
    nash, uniform = compare_solvers(BATTLE_OF_THE_SEXES, None, False, ("nash", "uniform"))
    assert nash.sigma is None
    assert "zero-sum" in nash.error
    assert np.isnan(nash.value)
    assert np.allclose(uniform.sigma, 0.5)
    assert uniform.value == 1.25


def test_unknown_names():
    with pytest.raises(UsageError, match="got 'guess'"):
        compare_solvers(BATTLE_OF_THE_SEXES, names=("guess",))
