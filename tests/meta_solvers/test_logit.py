import numpy as np
import pytest
from hypothesis import given, settings

from csro_core.meta_solvers import logit
from csro_core.meta_solvers.logit import LogitSolver, logit_equilibrium
from tests.known_values import BATTLE_OF_THE_SEXES, ZERO_SUM_GAMES
from tests.strategies import general_sum_payoffs, zero_sum_payoffs

BIASED, TWO = ZERO_SUM_GAMES[1].payoffs, ZERO_SUM_GAMES[3].payoffs

# Recomputed to a residual below 1e-14: row strategy by lambda in the payoffs' own unit.
OF_BIASED_RPS = {
    0.5: (0.345327, 0.345833, 0.308840),
    1: (0.353236, 0.360821, 0.285943),
    5: (0.307364, 0.503547, 0.189089),
    20: (0.132727, 0.654497, 0.212776),
    100: (0.072642, 0.642098, 0.285260),
    1000: (0.063382, 0.626983, 0.309635),
}
OF_TWO_BY_TWO = {1: (0.466128, 0.310717), 5: (0.359373, 0.314064), 20: (0.339319, 0.327781), 100: (0.334497, 0.332187)}


def residual(payoffs, sigma, precision):
    worst = 0.0
    for weights, payoff in zip(sigma, (payoffs[0] @ sigma[1], sigma[0] @ payoffs[1]), strict=True):
        logits = precision * payoff
        reply = np.exp(logits - logits.max())
        worst = max(worst, float(np.abs(reply / reply.sum() - weights).max()))
    return worst


@pytest.mark.parametrize("precision", OF_BIASED_RPS)
@pytest.mark.parametrize("symmetric", [True, False])
def test_biased_rps(precision, symmetric):
    found = logit_equilibrium(BIASED, precision, symmetric)
    assert (found.precision, found.jumped) == (precision, False)
    for sigma in found.sigma:
        assert sigma == pytest.approx(OF_BIASED_RPS[precision], abs=1e-6)


@pytest.mark.parametrize("precision", OF_TWO_BY_TWO)
def test_two_by_two(precision):
    row, column = logit_equilibrium(TWO, precision).sigma
    assert (row[0], column[0]) == pytest.approx(OF_TWO_BY_TWO[precision], abs=1e-6)


def test_without_precision_everything_is_uniform():
    assert logit_equilibrium(BIASED, 0.0).sigma[0] == pytest.approx(np.full(3, 1 / 3))


@settings(max_examples=60, deadline=None)
@given(zero_sum_payoffs())
def test_zero_sum_games_reach_their_one_solution(payoffs):
    found = logit_equilibrium(payoffs, 20.0 / max(1.0, np.abs(payoffs).max()))
    assert not found.jumped
    assert residual(payoffs, found.sigma, found.precision) < 1e-9


@settings(max_examples=60, deadline=None)
@given(general_sum_payoffs())
def test_what_comes_out_of_general_sum_games_is_a_solution(payoffs):
    found = logit_equilibrium(payoffs, 5.0)
    assert residual(payoffs, found.sigma, found.precision) < 1e-6


def test_large_lambda_is_near_the_equilibrium():
    for game in ZERO_SUM_GAMES:
        found = logit_equilibrium(game.payoffs, 1e4)
        gain = (game.payoffs[0] @ found.sigma[1]).max() - (found.sigma[0] @ game.payoffs[0]).min()
        assert gain <= 2 * np.log(6) / 1e4 + 1e-9


def test_coordination_takes_the_risk_dominant_side():
    # Stag hunt with payoffs (4, 0; 3, 3): hare is risk-dominant, and the principal branch ends there (Turocy 2005).
    row = np.array([[4.0, 0.0], [3.0, 3.0]])
    sigma = logit_equilibrium(np.stack([row, row.T]), 20.0, symmetric=True).sigma
    assert sigma[0][1] > 0.99


def test_battle_of_the_sexes_keeps_its_symmetry_on_the_branch():
    solution = LogitSolver().solve(BATTLE_OF_THE_SEXES)
    assert solution.sigma[0] == pytest.approx(solution.sigma[1][::-1], abs=1e-6)


def test_the_precision_does_not_depend_on_the_unit_of_either_player():
    plain = LogitSolver().solve(BATTLE_OF_THE_SEXES)
    mixed = LogitSolver().solve(BATTLE_OF_THE_SEXES * np.array([1e-6, 1e6])[:, None, None])
    assert mixed.sigma[0] == pytest.approx(plain.sigma[0], abs=1e-6)


def test_where_the_trace_ends_it_says_how_far_it_came(monkeypatch):
    real = logit._System.newton

    def stuck(self, logits, here, ahead, size):
        return None if ahead > 1.0 else real(self, logits, here, ahead, size)

    monkeypatch.setattr(logit._System, "newton", stuck)
    solution = LogitSolver().solve(BIASED, symmetric=True)
    assert "ended at a lambda of" in solution.note
    assert solution.sigma[0].sum() == pytest.approx(1.0)


def test_two_hundred_policies():
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(200, 200))
    payoffs = np.stack([matrix - matrix.T, matrix.T - matrix])
    found = logit_equilibrium(payoffs / np.abs(payoffs).max(), 50.0, symmetric=True)
    assert residual(payoffs / np.abs(payoffs).max(), found.sigma, 50.0) < 1e-9
