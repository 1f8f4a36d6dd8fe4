import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from csro_core.evaluation.crossplay import Team, cross_payoff, over_seeds
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.local_pool import LocalPool
from csro_core.metagame.population import Entry
from csro_core.policies.library import reference_text
from csro_core.policies.source import sha256


def entry(name):
    text = reference_text(name)
    return Entry(sha256(text), sha256(text), text, name)


def team(**shares):
    return Team(tuple(entry(name) for name in shares), tuple(shares.values()))


@pytest.fixture(scope="module")
def pool():
    opened = LocalPool(make_game)
    yield opened
    opened.close()


def test_a_mixture_is_worth_what_its_policies_are_worth_by_their_shares(pool):
    game = make_game(GameSpec("matrix"))  # rock-paper-scissors, once
    mixed = team(first_action=0.25, pure_1=0.75)  # rock, paper
    worth = cross_payoff(game, pool, mixed, team(pure_2=1.0), range(8))  # scissors
    assert worth.mean == pytest.approx(0.25 - 0.75)
    assert worth.stderr == 0.0
    assert cross_payoff(game, pool, team(pure_2=1.0), mixed, range(8)).mean == pytest.approx(0.75 - 0.25)
    assert cross_payoff(game, pool, mixed, mixed, range(8)).mean == pytest.approx(0.0)


def test_policies_below_a_share_that_matters_are_left_out_unless_all_are():
    entries = [entry(name) for name in ("rock", "rotate", "biased")]
    kept = Team.of(entries, (0.006, 0.3, 0.694))
    assert [one.name for one in kept.entries] == ["rotate", "biased"]
    assert_allclose(kept.shares, [0.3 / 0.994, 0.694 / 0.994])
    everyone = Team.of(entries, (0.5, 0.5, 0.0), negligible=0.9)
    assert [one.name for one in everyone.entries] == ["rock", "rotate"]


def test_the_interval_over_seeds_is_students():
    # Quantile of Student's t with 3 degrees of freedom at 97.5 %: 3.182446 (any table of it).
    seen = over_seeds(np.array([1.0, 2.0, 3.0, -2.0]))
    assert seen.mean == 1.0
    assert seen.half_width == pytest.approx(3.182446 * np.std([1, 2, 3, -2], ddof=1) / 2, rel=1e-6)
    assert (seen.seeds, seen.above) == (4, 3)
    assert str(seen) == "1.0 ± 3.4"


def test_a_single_seed_has_no_interval_and_none_has_no_mean():
    assert np.isnan(over_seeds(np.array([4.0])).half_width)
    with pytest.raises(ValueError, match="S >= 1"):
        over_seeds(np.array([]))


def test_the_interval_over_seeds_covers_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(0)
    hits = 0
    for sample in rng.normal(3.0, 2.0, size=(2_000, 10)):
        seen = over_seeds(sample)
        hits += abs(seen.mean - 3.0) <= seen.half_width
    assert 0.93 <= hits / 2_000 <= 0.97


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20), st.floats(-1e6, 1e6))
def test_a_shift_of_all_seeds_shifts_the_mean_and_leaves_the_width(values, shift):
    one, other = over_seeds(np.array(values)), over_seeds(np.array(values) + shift)
    assert other.mean == pytest.approx(one.mean + shift, abs=1e-3)
    assert other.half_width == pytest.approx(one.half_width, rel=1e-6, abs=1e-3)
