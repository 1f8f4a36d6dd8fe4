import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from csro_core.estimates import Estimate
from csro_core.metagame.statistics import (
    against_mixture,
    episodes_needed,
    halves,
    influences,
    judge,
    paired_difference,
    training_target,
    weighted_sum,
    z_threshold,
)
from tests.known_values import Z_OF_THREE
from tests.strategies import distributions

NAN = float("nan")


@given(st.data())
def test_complete_samples_give_mean_and_stderr_of_the_weighted_sums(data):
    size, length = data.draw(st.integers(1, 5)), data.draw(st.integers(2, 9))
    samples = data.draw(arrays(np.float64, (size, length), elements=st.floats(-100, 100)))
    weights = data.draw(distributions(size))
    found = against_mixture(samples, weights)
    sums = weights @ samples
    assert found.left_out == 0.0
    assert found.estimate.mean == pytest.approx(sums.mean(), abs=1e-9)
    assert found.estimate.stderr == pytest.approx(sums.std(ddof=1) / np.sqrt(length), abs=1e-9)
    assert found.estimate.episodes == length


def test_shared_seeds_cancel_what_they_share():
    luck = np.random.default_rng(0).normal(size=50)
    hedge = np.stack([luck, -luck])
    assert against_mixture(hedge, np.array([0.5, 0.5])).estimate.stderr == 0.0
    assert against_mixture(hedge, np.array([1.0, 0.0])).estimate.stderr > 0.1


def test_missing_episodes_do_not_bias_the_mean():
    # The opponent that is worth 10 fails half of the time; leaving whole episodes out would be no different here,
    # filling in 0 would.
    samples = np.array([[10.0, NAN, 10.0, NAN], [0.0, 1.0, 0.0, 1.0]])
    found = against_mixture(samples, np.array([0.5, 0.5]))
    assert found.estimate.mean == pytest.approx(5.25)
    assert found.left_out == 0.0


def test_the_stderr_with_missing_episodes_is_that_of_the_means():
    # Independent noise: the variance of the weighted sum of means is the sum of the variances.
    rng = np.random.default_rng(3)
    errors, means = [], []
    for _ in range(400):
        samples = rng.normal(size=(2, 12))
        samples[0, 4:] = NAN
        found = against_mixture(samples, np.array([0.5, 0.5])).estimate
        errors.append(found.stderr**2)
        means.append(found.mean)
    assert np.mean(errors) == pytest.approx(0.25 / 4 + 0.25 / 12, rel=0.1)
    assert np.var(means) == pytest.approx(0.25 / 4 + 0.25 / 12, rel=0.2)


def test_opponents_without_clean_episodes_are_left_out_and_named_by_weight():
    samples = np.array([[NAN, NAN, NAN], [1.0, 2.0, 3.0], [NAN, 7.0, NAN]])
    found = against_mixture(samples, np.array([0.5, 0.3, 0.2]))
    assert found.estimate.mean == pytest.approx(2.0)
    assert found.left_out == pytest.approx(0.7)
    nothing = against_mixture(samples[:1], np.array([1.0]))
    assert nothing.left_out == 1.0
    assert nothing.estimate.episodes == 0
    assert np.isnan(nothing.estimate.mean)


def test_opponents_of_no_weight_are_ignored():
    samples = np.array([[NAN, NAN], [1.0, 3.0]])
    found = against_mixture(samples, np.array([0.0, 1.0]))
    assert (found.estimate.mean, found.left_out) == (2.0, 0.0)
    nothing = against_mixture(samples, np.array([1.0, 0.0]))
    assert (nothing.estimate.episodes, nothing.left_out) == (0, 1.0)


def test_a_single_episode_has_a_mean_and_no_stderr():
    found = against_mixture(np.array([[4.0], [2.0]]), np.array([0.5, 0.5])).estimate
    assert found.mean == 3.0
    assert np.isnan(found.stderr)


@pytest.mark.parametrize("weights", [[0.0, 0.0], [1.5, -0.5], [NAN, 1.0], [1.0]])
def test_bad_weights_are_refused(weights):
    with pytest.raises(ValueError, match="weights"):
        against_mixture(np.zeros((2, 3)), np.array(weights))


def test_a_difference_is_paired():
    rng = np.random.default_rng(1)
    luck = rng.normal(size=(3, 20)) * 50
    weights = np.array([0.2, 0.3, 0.5])
    difference = paired_difference(luck + 2.0, luck, weights)
    assert difference.mean == pytest.approx(2.0)
    assert difference.stderr == pytest.approx(0.0, abs=1e-9)
    with pytest.raises(ValueError, match="one shape"):
        paired_difference(luck, luck[:, :5], weights)


