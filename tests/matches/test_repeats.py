"""Deterministic pairs are recognised and not played twice; the results are those of playing everything."""

import ast
from dataclasses import replace

import numpy as np
import pytest

from csro_core.games.base import GameSpec
from csro_core.matches import referee
from csro_core.matches.jobs import MatchJob
from csro_core.matches.repeats import PROBE_EPISODES, probe_of
from csro_core.policies.chance import draws_random, has_chance
from csro_core.policies.library import reference_names, reference_text

GAME = GameSpec("repeated_rps", {"num_throws": 40})
BEAT_LAST = (
    "class Policy:\n    def act(self, obs):\n        h = obs['opponent_history']\n"
    "        return (h[-1] + 1) % 3 if h else obs['player']\n"
)
ROTATE = "class Policy:\n    def act(self, obs):\n        return obs['throw'] % 3\n"
RANDOM = "import random\nclass Policy:\n    def act(self, obs):\n        return random.randrange(3)\n"
FAIL = "class Policy:\n    def act(self, obs):\n        return obs['throw'] if obs['throw'] < 20 else None\n"
# No random number, and yet every episode is different: the text of an object holds its address.
ADDRESSES = (
    "class Policy:\n    def __init__(self):\n        self.kept = []\n    def act(self, obs):\n"
    "        self.kept.append(object())\n        return int(str(self.kept[-1])[-3], 16) % 3\n"
)
HASHES = ADDRESSES.replace("int(str(self.kept[-1])[-3], 16)", "hash(self.kept[-1])")


def job_of(first, second, episodes=10, keep_moves=True):
    seats = tuple(episode % 2 for episode in range(episodes))
    return MatchJob(GAME, (first, second), seats, tuple(range(episodes)), keep_moves=keep_moves)


@pytest.fixture
def made(monkeypatch):
    """Notes how many policies each call has made: the episodes that were played."""
    counts = []
    original = referee.make_policies

    def counting(sides, templates, seeds, load_seconds):
        counts.append(len(seeds))
        original(sides, templates, seeds, load_seconds)

    monkeypatch.setattr(referee, "make_policies", counting)
    return counts


def played_in_full(pool, job, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(referee, "probe_of", lambda *_: None)
        return pool.submit([job])[0]


@pytest.mark.parametrize("keep_moves", [True, False])
def test_a_deterministic_pair_is_played_twice_a_seat_only(pool, made, monkeypatch, keep_moves):
    job = job_of(BEAT_LAST, ROTATE, keep_moves=keep_moves)
    result = pool.submit([job])[0]
    assert made == [2 * PROBE_EPISODES]
    assert result.deterministic
    whole = played_in_full(pool, job, monkeypatch)
    assert not whole.deterministic
    assert np.array_equal(result.returns, whole.returns)
    assert np.array_equal(result.forfeits, whole.forfeits)
    assert result.moves == whole.moves
    assert result.failures == whole.failures == ()
    # Beat-last starts with its seat, so the seats are not alike: a probe of one seat would not have been enough.
    assert len({tuple(pair) for pair in result.returns}) == 2


@pytest.mark.parametrize(("first", "second"), [(RANDOM, ROTATE), (ROTATE, RANDOM), (RANDOM, RANDOM)])
def test_who_can_draw_random_numbers_plays_everything(pool, made, first, second):
    result = pool.submit([job_of(first, second)])[0]
    assert made == [10]
    assert not result.deterministic


def test_who_may_show_an_address_plays_everything(pool, made):
    result = pool.submit([job_of(ADDRESSES, ROTATE)])[0]
    assert not result.deterministic
    assert made == [10]


def test_who_differs_unexpectedly_plays_everything(pool, made, monkeypatch):
    """The decision is not taken on trust."""
    monkeypatch.setattr(referee, "probe_of", lambda game, job, sides: probe_of(game, job, deterministic(sides)))
    result = pool.submit([job_of(RANDOM, ROTATE)])[0]
    assert not result.deterministic
    assert made == [4, 10]
    assert len(set(result.moves)) > 2


def deterministic(sides):
    for side in sides:
        side.random = False
    return sides


def test_hashes_of_objects_are_numbers_in_the_order_of_asking(pool, made):
    result = pool.submit([job_of(HASHES, ROTATE)])[0]
    assert result.deterministic
    assert len(set(result.moves)) == 1


def test_failures_are_those_of_playing_everything(pool, monkeypatch):
    job = job_of(ROTATE, FAIL)
    result = pool.submit([job])[0]
    whole = played_in_full(pool, job, monkeypatch)
    assert result.failures == whole.failures
    assert len(result.failures) == 10
    assert np.array_equal(result.returns, whole.returns)
    assert np.array_equal(result.forfeits, whole.forfeits)


def test_a_short_job_has_nothing_to_save(pool, made):
    assert not pool.submit([job_of(BEAT_LAST, ROTATE, episodes=4)])[0].deterministic
    assert made == [4]


def test_one_seat_alone_is_probed_alone(pool, made):
    job = replace(job_of(BEAT_LAST, ROTATE), seats=(1,) * 10)
    assert pool.submit([job])[0].deterministic
    assert made == [PROBE_EPISODES]


def test_every_part_of_a_long_job_is_recognised(pool, monkeypatch):
    job = job_of(BEAT_LAST, ROTATE, episodes=128)
    result = pool.submit([job])[0]
    assert result.deterministic
    assert np.array_equal(result.returns, played_in_full(pool, job, monkeypatch).returns)


def test_reference_policies_play_as_if_everything_was_played(pool, monkeypatch):
    texts = [reference_text(name) for name in reference_names("repeated_rps")]
    jobs = [job_of(first, second, episodes=8) for first, second in zip(texts, texts[1:] + texts[:1], strict=True)]
    results = pool.submit(jobs)
    assert {result.deterministic for result in results} == {True, False}
    monkeypatch.setattr(referee, "probe_of", lambda *_: None)
    for job, result, whole in zip(jobs, results, pool.submit(jobs), strict=True):
        assert result.deterministic is not any(has_chance(ast.parse(text)) for text in job.sources)
        assert np.array_equal(result.returns, whole.returns)
        assert result.moves == whole.moves


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import random", False),
        ("import random\nx = random.random()", True),
        ("import random as r\nx = r", True),
        ("from random import choice", False),
        ("from random import choice as c\nc([1])", True),
        ("from random import *", True),
        ("import math as random\nrandom.pi", False),
        ("def f():\n    import random\n    return random", True),
        ("import math, random\nclass A:\n    r = random", True),
        ("randomly = 1\nrandomly", False),
        ("'import random; random.random()'", False),
        ("import ｒａｎｄｏｍ\nｒａｎｄｏｍ.random()", True),
        ("class A:\n    import random\nA.random.random()", True),
        ("class A:\n    if A:\n        from random import random as r\nA.r()", True),
        ("import random as _A__r\nclass A:\n    def f(self): return __r.random()", True),
        ("class A:\n    def f(self):\n        import random as __r\n        return _A__r.random()", True),
        ("class A:\n    import math\nA.math.pi", False),
    ],
)
def test_draws_random(text, expected):
    assert draws_random(ast.parse(text)) is expected
