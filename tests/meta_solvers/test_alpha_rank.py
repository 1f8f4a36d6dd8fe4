import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csro_core.meta_solvers import alpha_rank, alpha_rank_large
from csro_core.meta_solvers.alpha_rank import (
    MOST_PROFILES,
    AlphaRankFiniteSolver,
    AlphaRankSolver,
    response_graph,
    sweep,
)
from csro_core.meta_solvers.chains import stationary_distribution
from tests.known_values import BATTLE_OF_THE_SEXES, ZERO_SUM_GAMES
from tests.strategies import antisymmetric_payoffs, general_sum_payoffs

RPS, BIASED = ZERO_SUM_GAMES[0].payoffs, ZERO_SUM_GAMES[1].payoffs
PENNIES, TRANSITIVE = ZERO_SUM_GAMES[4].payoffs, ZERO_SUM_GAMES[6].payoffs
DILEMMA = np.array([[[5.0, 0.0], [10.0, 1.0]], [[5.0, 10.0], [0.0, 1.0]]])
ALPHAS = (0.01, 0.1, 1.0, 100.0, 1e6, math.inf)


def test_han_et_al_2013():
    # OpenSpiel alpharank_test.py after Han, Pereira and Lenaerts 2013: five strategies, m = 20, finite population.
    r, t, p, s, delta, eps = 1.0, 2.0, 0.0, -1.0, 4.0, 0.25
    matrix = np.array([
        [r - eps / 2, r - eps, 0, s + delta - eps, r - eps], [r, r, s, s, s], [0, t, p, p, p],
        [t - delta, t, p, p, p], [r, t, p, p, p],
    ])  # fmt: skip
    found = response_graph(np.stack([matrix, matrix.T]), True, 0.1, 20, "finite").stationary
    assert found == pytest.approx([0.40966787, 0.07959841, 0.20506998, 0.08505983, 0.2206039], abs=1e-4)


@pytest.mark.parametrize(("alpha", "better", "worse"), [(0.1, 0.09580813, 0.00071344), (1.0, 0.63212056, 3.3e-22)])
def test_fixation_over_a_gap_of_one(alpha, better, worse):
    matrix = np.array([[0.0, 0.5], [-0.5, 0.0]])  # the gap is the difference of both entries
    graph = response_graph(np.stack([matrix, -matrix]), True, alpha)
    assert graph.fixation[1, 0] / 50 == pytest.approx(better, abs=1e-8)
    assert graph.fixation[0, 1] / 50 == pytest.approx(worse, rel=0.02)


def test_a_neutral_mutant_has_fixation_one():
    graph = response_graph(np.zeros((2, 3, 3)), True, 5.0)
    assert graph.fixation == pytest.approx(1 - np.eye(3))
    assert graph.stationary == pytest.approx(np.full(3, 1 / 3))


@pytest.mark.parametrize("alpha", ALPHAS)
def test_cycles_are_uniform_at_every_alpha(alpha):
    assert response_graph(RPS, True, alpha).stationary == pytest.approx(np.full(3, 1 / 3))
    assert response_graph(PENNIES, False, alpha).stationary == pytest.approx(np.full(4, 0.25))


@pytest.mark.parametrize(
    ("payoffs", "symmetric", "alpha", "stationary"),
    [
        (BATTLE_OF_THE_SEXES, False, 0.01, (0.383842, 0.14406, 0.088255, 0.383842)),
        (BATTLE_OF_THE_SEXES, False, 0.1, (0.499986, 0.000028, 0, 0.499986)),
        # An eigenvector solver raises from alpha = 1 on ("found 2 stationary distributions").
        (BATTLE_OF_THE_SEXES, False, 1.0, (0.5, 0, 0, 0.5)),
        (BATTLE_OF_THE_SEXES, False, 1e5, (0.5, 0, 0, 0.5)),
        (BATTLE_OF_THE_SEXES, False, math.inf, (0.495, 0.005, 0.005, 0.495)),
        (DILEMMA, False, 0.1, (0, 0.007337, 0.007337, 0.985325)),
        (TRANSITIVE, True, 0.1, (0.000028, 0.000083, 0.999889)),
        (TRANSITIVE, True, math.inf, (0.005025, 0.014777, 0.980198)),
        (BIASED, True, 0.1, (0.286923, 0.579558, 0.133519)),
        (BIASED, True, 1.0, (0.1744, 0.717043, 0.108557)),
        (BIASED, True, 10.0, (0.280534, 0.440809, 0.278657)),
        (BIASED, True, math.inf, (1 / 3, 1 / 3, 1 / 3)),
    ],
)  # fmt: skip
def test_known_distributions(payoffs, symmetric, alpha, stationary):
    # OpenSpiel's formulas with m = 50; recomputed to six digits.
    assert response_graph(payoffs, symmetric, alpha).stationary == pytest.approx(stationary, abs=1e-6)


def test_the_chain_of_two_populations_changes_one_player_at_a_time():
    graph = response_graph(BATTLE_OF_THE_SEXES, False, 0.1)
    assert graph.profiles == ((0, 0), (0, 1), (1, 0), (1, 1))
    assert graph.transition[0, 3] == graph.transition[1, 2] == 0.0
    assert graph.transition.sum(axis=1) == pytest.approx(np.ones(4))
    assert (graph.stationary @ graph.transition) == pytest.approx(graph.stationary)


