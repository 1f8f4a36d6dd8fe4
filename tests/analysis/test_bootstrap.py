"""Bootstrap intervals: against what is known of the mean, and on a table that fools the exact equilibrium."""

import numpy as np
import pytest

from csro_core.analysis import bootstrap as module
from csro_core.analysis.bootstrap import DRAWS, FEWEST_DRAWS, affordable_draws, bootstrap, check_document
from csro_core.meta_solvers import make_meta_solver
from csro_core.metagame.payoffs import mean_and_stderr


def intervals_of(samples, name="nash", symmetric=False, seed=0):
    payoffs, stderr = mean_and_stderr(samples)
    solver = make_meta_solver(name)
    solution = solver.solve(payoffs, stderr, symmetric)
    found = bootstrap(samples, stderr, solver, solution, symmetric, np.random.default_rng(seed))
    assert found is not None
    return found, solution


def antisymmetric(returns):
    """Samples of a symmetric zero-sum meta-game from `[N, N, E]` numbers, of which the upper half counts."""
    upper = returns * np.triu(np.ones(returns.shape[:2]), 1)[..., np.newaxis]
    rows = upper - upper.transpose(1, 0, 2)
    return np.stack([rows, -rows])


@pytest.mark.parametrize("episodes", [4, 16, 200])
def test_the_value_of_a_single_cell_spreads_as_its_mean_does(monkeypatch, episodes):
    # One policy each: the value of the meta-game is the mean of the cell, whose interval is +- 1.96 standard errors.
    monkeypatch.setattr(module, "DRAWS", 4_000)
    returns = np.random.default_rng(episodes).normal(3.0, 10.0, (1, 1, episodes))
    samples = np.stack([returns, -returns])
    found, _ = intervals_of(samples, "uniform")
    mean, stderr = returns.mean(), returns.std(ddof=1) / np.sqrt(episodes)
    low, high = found.value
    # At 4 episodes the weights are far from normal, so its tails are shorter.
    assert high - low == pytest.approx(2 * 1.96 * stderr, rel=0.25 if episodes == 4 else 0.1)
    assert low < mean < high


def test_cells_share_their_episodes():
    # Two rows with the same luck: the difference is exactly 1 whatever is drawn, so sigma is sure of row 0.
    luck = np.random.default_rng(0).normal(0, 100, 8)
    returns = np.stack([luck + 1.0, luck])[:, np.newaxis, :]
    found, _ = intervals_of(np.stack([returns, -returns]))
    assert found.sigma == (((1.0, 1.0), (0.0, 0.0)), ((1.0, 1.0),))
    assert found.nash_conv == (0.0, 0.0)


def test_cells_of_different_lengths():
    returns = np.random.default_rng(2).normal(0, 10, (3, 3, 16))
    returns[0, 1, 4:] = np.nan
    samples = antisymmetric(returns)
    found, solution = intervals_of(samples, "max-entropy-nash", symmetric=True)
    assert len(found.sigma) == 1
    for weight, (low, high) in zip(solution.sigma[0], found.sigma[0], strict=True):
        assert 0 <= low <= high <= 1
        assert low - 0.05 <= weight <= high + 0.05


def test_noise_shows_that_the_exact_equilibrium_means_little():
    # Three policies that are equal in truth; 8 episodes of spread 25 name one of them the winner.
    returns = np.random.default_rng(3).normal(0, 25, (3, 3, 8))
    found, solution = intervals_of(antisymmetric(returns), "nash", symmetric=True)
    widest = max(high - low for low, high in found.sigma[0])
    assert widest > 0.9
    assert solution.nash_conv < 1e-6 < found.nash_conv[1]


def test_duplicates_keep_equal_shares():
    returns = np.random.default_rng(4).normal(0, 5, (3, 3, 8)) + np.array([[0, 9, -9], [0, 0, 9], [0, 0, 0]])[..., None]
    whole = antisymmetric(returns)
    doubled = whole[:, [0, 1, 2, 2]][:, :, [0, 1, 2, 2]]
    found, _ = intervals_of(doubled, "nash", symmetric=True)
    assert found.sigma[0][2] == found.sigma[0][3]


def test_without_noise_the_intervals_are_points():
    rock_paper_scissors = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], dtype=float)
    samples = np.repeat(np.stack([rock_paper_scissors, -rock_paper_scissors])[..., np.newaxis], 4, axis=-1)
    found, _ = intervals_of(samples, "nash", symmetric=True)
    assert found.draws == 1
    assert np.allclose(found.sigma[0], 1 / 3)


def test_equal_seeds_give_equal_intervals_and_others_do_not():
    samples = antisymmetric(np.random.default_rng(6).normal(0, 10, (3, 3, 8)))
    assert intervals_of(samples, symmetric=True)[0] == intervals_of(samples, symmetric=True)[0]
    assert intervals_of(samples, symmetric=True)[0] != intervals_of(samples, symmetric=True, seed=1)[0]


def test_fewer_draws_where_each_takes_long():
    assert affordable_draws("nash", (60, 60), True) == DRAWS
    assert FEWEST_DRAWS <= affordable_draws("nash", (100, 100), True) < DRAWS
    assert affordable_draws("alpha-rank", (60, 60), True) == DRAWS
    assert affordable_draws("alpha-rank", (60, 60), False) == 0
    rough, _ = intervals_of(antisymmetric(np.random.default_rng(6).normal(0, 10, (3, 3, 8))), "shor", symmetric=True)
    assert rough.draws < DRAWS
    assert "fewer steps" in rough.note


def test_a_document_is_checked_as_a_strangers():
    samples = antisymmetric(np.random.default_rng(7).normal(0, 10, (3, 3, 8)))
    good = intervals_of(samples, symmetric=True)[0].to_document()
    check_document(good, (3,))
    for bad in (
        None, [], {}, good | {"draws": 0}, good | {"draws": True}, good | {"draws": "5"}, good | {"sigma": []},
        good | {"sigma": [[[0, 1]]]}, good | {"sigma": [[[0, 1], [0, 1], [0, None]]]}, good | {"value": [0]},
        good | {"value": [0, float("nan")]}, good | {"nash_conv": "01"}, good | {"note": "n" * 401},
        good | {"sigma": {"0": []}}, good | {"sigma": "x"},
    ):  # fmt: skip
        with pytest.raises(ValueError, match="bootstrap"):
            check_document(bad, (3,))
