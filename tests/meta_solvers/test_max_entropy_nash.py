import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from csro_core.meta_solvers import max_entropy_nash
from csro_core.meta_solvers.entropy import max_entropy
from csro_core.meta_solvers.max_entropy_nash import LARGE, MaxEntropyNashSolver
from csro_core.meta_solvers.verify import gains
from tests.known_values import BATTLE_OF_THE_SEXES, ZERO_SUM_GAMES
from tests.strategies import antisymmetric_payoffs, stderr_of, zero_sum_payoffs

SOLVER = MaxEntropyNashSolver()


def entropy(sigma):
    positive = sigma[sigma > 0]
    return -float((positive * np.log(positive)).sum())


def game_of_skill(size, seed):
    """A random transitive game with cycles, antisymmetric, payoffs of about 100."""
    rng = np.random.default_rng(seed)
    skill, noise = rng.normal(size=size), rng.normal(size=(size, size))
    matrix = 100 * ((noise - noise.T) / 2 + 0.5 * (skill[:, None] - skill))
    return np.stack([matrix, -matrix])


@pytest.mark.parametrize("game", ZERO_SUM_GAMES, ids=lambda game: game.name)
def test_known_games(game):
    solution = SOLVER.solve(game.payoffs, symmetric=game.symmetric)
    assert solution.sigma[0] == pytest.approx(game.row, abs=1e-5)
    assert solution.sigma[1] == pytest.approx(game.column, abs=1e-5)
    assert solution.value == pytest.approx(game.value, abs=1e-6)
    assert solution.nash_conv <= 1e-8 * max(1.0, np.abs(game.payoffs).max())
    assert solution.note == ""


@settings(max_examples=60, deadline=None)
@given(st.booleans(), st.data())
def test_no_policy_gains_more_than_epsilon(symmetric, data):
    payoffs = data.draw(antisymmetric_payoffs() if symmetric else zero_sum_payoffs())
    stderr = data.draw(st.none() | stderr_of(payoffs, symmetric))
    solution = SOLVER.solve(payoffs, stderr, symmetric)
    assert max(gains(payoffs, solution.sigma)) <= solution.epsilon
    assert solution.note == ""
    if stderr is None:
        assert solution.epsilon <= 1e-5 * np.abs(payoffs).max() + 1e-8


@settings(max_examples=40, deadline=None)
@given(antisymmetric_payoffs(), st.data())
def test_no_other_mixture_within_epsilon_is_more_even(payoffs, data):
    stderr = data.draw(stderr_of(payoffs, symmetric=True))
    solution = SOLVER.solve(payoffs, stderr, symmetric=True)
    sigma = solution.sigma[0]
    distinct = np.unique(payoffs[0] + 0.0, axis=0, return_index=True)[1]
    for seed in range(20):
        other = np.random.default_rng(seed).dirichlet(np.ones(distinct.size))
        rival = np.zeros_like(sigma)
        rival[distinct] = other
        # Duplicates count as one policy, so entropy is compared over the distinct ones.
        merged = np.array([sigma[(payoffs[0] == payoffs[0][i]).all(axis=1)].sum() for i in distinct])
        for share in (0.001, 0.1, 1.0):
            step = (1 - share) * merged + share * other
            mixed = np.zeros_like(sigma)
            mixed[distinct] = step
            if (payoffs[0] @ mixed).max() <= solution.epsilon * (1 - 1e-3) - 1e-9:
                assert entropy(step) <= entropy(merged) + 1e-5


@pytest.mark.parametrize("size", [5, 20, LARGE])
def test_epsilon_is_one_standard_error_of_the_payoff_against_sigma(size):
    payoffs = game_of_skill(size, seed=size)
    rng = np.random.default_rng(size)
    errors = rng.uniform(1, 8, size=(size, size))
    errors = (errors + errors.T) / 2
    solution = SOLVER.solve(payoffs, np.stack([errors, errors]), symmetric=True)
    against_sigma = np.sqrt((errors**2 @ solution.sigma[0] ** 2).mean())
    assert solution.epsilon == pytest.approx(against_sigma, rel=0.06)
    assert solution.nash_conv <= 2 * solution.epsilon


def test_with_two_populations_epsilon_bounds_each_players_gain_too():
    rng = np.random.default_rng(4)
    matrix, errors = rng.normal(size=(9, 12)), rng.uniform(0.1, 0.3, size=(9, 12))
    payoffs = np.stack([matrix, -matrix])
    solution = SOLVER.solve(payoffs, np.stack([errors, errors]))
    squares = np.concatenate([errors**2 @ solution.sigma[1] ** 2, solution.sigma[0] ** 2 @ errors**2])
    assert solution.epsilon == pytest.approx(np.sqrt(squares.mean()), rel=0.06)
    assert 0 < solution.nash_conv <= solution.epsilon * (1 + 1e-6)


