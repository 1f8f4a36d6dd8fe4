"""What every `MetaSolver` must hold. `test_meta_solvers_contract.py` runs it over all of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csro_core.meta_solvers.verify import nash_conv
from tests.known_values import BATTLE_OF_THE_SEXES
from tests.strategies import antisymmetric_payoffs, general_sum_payoffs, stderr_of, zero_sum_payoffs

RPS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])


def check(solution, payoffs):
    """A solution is a pair of distributions, and says itself how good it is."""
    for sigma, size in zip(solution.sigma, payoffs.shape[1:], strict=True):
        assert sigma.shape == (size,)
        assert (sigma >= 0).all()
        assert sigma.sum() == pytest.approx(1.0, abs=1e-12)
    scale = np.abs(payoffs).max()
    assert solution.value == pytest.approx(solution.sigma[0] @ payoffs[0] @ solution.sigma[1], abs=1e-9 * scale)
    assert solution.nash_conv == pytest.approx(nash_conv(payoffs, solution.sigma), abs=1e-12 * scale)
    assert solution.nash_conv >= 0
    assert solution.epsilon >= 0


class MetaSolverContract:
    @settings(max_examples=40, deadline=None)
    @given(zero_sum_payoffs())
    def test_two_populations(self, solver, payoffs):
        check(solver.solve(payoffs), payoffs)

    @settings(max_examples=40, deadline=None)
    @given(st.data())
    def test_one_population_gets_one_sigma(self, solver, data):
        payoffs = data.draw(antisymmetric_payoffs())
        stderr = data.draw(stderr_of(payoffs, symmetric=True))
        solution = solver.solve(payoffs, stderr, symmetric=True)
        check(solution, payoffs)
        assert (solution.sigma[0] == solution.sigma[1]).all()
        assert solution.value == pytest.approx(0.0, abs=1e-9 * np.abs(payoffs).max())

    @settings(max_examples=25, deadline=None)
    @given(general_sum_payoffs())
    def test_general_sum_games_are_solved_or_refused(self, solver, payoffs):
        if not solver.zero_sum_only:
            check(solver.solve(payoffs), payoffs)
        elif np.abs(payoffs[0] + payoffs[1]).max() > 1e-6 * np.abs(payoffs).max():
            with pytest.raises(ValueError, match="zero-sum games only"):
                solver.solve(payoffs)

    @settings(max_examples=15, deadline=None)
    @given(general_sum_payoffs(square=True))
    def test_one_population_of_a_general_sum_game_gets_one_sigma(self, solver, payoffs):
        if solver.zero_sum_only:
            return
        payoffs = np.stack([payoffs[0], payoffs[0].T])
        solution = solver.solve(payoffs, symmetric=True)
        check(solution, payoffs)
        assert (solution.sigma[0] == solution.sigma[1]).all()

    def test_a_refusal_names_what_to_choose(self, solver):
        if not solver.zero_sum_only:
            return
        with pytest.raises(ValueError, match="choose logit, prd, .* or uniform"):
            solver.solve(BATTLE_OF_THE_SEXES)

    @pytest.mark.parametrize("entry", [0.0, 5.0, -1e-9, 1e9])
    def test_one_policy_each_gets_all_the_weight(self, solver, entry):
        payoffs = np.array([[[entry]], [[-entry]]])
        solution = solver.solve(payoffs)
        assert (solution.sigma[0][0], solution.sigma[1][0]) == (1.0, 1.0)
        assert solution.value == entry

    @pytest.mark.parametrize("symmetric", [True, False])
    def test_policies_that_are_all_alike_share_the_weight(self, solver, symmetric):
        solution = solver.solve(np.zeros((2, 4, 4)), symmetric=symmetric)
        assert solution.sigma[0] == pytest.approx(np.full(4, 0.25))
        assert solution.sigma[1] == pytest.approx(np.full(4, 0.25))
        assert solution.nash_conv == 0.0

    @pytest.mark.parametrize("shape", [(1, 3), (3, 1), (2, 5)])
    def test_populations_may_differ_in_size(self, solver, shape):
        matrix = np.arange(float(np.prod(shape))).reshape(shape) % 3.0
        payoffs = np.stack([matrix, -matrix])
        check(solver.solve(payoffs), payoffs)

    def test_exact_duplicates_have_the_same_weight(self, solver):
        order = [0, 1, 2, 0]
        payoffs = np.stack([RPS, -RPS])[:, order][:, :, order]
        sigma = solver.solve(payoffs, symmetric=True).sigma[0]
        assert sigma[0] == pytest.approx(sigma[3], abs=1e-9)

    def test_same_input_same_output(self, solver):
        payoffs = np.stack([RPS * 3.7, -RPS * 3.7])
        first, second = (solver.solve(payoffs, np.full_like(payoffs, 0.3), symmetric=True) for _ in range(2))
        assert (first.sigma[0] == second.sigma[0]).all()
        assert first.epsilon == second.epsilon

    def test_the_input_stays_as_it_was(self, solver):
        payoffs = np.stack([RPS, -RPS])
        stderr = np.full_like(payoffs, 0.2)
        solver.solve(payoffs, stderr, symmetric=True)
        assert (payoffs == np.stack([RPS, -RPS])).all()
        assert (stderr == 0.2).all()

    @pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
    def test_the_unit_of_payoffs_does_not_matter(self, solver, scale):
        biased = np.array([[0.0, -0.25, 0.5], [0.25, 0.0, -0.05], [-0.5, 0.05, 0.0]])
        unit = solver.solve(np.stack([biased, -biased]), symmetric=True)
        scaled = solver.solve(np.stack([biased, -biased]) * scale, symmetric=True)
        assert scaled.sigma[0] == pytest.approx(unit.sigma[0], abs=1e-6)
        assert scaled.nash_conv == pytest.approx(unit.nash_conv * scale, abs=1e-7 * scale)

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    def test_numbers_that_are_not_finite_are_refused(self, solver, bad):
        payoffs = np.stack([RPS, -RPS])
        payoffs[0, 1, 2] = bad
        with pytest.raises(ValueError, match="finite"):
            solver.solve(payoffs)

    @pytest.mark.parametrize("shape", [(3, 3), (1, 3, 3), (3, 3, 3), (2, 0, 3), (2, 3, 0)])
    def test_wrong_shapes_are_refused(self, solver, shape):
        with pytest.raises(ValueError, match=r"\[2, N_0, N_1\]"):
            solver.solve(np.zeros(shape))

    def test_a_game_that_is_not_symmetric_is_not_taken_for_one(self, solver):
        wide = np.arange(6.0).reshape(2, 3)
        with pytest.raises(ValueError, match="symmetric"):
            solver.solve(np.stack([wide, -wide]), symmetric=True)
        square = np.arange(9.0).reshape(3, 3)
        with pytest.raises(ValueError, match="symmetric"):
            solver.solve(np.stack([square, -square]), symmetric=True)

    @pytest.mark.parametrize("bad", [np.nan, -0.1, np.inf])
    def test_bad_standard_errors_are_refused(self, solver, bad):
        payoffs = np.stack([RPS, -RPS])
        stderr = np.zeros_like(payoffs)
        stderr[1, 0, 1] = bad
        with pytest.raises(ValueError, match="standard errors"):
            solver.solve(payoffs, stderr)

    def test_it_says_what_it_is(self, solver):
        assert solver.name
        assert isinstance(solver.zero_sum_only, bool)
        assert len(solver.explanation.split()) > 5