def test_a_difference_compares_only_what_both_played_cleanly():
    a = np.array([[1.0, 2.0, 3.0, NAN]])
    b = np.array([[0.0, NAN, 1.0, 5.0]])
    found = paired_difference(a, b, np.ones(1))
    assert found.mean == pytest.approx(1.5)
    assert found.episodes == 2


def test_weights_of_a_sum_may_be_negative():
    samples = np.array([[3.0, 5.0], [1.0, 3.0]])
    assert weighted_sum(samples, np.array([1.0, -1.0])) == Estimate(2.0, 0.0, 2)


@given(arrays(np.float64, st.tuples(st.integers(1, 3), st.integers(2, 8)), elements=st.floats(-50, 50)))
def test_influences_square_to_the_standard_error(samples):
    expected = samples.std(axis=1, ddof=1) / np.sqrt(samples.shape[1])
    assert np.sqrt((influences(samples) ** 2).sum(axis=1)) == pytest.approx(expected, abs=1e-9)


def test_z_is_shared_by_the_tests():
    assert z_threshold(1) == pytest.approx(1.645, abs=1e-3)
    assert z_threshold(3) == pytest.approx(Z_OF_THREE, abs=1e-3)
    for bad in ({"tests": 0}, {"tests": 1, "level": 0.0}, {"tests": 1, "level": 0.6}):
        with pytest.raises(ValueError, match="tests >= 1"):
            z_threshold(**bad)


def test_a_null_oracle_passes_about_five_times_in_a_hundred():
    rng = np.random.default_rng(2)
    z = z_threshold(3)
    passed = 0
    for _ in range(2000):
        finalists = rng.normal(size=(3, 200))
        estimates = [weighted_sum(finalist[None], np.ones(1)) for finalist in finalists]
        passed += any(judge(estimate, z) == "above" for estimate in estimates)
    assert 0.035 < passed / 2000 < 0.065


@pytest.mark.parametrize(
    ("mean", "stderr", "expected"),
    [
        (3.0, 1.0, "above"),
        (2.0, 1.0, "unclear"),
        (0.0, 1.0, "unclear"),
        (-1.9, 1.0, "unclear"),
        (-2.0, 1.0, "below"),
        (0.0, 0.0, "below"),
        (1e-9, 0.0, "above"),
        (5.0, NAN, "unclear"),
        (NAN, NAN, "unclear"),
    ],
)
def test_judgement(mean, stderr, expected):
    assert judge(Estimate(mean, stderr, 8), 2.0) == expected


def test_episodes_needed():
    unclear = Estimate(1.0, 1.0, 10)
    more = episodes_needed(unclear, 2.0)
    assert more == 30
    assert judge(Estimate(1.0, 1.0 * np.sqrt(10 / (10 + more + 1)), 41), 2.0) == "above"
    assert episodes_needed(Estimate(9.0, 1.0, 10), 2.0) == 0
    assert episodes_needed(Estimate(0.0, 1.0, 10), 2.0) is None
    assert episodes_needed(Estimate(1.0, NAN, 1), 2.0) is None


def test_training_target_spreads_over_clusters_not_rows():
    sigma = np.array([1.0, 0.0, 0.0, 0.0])
    clusters = [0, 1, 1, 1]
    assert training_target(sigma, clusters, 0.0).tolist() == [1, 0, 0, 0]
    assert training_target(sigma, clusters, 0.5) == pytest.approx([0.75, 1 / 12, 1 / 12, 1 / 12])
    assert training_target(sigma, clusters, 1.0) == pytest.approx([0.5, 1 / 6, 1 / 6, 1 / 6])


@given(st.data())
def test_training_targets_are_distributions(data):
    size = data.draw(st.integers(1, 6))
    sigma = data.draw(distributions(size))
    clusters = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    tau = training_target(sigma, clusters, data.draw(st.floats(0, 1)))
    assert tau.sum() == pytest.approx(1.0)
    assert (tau >= 0).all()


@pytest.mark.parametrize(("clusters", "mix"), [([0], 0.5), ([0, 0], -0.1), ([0, 0], 1.1), ([0, 0], NAN)])
def test_bad_targets_are_refused(clusters, mix):
    with pytest.raises(ValueError, match="tau"):
        training_target(np.array([0.5, 0.5]), clusters, mix)


def test_halves_balance_the_seats():
    first, second = halves(8)
    assert first.tolist() == [0, 1, 4, 5]
    assert second.tolist() == [2, 3, 6, 7]
    assert [episodes.tolist() for episodes in halves(2)] == [[0], [1]]
    assert [len(part) for part in halves(1)] == [1, 0]
