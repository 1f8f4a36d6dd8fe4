"""Where further episodes go: exactly known cases of the optimum allocation, and what must hold for every table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csro_core.metagame.allocation import LEAST_WEIGHT, Measured, Wish, further_episodes

MANY = 1_000_000


def symmetric_game(payoffs, spread, episodes):
    """A symmetric zero-sum meta-game whose cells have these spreads and numbers of episodes."""
    payoffs, counts = np.array(payoffs, dtype=float), np.array(episodes)
    stderr = np.divide(spread, np.sqrt(np.maximum(counts, 1)), out=np.zeros(counts.shape), where=counts > 0)
    return Measured(np.stack([payoffs, -payoffs]), np.stack([stderr, stderr]), counts, symmetric=True)


def equal_counts(size, each):
    return each * (1 - np.eye(size, dtype=np.int64))


def errors(measured, sigma, further):
    """Returns the standard error of each policy's payoff against sigma after the further episodes."""
    squares = measured.stderr[0] ** 2 * measured.episodes / np.maximum(measured.episodes + further, 1)
    return np.sqrt(squares @ sigma**2)


def test_a_cell_without_spread_gets_nothing():
    spread = np.array([[0, 5, 0], [5, 0, 5], [0, 5, 0]], dtype=float)
    known = symmetric_game(np.zeros((3, 3)), spread, equal_counts(3, 8))
    sigma = np.full(3, 1 / 3)
    further = further_episodes(known, (sigma, sigma), Wish(120, MANY))
    assert further[0, 2] == further[2, 0] == 0
    assert further[0, 1] == further[1, 2] == 60
    assert (further.diagonal() == 0).all()


def test_episodes_go_in_proportion_to_what_a_cell_adds_and_its_spread():
    # Two populations, equal payoffs, player 1 has one policy: the variance of the payoff of player 0's policy i is
    # s_i^2 / n_i. With 10^5 episodes a cell the prior spread is nothing. Optimum: n_i in proportion to s_i (Neyman).
    spread, counts = np.array([[10.0], [30.0]]), np.full((2, 1), 100_000)
    stderr = spread / np.sqrt(counts)
    known = Measured(np.zeros((2, 2, 1)), np.stack([stderr, np.zeros((2, 1))]), counts, symmetric=False)
    further = further_episodes(known, (np.array([1.0, 0.0]), np.array([1.0])), Wish(600_000, 10**7))
    after = counts + further
    assert after.sum() == 800_000
    assert after[1, 0] / after[0, 0] == pytest.approx(3.0, rel=1e-3)


def test_a_policy_far_behind_counts_with_the_least_weight():
    # Policy 2 loses by 1,000 standard errors. Sigma is policy 0 alone, so only cells (1, 0) and (2, 0) say anything.
    payoffs = [[0, 0, 500], [0, 0, 500], [-500, -500, 0]]
    known = symmetric_game(payoffs, 10.0, equal_counts(3, 100_000))
    sigma = np.array([1.0, 0.0, 0.0])
    further = further_episodes(known, (sigma, sigma), Wish(1_000_000, MANY))
    after = known.episodes + further
    assert after[2, 0] / after[1, 0] == pytest.approx(np.sqrt(LEAST_WEIGHT), rel=1e-3)
    assert further[1, 2] == 0


def test_a_mirrored_cell_is_the_same_cell():
    known = symmetric_game([[0, 1, -1], [-1, 0, 2], [1, -2, 0]], 4.0, equal_counts(3, 8))
    sigma = np.array([0.5, 0.3, 0.2])
    further = further_episodes(known, (sigma, sigma), Wish(60, MANY))
    assert (further == further.T).all()
    assert np.triu(further).sum() == 60


def test_no_more_than_is_wanted_and_no_cell_beyond_its_most():
    known = symmetric_game(np.zeros((3, 3)), 20.0, equal_counts(3, 8))
    sigma = np.full(3, 1 / 3)
    capped = further_episodes(known, (sigma, sigma), Wish(MANY, 16))
    assert set(capped[~np.eye(3, dtype=bool)].tolist()) == {8}
    assert further_episodes(known, (sigma, sigma), Wish(0, MANY)).sum() == 0
    assert further_episodes(known, (sigma, sigma), Wish(1, MANY)).sum() == 0


@pytest.mark.parametrize("wanted", [3.0, 1.0, 0.4])
def test_the_wanted_standard_error_is_reached_and_little_more(wanted):
    rng = np.random.default_rng(5)
    upper = np.triu(rng.uniform(5, 40, (6, 6)), 1)
    known = symmetric_game(np.zeros((6, 6)), upper + upper.T, equal_counts(6, 1_000))
    known = Measured(known.payoffs, known.stderr * np.sqrt(1_000 / 8), equal_counts(6, 8), symmetric=True)
    sigma = rng.dirichlet(np.ones(6))
    further = further_episodes(known, (sigma, sigma), Wish(MANY, MANY, wanted))
    # The prior of 4 episodes blurs the spreads that this check takes as they are, hence the margin.
    assert errors(known, sigma, further).max() <= wanted * 1.3
    again = further_episodes(known, (sigma, sigma), Wish(MANY, MANY, wanted * 30))
    assert again.sum() < further.sum()


def test_nothing_is_played_where_everything_is_known_well_enough():
    known = symmetric_game(np.zeros((4, 4)), 10.0, equal_counts(4, 1_000))
    sigma = np.full(4, 0.25)
    assert further_episodes(known, (sigma, sigma), Wish(MANY, MANY, 5.0)).sum() == 0
    still = symmetric_game(np.zeros((4, 4)), 0.0, equal_counts(4, 8))
    assert further_episodes(still, (sigma, sigma), Wish(MANY, MANY)).sum() == 0


@given(
    sizes=st.tuples(st.integers(1, 5), st.integers(1, 5)), seed=st.integers(0, 2**32 - 1),
    budget=st.integers(0, 500), most=st.integers(4, 40).map(lambda half: 2 * half),
    wanted=st.none() | st.floats(0.01, 100),
)  # fmt: skip
def test_whatever_the_table_the_wish_is_kept(sizes, seed, budget, most, wanted):
    rng = np.random.default_rng(seed)
    payoffs = rng.normal(0, 50, sizes)
    stderr = rng.choice([0.0, 1.0, 300.0], (2, *sizes))
    counts = 2 * rng.integers(1, 10, sizes)
    known = Measured(np.stack([payoffs, -payoffs]), stderr, counts, symmetric=False)
    sigma = rng.dirichlet(np.ones(sizes[0])), rng.dirichlet(np.ones(sizes[1]))
    further = further_episodes(known, sigma, Wish(budget, most, wanted))
    assert (further % 2 == 0).all()
    assert (further >= 0).all()
    assert further.sum() <= budget
    assert (counts + further <= np.maximum(counts, most)).all()
    assert (further[(stderr == 0).all(axis=0)] == 0).all()
