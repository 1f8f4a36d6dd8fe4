import numpy as np
import pytest
from hypothesis import given, settings

from csro_core.meta_solvers.prd import FLOOR, PrdSolver, project, projected_replicator
from tests.known_values import BATTLE_OF_THE_SEXES, ZERO_SUM_GAMES
from tests.strategies import general_sum_payoffs

RPS, BIASED = ZERO_SUM_GAMES[0].payoffs, ZERO_SUM_GAMES[1].payoffs
THIRDS = np.full(3, 1 / 3)
# OpenSpiel projected_replicator_dynamics_test.py and regret_matching_test.py: both players earn this.
COMMON = np.array([[2.0, 1.0, 0.0], [0.0, -1.0, -2.0]])


@pytest.mark.parametrize(
    ("weights", "floor", "nearest"),
    [
        ([0.4, 0.7, 0.6], 0.2, [0.2, 0.45, 0.35]),
        ([1.2, -0.1, 0.3], 0.0, [0.95, 0.0, 0.05]),
        ([0.5, 0.5, 0.0], 0.1, [0.45, 0.45, 0.1]),
        ([5.0, 0.0, 0.0], 1 / 3, [1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_known_projections(weights, floor, nearest):
    # Sorted-threshold projection (OpenSpiel's _project_distribution), by hand.
    assert project(np.array(weights), floor) == pytest.approx(np.array(nearest))


def test_the_projection_is_the_nearest_of_many():
    rng = np.random.default_rng(1)
    for _ in range(50):
        size = int(rng.integers(2, 6))
        point, floor = rng.normal(size=size), float(rng.uniform(0, 1 / size))
        found = project(point, floor)
        assert found.sum() == pytest.approx(1.0)
        assert (found >= floor - 1e-12).all()
        others = floor + (1 - size * floor) * rng.dirichlet(np.ones(size), 200)
        assert ((others - point) ** 2).sum(axis=1).min() >= ((found - point) ** 2).sum() - 1e-12


def test_the_common_interest_game_of_openspiel():
    # OpenSpiel averages the last 10 steps only and gets (1, 0); the whole average is a little behind.
    start = np.full(2, 0.5), THIRDS
    first = projected_replicator(np.stack([COMMON, COMMON]), start, 50_000, 1e-3, 1e-8)
    assert first[0] == pytest.approx([1, 0], abs=0.02)
    assert first[1] == pytest.approx([1, 0, 0], abs=0.05)


def test_biased_rps_after_20_000_steps():
    # Recomputed in knowledge of OpenSpiel's parameters: far from the equilibrium (1/16, 10/16, 5/16).
    sigma = projected_replicator(BIASED, (THIRDS, THIRDS), 20_000, 1e-3)
    assert sigma[0] == pytest.approx([0.219892, 0.660086, 0.120022], abs=1e-4)
    assert sigma[1] == pytest.approx(sigma[0], abs=1e-9)
    one = projected_replicator(BIASED, (THIRDS, THIRDS), 2_000, 1e-3, symmetric=True)
    two = projected_replicator(BIASED, (THIRDS, THIRDS), 2_000, 1e-3)
    assert one[0] == pytest.approx(two[0], abs=1e-12)


def test_rps_from_elsewhere():
    # OpenSpiel projected_replicator_dynamics_test.py's start; recomputed.
    start = np.array([0.1, 0.4, 0.5]), np.array([0.9, 0.09, 0.01])
    sigma = projected_replicator(RPS, start, 100_000, 1e-3)
    assert sigma[0] == pytest.approx([0.3353, 0.345478, 0.319222], abs=1e-4)


def test_the_centre_of_rps_stays_and_vertices_stay():
    assert projected_replicator(RPS, (THIRDS, THIRDS), 100, 1e-2)[0] == pytest.approx(THIRDS)
    rock = np.eye(3)[0]
    assert projected_replicator(RPS, (rock, rock), 100, 1e-2, 0.0)[0] == pytest.approx(rock)


@settings(max_examples=20, deadline=None)
@given(general_sum_payoffs())
def test_no_weight_sinks_below_the_floor(payoffs):
    _, rows, columns = payoffs.shape
    start = np.full(rows, 1 / rows), np.full(columns, 1 / columns)
    for sigma in projected_replicator(payoffs / 10, start, 300, 0.05, 0.01):
        assert (sigma >= min(0.01, 1 / sigma.size) - 1e-12).all()


def test_the_solver_says_so_where_it_makes_fewer_steps():
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(300, 300))
    solution = PrdSolver(30_000).solve(np.stack([matrix - matrix.T, matrix.T - matrix]), symmetric=True)
    assert "27,777 steps instead of 30,000" in solution.note
    assert (solution.sigma[0] >= FLOOR * (1 - 1e-6)).all()


def test_general_sum_goes_to_an_equilibrium():
    start = np.array([0.9, 0.1]), np.array([0.5, 0.5])
    sigma = projected_replicator(BATTLE_OF_THE_SEXES, start, 20_000, 1e-2)
    assert sigma[0] == pytest.approx([1, 0], abs=0.02)
    assert sigma[1] == pytest.approx([1, 0], abs=0.02)
