import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csro_core.estimates import Estimate
from csro_core.oracles.archive import CAPACITY, Island, clusters, measured, order
from csro_core.oracles.base import Attempt, Evaluation, OpponentScore
from csro_core.oracles.selection import expected_ranks, shares, shorter_first, typical


def attempt(index, *payoffs, stderr=1.0, source=None, parent=None):
    scores = tuple(OpponentScore(f"h{place}", Estimate(payoff, stderr, 4)) for place, payoff in enumerate(payoffs))
    total = Estimate(float(np.mean(payoffs)), stderr, 4)
    screen = Evaluation("scored", "", None, total, total, scores)
    return Attempt(index, source or f"text {index}", "", "propose", parent, screen)


def test_negative_payoffs_select_sanely():
    # Clipped proportional selection gives four fifths to 0.02 and the same crumb to all losers (evolution systems).
    chances = shares([-0.6, -0.3, -0.05, 0.02], 0.0, [0, 0, 0, 0])
    assert list(chances) == sorted(chances)
    assert chances[2] > 2 * chances[0] > 0
    assert chances == pytest.approx(shares([-600.6, -600.3, -600.05, -599.98], 0.0, [0, 0, 0, 0]))


def test_ties_share_a_rank_and_noise_is_not_amplified():
    assert list(expected_ranks([0.0, 0.0, 0.0], 0.0)) == [1.0, 1.0, 1.0]
    near = shares([0.0, 0.001, 0.002], 1.0, [0, 0, 0])
    assert near.max() - near.min() < 0.001
    assert shares([0.0, 0.001, 0.002], 0.0, [0, 0, 0]).max() > 0.5


def test_children_make_room_for_others():
    chances = shares([5.0, 5.0], 1.0, [3, 0])
    assert chances[1] == pytest.approx(2 * chances[0])


@given(
    scores=st.lists(st.floats(-1000, 1000), min_size=1, max_size=12),
    noise=st.floats(0, 100),
)
def test_shares_are_chances_that_never_prefer_a_worse_score(scores, noise):
    chances = shares(scores, noise, [0] * len(scores))
    assert chances.sum() == pytest.approx(1.0)
    assert (chances > 0).all()
    for place, score in enumerate(scores):
        for other, rival in enumerate(scores):
            assert score >= rival or chances[place] <= chances[other] + 1e-12


def test_short_texts_are_likelier_and_unknown_errors_are_ignored():
    assert list(shorter_first([10, 10])) == [0.5, 0.5]
    assert shorter_first([10, 30])[0] > 0.8
    assert typical([float("nan"), 2.0]) == 2.0
    assert typical([float("nan")]) == 0.0


def test_a_cluster_is_who_earns_the_same_against_everybody():
    groups = clusters([attempt(0, 10.0, -10.0), attempt(1, 10.2, -9.9), attempt(2, -10.0, 10.0)])
    assert [[member.index for member in group.members] for group in groups] == [[1, 0], [2]]
    exact = clusters([attempt(0, 0.0, stderr=0.0), attempt(1, 0.0, stderr=0.0), attempt(2, 0.1, stderr=0.0)])
    assert [[member.index for member in group.members] for group in exact] == [[2], [0, 1]]


def test_the_order_is_advantage_then_the_worst_payoff_then_the_shorter_text():
    even, uneven, longer = attempt(0, 1.0, 1.0), attempt(1, 0.0, 2.0), attempt(2, 1.0, 1.0, source="a longer text")
    assert sorted([longer, uneven, even, attempt(3, 5.0, 0.0)], key=order)[0].index == 3
    assert [one.index for one in sorted([longer, uneven, even], key=order)] == [0, 2, 1]


def test_an_island_keeps_ties_and_the_best_but_nothing_twice():
    island = Island(0)
    for index in range(CAPACITY + 5):
        island.take(attempt(index, 0.0))
    assert len(island.members) == CAPACITY
    assert island.since_gain == CAPACITY + 4
    guest = attempt(99, 9.0)
    island.receive(guest)
    island.receive(guest)
    assert [member.index for member in island.members].count(99) == 1
    assert island.best is guest
    assert len(island.members) == CAPACITY
    assert island.emigrant().index != 99


def test_failures_are_counted_but_never_kept():
    island = Island(0)
    broken = Attempt(0, "x", "", "propose", None, Evaluation("failed", "line 1: boom"))
    island.take(broken)
    assert not measured(broken)
    assert island.written == 1
    assert island.parent(np.random.default_rng(0)) is None


def test_an_elite_moves_once_and_a_restarted_island_begins_with_it():
    island, other = Island(0), Island(1)
    for index in range(3):
        island.take(attempt(index, float(index)))
    moved = island.emigrant()
    assert moved.index == 2
    assert island.emigrant().index == 1
    other.take(attempt(7, -5.0))
    other.restart(moved)
    assert [member.index for member in other.members] == [2]
    assert other.emigrant() is None
    assert other.parent(np.random.default_rng(0)).index == 2


def test_better_members_are_drawn_more_often_in_an_all_losing_island():
    island = Island(0)
    for index in range(4):
        island.take(attempt(index, -800.0 + 100 * index))
    drawn = [island.parent(np.random.default_rng(seed)).index for seed in range(400)]
    counts = [drawn.count(index) for index in range(4)]
    assert counts == sorted(counts)
    assert counts[0] > 0
