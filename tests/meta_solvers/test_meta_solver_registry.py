import pytest

from csro_core.errors import UsageError
from csro_core.meta_solvers import META_SOLVERS, make_meta_solver


def test_every_name_makes_the_solver_of_that_name():
    assert [make_meta_solver(name).name for name in META_SOLVERS] == list(META_SOLVERS)
    assert {"nash", "max-entropy-nash", "uniform"} <= set(META_SOLVERS)


def test_an_unknown_name_is_a_usage_error_that_lists_the_known_ones():
    with pytest.raises(UsageError, match=r"max-entropy-nash, nash, uniform.*'nsh'"):
        make_meta_solver("nsh")
