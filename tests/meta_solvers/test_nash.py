import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csro_core.meta_solvers import nash
from csro_core.meta_solvers.nash import Equilibrium, NashSolver, solve_matrix
from tests.known_values import BATTLE_OF_THE_SEXES, BIASED_DOUBLE_ORACLE, ZERO_SUM_GAMES
from tests.strategies import antisymmetric_payoffs, zero_sum_payoffs

SOLVER = NashSolver()


@pytest.mark.parametrize("game", ZERO_SUM_GAMES, ids=lambda game: game.name)
def test_known_games(game):
    solution = SOLVER.solve(game.payoffs, symmetric=game.symmetric)
    assert solution.value == pytest.approx(game.value, abs=1e-9)
    assert solution.nash_conv == pytest.approx(0.0, abs=1e-8)
    assert solution.note == ""
    if game.unique:
        assert solution.sigma[0] == pytest.approx(game.row, abs=1e-8)
        assert solution.sigma[1] == pytest.approx(game.column, abs=1e-8)


@settings(max_examples=60, deadline=None)
@given(zero_sum_payoffs())
def test_no_policy_gains_against_the_answer(payoffs):
    assert SOLVER.solve(payoffs).nash_conv <= 1e-8 * max(1.0, np.abs(payoffs).max())


@settings(max_examples=40, deadline=None)
@given(zero_sum_payoffs(), st.floats(-50, 50), st.floats(0.01, 100))
def test_constants_and_scales_change_the_value_only(payoffs, constant, scale):
    plain = SOLVER.solve(payoffs)
    moved = payoffs * scale + np.array([constant, -constant])[:, None, None]
    assert SOLVER.solve(moved).value == pytest.approx(plain.value * scale + constant, abs=1e-6 * (1 + scale))
    conv = payoffs[0] @ plain.sigma[1]
    assert conv.max() <= plain.value + 1e-6


@settings(max_examples=40, deadline=None)
@given(antisymmetric_payoffs(), st.data())
def test_a_duplicate_changes_neither_value_nor_total_weight(payoffs, data):
    place = data.draw(st.integers(0, payoffs.shape[1] - 1))
    more = np.append(payoffs, payoffs[:, [place]], axis=1)
    more = np.append(more, more[:, :, [place]], axis=2)
    solution = SOLVER.solve(more, symmetric=True)
    assert solution.nash_conv <= 1e-7 * max(1.0, np.abs(payoffs).max())
    assert solution.sigma[0][place] == pytest.approx(solution.sigma[0][-1])
    plain = SOLVER.solve(payoffs, symmetric=True).sigma[0]
    weights = solution.sigma[0][:-1].copy()
    weights[place] += solution.sigma[0][-1]
    same = (payoffs[0] == payoffs[0][place]).all(axis=1)
    assert weights[same].sum() == pytest.approx(plain[same].sum(), abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(zero_sum_payoffs(), st.randoms(use_true_random=False))
def test_the_order_of_policies_does_not_change_the_value(payoffs, random):
    order = list(range(payoffs.shape[1]))
    random.shuffle(order)
    assert SOLVER.solve(payoffs[:, order]).value == pytest.approx(SOLVER.solve(payoffs).value, abs=1e-7)


def test_general_sum_is_refused():
    with pytest.raises(ValueError, match="zero-sum games only"):
        SOLVER.solve(BATTLE_OF_THE_SEXES)


def test_double_oracle_ends_at_exploitability_zero():
    full = ZERO_SUM_GAMES[1].payoffs[0]
    rows, columns, convs = [0], [0], []
    for _ in range(3):
        part = full[np.ix_(rows, columns)]
        row, column = SOLVER.solve(np.stack([part, -part])).sigma
        by_row, by_column = full[:, columns] @ column, row @ full[rows]
        convs.append(by_row.max() - by_column.min())
        rows.append(int(by_row.argmax()))
        columns.append(int(by_column.argmin()))
    assert convs == pytest.approx(BIASED_DOUBLE_ORACLE, abs=1e-9)


def test_large_games_are_solved_by_the_other_method():
    rng = np.random.default_rng(5)
    matrix = rng.normal(size=(201, 201))
    matrix = matrix - matrix.T
    solution = SOLVER.solve(np.stack([matrix, -matrix]), symmetric=True)
    assert solution.nash_conv < 1e-6 * np.abs(matrix).max()
    assert (solution.sigma[0] >= 0).all()


def test_a_poor_answer_is_tried_again_and_then_admitted(monkeypatch):
    tried = []

    def poor(matrix, method):
        tried.append(method)
        pure = np.eye(matrix.shape[0])[0], np.eye(matrix.shape[1])[0]
        return Equilibrium(*pure, float((pure[0] @ matrix).min()), float((matrix @ pure[1]).max()))

    monkeypatch.setattr(nash, "_equilibrium", poor)
    solution = SOLVER.solve(ZERO_SUM_GAMES[0].payoffs, symmetric=True)
    assert tried == ["highs-ds", "highs-ipm"]
    assert solution.nash_conv == 2.0
    assert "inexact" in solution.note


def test_the_bounds_of_an_equilibrium_bracket_the_value():
    found = solve_matrix(np.array([[1.0, -1 / 3], [-1 / 3, 1 / 3]]))
    assert found.lower <= 1 / 9 + 1e-12
    assert found.upper >= 1 / 9 - 1e-12
    assert found.upper - found.lower < 1e-9


def test_one_linear_program_gives_both_players(monkeypatch):
    asked = []
    real = nash.linprog
    monkeypatch.setattr(nash, "linprog", lambda *args, **options: asked.append(1) or real(*args, **options))
    rng = np.random.default_rng(8)
    found = solve_matrix(rng.uniform(-1, 1, size=(30, 40)))
    assert len(asked) == 1
    assert found.upper - found.lower < 1e-9


def test_multipliers_that_are_of_no_use_are_replaced_by_a_second_program(monkeypatch):
    real = nash._maximin
    uniform = np.full(2, 0.5)
    monkeypatch.setattr(nash, "_maximin", lambda matrix, method: (real(matrix, method)[0], uniform))
    found = solve_matrix(np.array([[1.0, -1 / 3], [-1 / 3, 1 / 3]]))
    assert found.column == pytest.approx([1 / 3, 2 / 3])
