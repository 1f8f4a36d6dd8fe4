import pytest

from csro_core.errors import UsageError
from csro_core.meta_solvers import META_SOLVERS, ROUGH, make_meta_solver, rough_solver
from csro_core.meta_solvers.verify import FOR_GENERAL_SUM
from tests.known_values import ZERO_SUM_GAMES


def test_every_name_makes_the_solver_of_that_name():
    assert [make_meta_solver(name).name for name in META_SOLVERS] == list(META_SOLVERS)
    assert {"nash", "max-entropy-nash", "uniform"} <= set(META_SOLVERS)


def test_an_unknown_name_is_a_usage_error_that_lists_the_known_ones():
    with pytest.raises(UsageError, match=r"max-entropy-nash, nash, uniform.*'nsh'"):
        make_meta_solver("nsh")


def test_the_message_for_general_sum_games_names_exactly_those_that_handle_them():
    named = set(FOR_GENERAL_SUM.replace(" or ", ", ").split(", "))
    assert named == {name for name in META_SOLVERS if not make_meta_solver(name).zero_sum_only}


def test_every_name_of_the_issue_is_there():
    wanted = "nash max-entropy-nash uniform prd regret-matching logit alpha-rank shor rectified-nash"
    assert set(wanted.split()) <= set(META_SOLVERS)


@pytest.mark.parametrize("name", META_SOLVERS)
def test_a_rough_solver_is_the_same_solver_and_near_it(name):
    solver = make_meta_solver(name)
    rough = rough_solver(solver)
    assert rough.name == name
    assert (rough is solver) == (name not in ROUGH)
    # Rock-paper-scissors and the game with a dominant policy are fixed by every solver after few steps.
    sigma = rough.solve(ZERO_SUM_GAMES[0].payoffs, symmetric=True).sigma[0]
    assert sigma == pytest.approx([1 / 3] * 3, abs=1e-3)