@settings(max_examples=40, deadline=None)
@given(general_sum_payoffs(max_size=4), st.sampled_from(ALPHAS))
def test_the_distribution_is_stationary(payoffs, alpha):
    graph = response_graph(payoffs, False, alpha)
    assert graph.stationary.sum() == pytest.approx(1.0)
    assert (graph.transition >= -1e-12).all()
    assert graph.stationary @ graph.transition == pytest.approx(graph.stationary, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(antisymmetric_payoffs(), st.randoms(use_true_random=False), st.sampled_from(ALPHAS))
def test_the_order_and_a_constant_do_not_matter(payoffs, random, alpha):
    order = list(range(payoffs.shape[1]))
    random.shuffle(order)
    plain = response_graph(payoffs, True, alpha).stationary
    assert response_graph(payoffs[:, order][:, :, order], True, alpha).stationary == pytest.approx(plain[order])
    # Multiples of 1/8 add without rounding, so that ties stay ties.
    steady = np.round(payoffs * 8) / 8
    known = response_graph(steady, True, alpha).stationary
    assert response_graph(steady + 7.0, True, alpha).stationary == pytest.approx(known, abs=1e-9)


def test_a_sweep_is_one_row_an_alpha():
    table = sweep(BIASED, True, (0.1, math.inf))
    assert table.shape == (2, 3)
    assert table[1] == pytest.approx(np.full(3, 1 / 3))


@pytest.mark.parametrize("alpha", [-1.0, math.nan])
def test_bad_alphas_are_refused(alpha):
    with pytest.raises(ValueError, match="alpha must be >= 0"):
        response_graph(RPS, True, alpha)
    with pytest.raises(ValueError, match="needs one population"):
        response_graph(PENNIES, False, 1.0, selection="finite")


def test_too_many_profiles_are_refused_in_one_line():
    side = int(MOST_PROFILES**0.5) + 1
    with pytest.raises(ValueError, match="at most 2,500 profiles, got 2,601"):
        response_graph(np.zeros((2, side, side)), False, 1.0)


def test_marginals_of_two_populations():
    solution = AlphaRankSolver().solve(DILEMMA)
    assert solution.sigma[0][1] > 0.95
    assert solution.sigma[1][1] > 0.95
    finite = AlphaRankFiniteSolver().solve(DILEMMA)
    assert finite.sigma[0] == pytest.approx([0, 1], abs=1e-9)


def exact(rates):
    """The stationary distribution by a plain linear system, for chains without tiny numbers."""
    generator = rates - np.diag(rates.sum(axis=1))
    system = np.vstack([generator.T, np.ones(len(rates))])
    return np.linalg.lstsq(system, np.append(np.zeros(len(rates)), 1.0), rcond=None)[0]


@pytest.mark.parametrize("states", [2, 3, 63, 64, 65, 66, 130, 200])
def test_elimination_by_blocks_agrees_with_a_linear_system(states):
    rates = np.random.default_rng(states).uniform(0.1, 1, size=(states, states))
    np.fill_diagonal(rates, 0)
    with np.errstate(divide="ignore"):
        assert stationary_distribution(np.log(rates)) == pytest.approx(exact(rates), abs=1e-12)


def test_two_states_whose_rates_underflow():
    # By hand: the ratio of the two is that of the rates, e^5.
    found = stationary_distribution(np.array([[0.0, -5000.0], [-5005.0, 0.0]]))
    assert found == pytest.approx([1 / (1 + math.exp(5)), 1 / (1 + math.exp(-5))])


def test_a_cycle_that_is_left_with_a_chance_that_underflows():
    # Two pairs that swap at rate 1; by hand, the pairs' ratio is that of the ways between them, e^-1500 to e^-1503.
    logs = np.full((4, 4), -math.inf)
    logs[0, 1] = logs[1, 0] = logs[2, 3] = logs[3, 2] = 0.0
    logs[1, 2], logs[2, 1] = -1503.0, -1500.0
    found = stationary_distribution(logs)
    first = 1 / (1 + math.exp(-3)) / 2
    assert found == pytest.approx([first, first, 0.5 - first, 0.5 - first])


@pytest.mark.parametrize("solver", [AlphaRankSolver(), AlphaRankFiniteSolver()], ids=lambda solver: solver.name)
def test_sweeps_over_the_players_agree_with_the_dense_chain(solver, monkeypatch):
    rng = np.random.default_rng(3)
    payoffs = rng.normal(size=(2, 7, 9))
    dense = solver.solve(payoffs)
    monkeypatch.setattr(alpha_rank, "MOST_PROFILES", 10)
    swept = solver.solve(payoffs)
    assert swept.note == ""
    for one, other in zip(dense.sigma, swept.sigma, strict=True):
        assert other == pytest.approx(one, abs=1e-4)


def test_a_chain_that_does_not_settle_says_so(monkeypatch):
    monkeypatch.setattr(alpha_rank, "MOST_PROFILES", 1)
    monkeypatch.setattr(alpha_rank_large, "_SWEEPS", 1)
    assert "did not settle" in AlphaRankSolver().solve(DILEMMA).note
