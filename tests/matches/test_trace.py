"""Where acts return: the lines come from the jailed process, for a job's first policy, and only if asked for."""

from dataclasses import replace

import pytest

from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.jobs import MatchJob
from csro_core.matches.local_pool import LocalPool

TWO_WAYS = """class Policy:
    def act(self, obs):
        if obs["information_state"][0] == "2":
            return self.bet()
        return 0

    def bet(self):
        return 1
"""
FAILS = "class Policy:\n    def act(self, obs):\n        raise ValueError('no')\n"


@pytest.fixture(scope="module")
def pool():
    executor = LocalPool(make_game)
    yield executor
    executor.close()


def numbers(told):
    return [int.from_bytes(told[at : at + 2], "little") for at in range(0, len(told), 2)]


def test_the_line_is_that_of_the_return_of_act_itself(pool):
    job = MatchJob(GameSpec("kuhn_poker"), (TWO_WAYS, TWO_WAYS), (0, 1) * 40, tuple(range(80)), trace=True)
    (traced,) = pool.submit([job])
    (plain,) = pool.submit([replace(job, trace=False)])
    assert (traced.returns == plain.returns).all()
    assert plain.lines == ()
    assert len(traced.lines) == 80
    assert {line for told in traced.lines for line in numbers(told)} == {4, 5}


def test_a_policy_that_fails_fails_as_ever(pool):
    job = MatchJob(GameSpec("kuhn_poker"), (FAILS, TWO_WAYS), (0, 0), (1, 2), trace=True)
    (result,) = pool.submit([job])
    assert result.forfeits[:, 0].all()
    assert [(failure.status, failure.line) for failure in result.failures] == [("exception", 3)] * 2
