import numpy as np
import pytest

from csro_core.meta_solvers.regret_matching import (
    CLOSE,
    RegretMatchingPlusSolver,
    RegretMatchingSolver,
    regret_matching,
    regret_matching_plus,
)
from csro_core.meta_solvers.verify import nash_conv
from tests.known_values import BATTLE_OF_THE_SEXES, ZERO_SUM_GAMES

RPS, BIASED = ZERO_SUM_GAMES[0].payoffs, ZERO_SUM_GAMES[1].payoffs
THIRDS = np.full(3, 1 / 3)
COMMON = np.array([[2.0, 1.0, 0.0], [0.0, -1.0, -2.0]])


def test_rps_from_elsewhere():
    # OpenSpiel regret_matching_test.py: 1/3 to two decimals after 50,000 steps.
    start = np.array([0.1, 0.4, 0.5]), np.array([0.9, 0.1, 0.01])
    sigma = regret_matching(RPS, start, 50_000)
    assert sigma[0] == pytest.approx(THIRDS, abs=0.005)
    assert sigma[1] == pytest.approx(THIRDS, abs=0.005)


def test_biased_rps():
    # OpenSpiel regret_matching_test.py: the equilibrium to one decimal after 50,000 steps.
    sigma = regret_matching(BIASED, (THIRDS, THIRDS), 50_000)
    assert sigma[0] == pytest.approx([1 / 16, 10 / 16, 5 / 16], abs=0.05)


@pytest.mark.parametrize("solve", [lambda p: regret_matching(p, (np.full(2, 0.5), THIRDS), 5_000),
                                   lambda p: regret_matching_plus(p, 5_000)])  # fmt: skip
def test_the_common_interest_game_of_openspiel(solve):
    sigma = solve(np.stack([COMMON, COMMON]))
    assert sigma[0][0] > 0.999
    assert sigma[1] == pytest.approx([1, 0, 0], abs=1e-3)


@pytest.mark.parametrize("game", ZERO_SUM_GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("solver", [RegretMatchingSolver(20_000), RegretMatchingPlusSolver()], ids=lambda s: s.name)
def test_zero_sum_games_come_near_an_equilibrium(solver, game):
    solution = solver.solve(game.payoffs, symmetric=game.symmetric)
    size = max(float(np.ptp(game.payoffs)), 1e-300)
    assert solution.nash_conv <= (0.02 if solver.name == "regret-matching" else CLOSE) * size
    assert solution.value == pytest.approx(game.value, abs=0.02 * size)


def test_shapleys_game_gives_marginals_only():
    # Shapley 1964: fictitious play cycles for ever; the unique equilibrium is uniform, which by symmetry they start at.
    first = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    payoffs = np.stack([first, np.roll(first, 1, axis=1)])
    solution = RegretMatchingSolver(2_000).solve(payoffs)
    assert solution.sigma[0] == pytest.approx(THIRDS)
    start = np.array([0.8, 0.1, 0.1]), np.array([0.1, 0.8, 0.1])
    assert nash_conv(payoffs, regret_matching(payoffs, start, 2_000)) < 0.5


def test_battle_of_the_sexes_ends_with_coordination_or_the_mixture():
    solution = RegretMatchingPlusSolver().solve(BATTLE_OF_THE_SEXES)
    assert solution.nash_conv < 0.6


def test_it_stops_early_where_the_average_is_close(monkeypatch):
    looked = []
    monkeypatch.setattr("csro_core.meta_solvers.regret_matching._is_close", lambda *args: looked.append(1) or True)
    RegretMatchingPlusSolver().solve(BIASED)
    assert looked == [1]
