import numpy as np
import pytest
from hypothesis import given, settings

from csro_core.meta_solvers.max_entropy_nash import MaxEntropyNashSolver
from csro_core.meta_solvers.rectified_nash import RectifiedNashSolver
from tests.known_values import BATTLE_OF_THE_SEXES, ZERO_SUM_GAMES
from tests.strategies import antisymmetric_payoffs, zero_sum_payoffs

SOLVER = RectifiedNashSolver()


def test_rps_stays_uniform_and_a_dominant_policy_keeps_everything():
    # By hand: every policy of rps is beaten or tied by two of three; a single policy ties itself.
    assert SOLVER.solve(ZERO_SUM_GAMES[0].payoffs, symmetric=True).sigma[0] == pytest.approx(np.full(3, 1 / 3))
    assert SOLVER.solve(ZERO_SUM_GAMES[6].payoffs, symmetric=True).sigma[0] == pytest.approx([0, 0, 1], abs=1e-6)


def test_biased_rps():
    # By hand from p = (1, 10, 5) / 16: policy 0 is beaten or tied by 0 and 1, policy 1 by 1 and 2, policy 2 by 2 and 0.
    weights = np.array([1 * 11, 10 * 15, 5 * 6])
    sigma = SOLVER.solve(ZERO_SUM_GAMES[1].payoffs, symmetric=True).sigma[0]
    assert sigma == pytest.approx(weights / weights.sum(), abs=1e-5)


def test_matching_pennies_between_two_populations():
    # By hand: against each policy of the column player one row of two wins, so nothing changes.
    solution = SOLVER.solve(ZERO_SUM_GAMES[4].payoffs)
    assert solution.sigma[0] == pytest.approx([0.5, 0.5])
    assert solution.sigma[1] == pytest.approx([0.5, 0.5])


def test_two_populations_of_a_symmetric_game_get_the_answer_of_one():
    payoffs = ZERO_SUM_GAMES[1].payoffs
    one = SOLVER.solve(payoffs, symmetric=True).sigma[0]
    for sigma in SOLVER.solve(payoffs).sigma:
        assert sigma == pytest.approx(one, abs=1e-4)


@settings(max_examples=40, deadline=None)
@given(antisymmetric_payoffs())
def test_only_policies_of_the_equilibrium_have_weight(payoffs):
    equilibrium = MaxEntropyNashSolver().solve(payoffs, symmetric=True).sigma[0]
    assert (SOLVER.solve(payoffs, symmetric=True).sigma[0][equilibrium == 0] == 0).all()


@settings(max_examples=40, deadline=None)
@given(zero_sum_payoffs())
def test_there_is_always_somebody_to_meet(payoffs):
    for sigma in SOLVER.solve(payoffs).sigma:
        assert sigma.sum() == pytest.approx(1.0)


def test_general_sum_is_refused():
    with pytest.raises(ValueError, match="zero-sum games only"):
        SOLVER.solve(BATTLE_OF_THE_SEXES)
