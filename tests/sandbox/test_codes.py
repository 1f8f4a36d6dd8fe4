"""A text is checked and compiled once a host; its later processes take the byte code, and nothing else changes."""

import pytest

from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.jobs import MatchJob
from csro_core.matches.local_pool import LocalPool
from csro_core.sandbox.codes import Compiled, KnownCodes
from csro_core.sandbox.host import PolicyHost

GAME = GameSpec("repeated_rps", {"num_throws": 20})
ROCK = "class Policy:\n    def act(self, obs):\n        return 0\n"
RANDOM = "import random\nclass Policy:\n    def act(self, obs):\n        return random.randrange(3)\n"
WRONG = "class Policy:\n    def act(self, obs):\n        return 7\n"
REFUSED = "import os\n" + ROCK


@pytest.fixture
def host():
    opened = PolicyHost()
    yield opened
    opened.close()


def load(host, text):
    player = host.spawn()
    try:
        player.ask_load(text)
        waited = player.waiting
        return *player.loaded(), waited
    finally:
        host.release(player)


@pytest.mark.parametrize(("text", "random"), [(ROCK, False), (RANDOM, True)])
def test_the_second_process_of_a_text_does_not_compile_it(host, text, random):
    assert load(host, text) == ((), random, True)
    assert load(host, text) == ((), random, False)


def test_what_is_refused_is_checked_every_time(host):
    first, _, waited = load(host, REFUSED)
    assert waited
    assert [problem.line for problem in first] == [1]
    assert load(host, REFUSED) == (first, True, True)


def test_a_text_that_differs_is_another_text(host):
    load(host, ROCK)
    assert load(host, ROCK + "# a remark\n")[2]


@pytest.mark.parametrize("pair", [(ROCK, RANDOM), (RANDOM, WRONG), (WRONG, ROCK)])
def test_matches_are_the_same_with_known_codes(pair):
    job = MatchJob(GAME, pair, (0, 1) * 3, tuple(range(6)), keep_moves=True)
    pool = LocalPool(make_game, workers=1)
    try:
        first, second = (pool.submit([job])[0] for _ in range(2))
    finally:
        pool.close()
    assert first.moves == second.moves
    assert (first.returns == second.returns).all()
    # Messages name the line of `act`, which the second process has not seen in a syntax tree.
    assert first.failures == second.failures


def test_the_oldest_go_first():
    codes = KnownCodes(most_bytes=30)
    for name in "abc":
        codes.put(name, Compiled(name.encode() * 9, 1, False))
    assert codes.get("a") is not None
    codes.put("d", Compiled(b"d" * 9, 1, False))
    assert codes.get("b") is None
    assert [name for name in "acd" if codes.get(name)] == ["a", "c", "d"]
    codes.put("x", Compiled(b"x" * 100, 1, False))
    assert codes.get("x") is None
    assert codes.get("d") is None
