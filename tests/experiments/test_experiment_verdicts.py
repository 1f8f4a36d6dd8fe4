import re

import numpy as np
import pytest

from csro_core.evaluation.crossplay import over_seeds
from csro_core.experiments.verdicts import differences, pairwise, sentence, summaries

AT = ("calls", 36.0)


def synthetic(generator, effect, seeds):
    """Two variants over seeds: what a seed has in common moves both, so only paired differences are sharp."""
    common = generator.normal(100.0, 30.0, seeds)
    base = common + generator.normal(0.0, 6.0, seeds)
    other = common + effect + generator.normal(0.0, 6.0, seeds)
    return {"base": dict(enumerate(base)), "other": dict(enumerate(other))}


@pytest.mark.parametrize("seeds", [3, 5, 10])
def test_intervals_hold_the_truth_in_95_percent_of_2000_experiments(seeds):
    generator = np.random.default_rng(seeds)
    paired = single = 0
    for _ in range(2_000):
        values = synthetic(generator, 4.0, seeds)
        (difference,) = differences("agg_score", values, "base", AT, "points")
        paired += abs(difference.mean - 4.0) <= difference.half_width
        summary = next(one for one in summaries("agg_score", values) if one.variant == "other")
        single += abs(summary.mean - 104.0) <= summary.half_width
    assert 0.93 <= paired / 2_000 <= 0.97
    assert 0.93 <= single / 2_000 <= 0.97


def test_a_known_difference_is_found_and_none_is_not():
    generator = np.random.default_rng(7)
    found = {"ahead": 0, "behind": 0, "undecided": 0}
    null = dict(found)
    for _ in range(500):
        (difference,) = differences("agg_score", synthetic(generator, 20.0, 5), "base", AT, "points")
        found[difference.verdict] += 1
        (difference,) = differences("agg_score", synthetic(generator, 0.0, 5), "base", AT, "points")
        null[difference.verdict] += 1
    # Student's t of 5 pairs with a difference of 20 and a spread of 8.5: power 0.97.
    assert found["ahead"] > 450
    assert found["behind"] == 0
    assert null["undecided"] > 450


def test_lower_is_better_for_a_gap():
    values = {"base": {0: 10.0, 1: 12.0, 2: 11.0}, "other": {0: 2.0, 1: 3.0, 2: 2.5}}
    (difference,) = differences("gap", values, "base", AT, "net throws")
    assert difference.verdict == "ahead"
    assert difference.ahead == 3
    assert difference.mean == pytest.approx(-8.5)
    assert difference.sentence.startswith("other is ahead of base by 8.5 ± ")
    (difference,) = differences("agg_score", values, "base", AT, "net throws")
    assert difference.verdict == "behind"


def test_pairs_are_the_seeds_that_both_have():
    values = {"base": {0: 1.0, 1: 2.0, 5: 100.0}, "other": {0: 2.0, 1: 3.0, 7: -50.0}}
    (difference,) = differences("agg_score", values, "base", AT, "points")
    assert difference.seeds == 2
    assert difference.mean == pytest.approx(1.0)
    assert differences("agg_score", {"base": {0: 1.0}, "other": {1: 1.0}}, "base", AT, "points") == []


def test_a_single_pair_proves_nothing():
    (difference,) = differences("versus", {"base": {0: 0.0}, "other": {0: 50.0}}, "base", AT, "points")
    assert difference.verdict == "undecided"
    assert difference.half_width is None
    assert "add seeds" in difference.sentence


def test_sentences_are_plain():
    gained = over_seeds(np.array([30.0, 41.0, 52.0]))
    words = sentence("versus", ("linear-refinement", "zero-shot"), gained, AT, "throws")
    assert re.fullmatch(
        r"linear-refinement is ahead of zero-shot by 41 ± 27 throws at equal model calls \(36\) "
        r"\(mixture against mixture, 3 seeds\)\.",
        words,
    )
    words = sentence("versus", ("a", "b"), over_seeds(np.array([-1.0, 2.0])), ("iterations", None), "throws")
    assert words.startswith("a and b cannot be told apart with all that each has used: a is ahead by 0 ± 19 throws")


def test_pairwise_marks_what_was_never_met():
    means, widths, counts = pairwise(("a", "b"), {("a", "b"): {0: 1.0, 1: 3.0}, ("b", "a"): {}})
    assert means[0][1] == 2.0
    assert counts == ((0, 2), (0, 0))
    assert widths[1] == (None, None)
    assert np.isnan(means[1][0])