def test_noise_spreads_sigma_over_what_it_cannot_tell_apart():
    # The newest policy beats the one before by less than the noise, and both beat the first clearly.
    matrix = np.array([[0.0, -300.0, -300.0], [300.0, 0.0, -2.0], [300.0, 2.0, 0.0]])
    payoffs = np.stack([matrix, -matrix])
    exact = SOLVER.solve(payoffs, symmetric=True).sigma[0]
    assert exact == pytest.approx([0, 0, 1], abs=1e-6)
    noisy = SOLVER.solve(payoffs, np.full_like(payoffs, 10.0), symmetric=True).sigma[0]
    assert noisy[1] == pytest.approx(noisy[2], abs=0.05)
    assert noisy[0] < 0.05


@settings(max_examples=30, deadline=None)
@given(antisymmetric_payoffs(), st.randoms(use_true_random=False), st.data())
def test_the_order_of_policies_does_not_matter(payoffs, random, data):
    stderr = data.draw(stderr_of(payoffs, symmetric=True))
    order = list(range(payoffs.shape[1]))
    random.shuffle(order)
    plain = SOLVER.solve(payoffs, stderr, symmetric=True).sigma[0]
    shuffled = payoffs[:, order][:, :, order], stderr[:, order][:, :, order]
    assert SOLVER.solve(*shuffled, symmetric=True).sigma[0] == pytest.approx(plain[order], abs=1e-3)


def test_exact_corners_of_large_games_are_found_too():
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(61, 61))
    solution = SOLVER.solve(np.stack([matrix, -matrix]))
    assert solution.note == ""
    assert solution.nash_conv <= 2e-5 * np.abs(matrix).max()


@pytest.mark.parametrize(("size", "seconds"), [(20, 0.1), (LARGE, 2.0)])
def test_it_is_fast(size, seconds):
    payoffs = game_of_skill(size, seed=1)
    best = float("inf")
    for _ in range(3):
        began = time.perf_counter()
        SOLVER.solve(payoffs, np.full_like(payoffs, 5.0), symmetric=True)
        best = min(best, time.perf_counter() - began)
    assert best < seconds


def test_above_sixty_policies_it_says_what_it_does():
    payoffs = game_of_skill(LARGE + 1, seed=2)
    solution = SOLVER.solve(payoffs, np.full_like(payoffs, 5.0), symmetric=True)
    assert "cheaper equivalent" in solution.note
    against_sigma = 5.0 * np.sqrt((solution.sigma[0] ** 2).sum())
    assert solution.epsilon == pytest.approx(against_sigma, rel=0.27)
    assert max(gains(payoffs, solution.sigma)) <= solution.epsilon


def test_it_falls_back_to_plain_nash_and_says_so(monkeypatch):
    monkeypatch.setattr(max_entropy_nash, "max_entropy", lambda g, h: None)
    for symmetric in (True, False):
        solution = SOLVER.solve(ZERO_SUM_GAMES[1].payoffs, symmetric=symmetric)
        assert "did not converge" in solution.note
        assert solution.sigma[0] == pytest.approx([1 / 16, 10 / 16, 5 / 16])
        assert solution.epsilon == pytest.approx(0.0, abs=1e-12)


def test_general_sum_is_refused():
    with pytest.raises(ValueError, match="zero-sum games only"):
        SOLVER.solve(BATTLE_OF_THE_SEXES)


def test_entropy_under_one_constraint():
    # Hand: at most 1/4 on the first of three; the other two share the rest.
    found = max_entropy(np.array([[1.0, 0.0, 0.0]]), np.array([0.25]))
    assert found == pytest.approx([0.25, 0.375, 0.375], abs=1e-6)
    assert max_entropy(np.eye(3), np.ones(3)) == pytest.approx([1 / 3] * 3, abs=1e-9)


def test_constraints_that_nothing_satisfies_give_no_answer():
    assert max_entropy(np.eye(3), np.full(3, 0.2)) is None


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_entropy_agrees_with_an_independent_method(seed):
    matrix = game_of_skill(8, seed)[0] / 100
    limit = np.full(8, 0.05)
    reference = minimize(
        lambda x: float((x * np.log(np.maximum(x, 1e-12))).sum()),
        np.full(8, 1 / 8),
        method="SLSQP",
        bounds=[(1e-9, 1.0)] * 8,
        constraints=[
            {"type": "eq", "fun": lambda x: x.sum() - 1},
            {"type": "ineq", "fun": lambda x: limit - matrix @ x},
        ],
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert reference.success
    found = max_entropy(matrix, limit)
    assert found == pytest.approx(reference.x, abs=1e-4)
    assert entropy(found) >= -reference.fun - 1e-6
