"""The experiment: its noise is what was measured, its sampler is sound, and adaptive allocation earns its keep."""

import xml.etree.ElementTree

import numpy as np
import pytest

from csro_core.bench.allocation import Comparison, Curve, Setting, compare
from csro_core.bench.allocation_figure import figure
from csro_core.bench.allocation_truth import Sampler, published_truth


@pytest.fixture(scope="module")
def truth():
    return published_truth()


def test_the_noise_is_the_measured_one(truth):
    # 946 pairs x 10 matches of the bots of OpenSpiel 2.0.2: median 24.5, mean 33, largest 555, 30 of 903 without noise.
    assert np.median(truth.spread) == pytest.approx(24.5, abs=0.5)
    assert truth.spread.mean() == pytest.approx(33.0, abs=1.5)
    assert truth.spread.max() == 555.0
    assert (truth.spread == 0).sum() == 30
    assert (truth.payoffs == -truth.payoffs.T).all()


@pytest.mark.parametrize("humped", [False, True])
def test_samples_have_the_mean_and_spread_of_the_truth(truth, humped):
    sampler = Sampler(truth, 1, humped)
    for further in (300, 0, 500, 1_200):
        sampler.play(np.full(903, further))
    payoffs, stderr, counts = sampler.estimate()
    assert set(counts[truth.pairs].tolist()) == {2_000}
    assert sampler.episodes == 903 * 2_000
    spread = stderr[0][truth.pairs] * np.sqrt(2_000)
    noisy = truth.spread > 0
    assert spread[noisy] / truth.spread[noisy] == pytest.approx(1.0, abs=0.12)
    distance = (payoffs[0] - truth.payoffs)[truth.pairs][noisy] / stderr[0][truth.pairs][noisy]
    assert np.abs(distance).max() < 5
    assert distance.std() == pytest.approx(1.0, abs=0.1)
    assert (payoffs[0][truth.pairs][~noisy] == truth.payoffs[truth.pairs][~noisy]).all()


def test_a_crossing_is_read_to_the_disadvantage_of_the_adaptive_way():
    episodes = np.array([10.0, 100.0, 1_000.0, 10_000.0])
    curve = Curve(episodes, np.array([8.0, 4.0, 6.0, 2.0]), np.zeros(4))
    assert curve.first_below(4.0) == pytest.approx(100.0)
    assert curve.stays_below(4.0) == pytest.approx(np.sqrt(1_000 * 10_000))
    assert curve.first_below(8.0) == 10.0
    assert curve.first_below(1.0) is None
    assert curve.stays_below(1.0) is None
    assert Comparison(Setting("nash", False), curve, curve).ratio(4.0) < 1


def test_adaptive_allocation_takes_a_third_of_the_matches_at_most():
    comparison = compare(Setting("nash", humped=True), seeds=8)
    assert comparison.ratio(6.0) >= 3
    text = figure(comparison, 6.0, 8)
    words = "".join(xml.etree.ElementTree.fromstring(text).itertext())
    assert f"{comparison.ratio(6.0):.1f} times fewer matches" in words
    assert "nash, two-humped matches; mean of 8 seeds" in words
