import numpy as np
import pytest

from csro_core.errors import CsroError, UsageError
from csro_core.evaluation import roshambo
from csro_core.evaluation.benchmark import Mixture, benchmark_named, evaluate_bot, evaluate_mixtures
from csro_core.evaluation.bot_matches import play_bots
from csro_core.evaluation.published import published_bots
from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool
from csro_core.seeds import Secret

ROCK = "class Policy:\n    def act(self, obs):\n        return 0\n"
COPY = (
    "class Policy:\n    def act(self, obs):\n        seen = obs['opponent_history']\n"
    "        return (seen[-1] + 1) % 3 if seen else 0\n"
)
RANDOM = "import random\nclass Policy:\n    def act(self, obs):\n        return random.randrange(3)\n"

needs_bots = pytest.mark.skipif(
    roshambo.pyspiel is None or not hasattr(roshambo.pyspiel, "roshambo_bot_names"), reason="no RoShamBo bots here"
)


@pytest.fixture(scope="module")
def pool():
    opened = LocalPool(make_game, workers=3)
    yield opened
    opened.close()


def dice(number):
    return Secret.of_key(bytes([number]))


def bot_returns(text, bots, episodes, secret, pool):
    return play_bots([text], bots, episodes, secret, pool)[0].returns


@needs_bots
def test_published_values(pool):
    """OpenSpiel's table (paper_data/pbe_rrps): rockbot -610.116 / 1000.0 (copybot), copybot -475.327 / 997.0."""
    assert len(roshambo.bot_names()) == 43
    entrants = [Mixture((ROCK,), (1.0,)), Mixture((COPY,), (1.0,))]
    rock, copy = evaluate_mixtures(benchmark_named("rrps"), entrants, 2, dice(7), pool)
    assert abs(rock.pop_return.mean + 610.116) < 5 * rock.pop_return.stderr
    assert (rock.pop_expl.mean, rock.nemesis) == (1000.0, "copybot")
    assert abs(copy.pop_return.mean + 475.327) < 5 * copy.pop_return.stderr
    assert copy.pop_expl.mean == pytest.approx(997.0, abs=1.0)


@needs_bots
@pytest.mark.parametrize("name", ["iocainebot", "randbot", "debruijn81"])
def test_a_bots_own_row_is_the_published_one(name, pool):
    """OpenSpiel's table, 1,000 matches a pair; greenberg (284.505) is left out here since it is slow."""
    published = {row.method: row for row in published_bots()}[name]
    found = evaluate_bot(name, 2, dice(11), pool)
    assert abs(found.pop_return.mean - published.pop_return) < 5 * found.pop_return.stderr
    # The largest of 43 noisy means is too large by some of their errors, never too small by more than one of them.
    assert -4 * found.pop_expl.stderr < found.pop_expl.mean - published.pop_expl < 100


@needs_bots
def test_a_match_depends_on_nothing_but_its_own_names(pool):
    """Not on the other bots of the panel, nor on what is played at the same time: the bots share C's random()."""
    bots = ("randbot", "shofar", "iocainebot", "biopic")
    together = play_bots([RANDOM, ROCK], bots, 3, dice(5), pool)
    alone = LocalPool(make_game, workers=1)
    for row, bot in enumerate(bots):
        assert np.array_equal(play_bots([RANDOM], [bot], 3, dice(5), alone)[0].returns[0], together[0].returns[row])
    alone.close()
    assert np.array_equal(together[0].returns[:, :2], play_bots([RANDOM], bots, 2, dice(5), pool)[0].returns)
    assert not np.array_equal(together[0].returns, play_bots([RANDOM], bots, 3, dice(6), pool)[0].returns)


@needs_bots
def test_a_mixture_is_the_weighted_sum_of_its_cells(pool):
    bots = roshambo.bot_names()
    rows = play_bots([ROCK, COPY], bots, 1, dice(3), pool)
    mixture = Mixture((ROCK, COPY, "not played"), (0.25, 0.75, 0.0))
    (mixed,) = evaluate_mixtures(benchmark_named("rrps"), [mixture], 1, dice(3), pool)
    assert np.allclose(mixed.returns, 0.25 * rows[0].returns + 0.75 * rows[1].returns)
    assert mixed.failures == ()


@needs_bots
def test_a_failure_forfeits_the_rest_and_is_told(pool):
    failing = ROCK.replace("return 0", "assert obs['throw'] < 400\n        return 0")
    found = play_bots([failing, "import os\n"], ["rockbot"], 2, dice(1), pool)
    assert found[0].returns.tolist() == [[-600.0, -600.0]]
    assert found[0].failures[0].step == 400
    assert found[1].returns.tolist() == [[-1000.0, -1000.0]]
    assert found[1].failures[0].status == "refused"


@needs_bots
def test_wrong_requests(pool):
    with pytest.raises(UsageError, match="unknown bots nobody; known bots: actr_lag2_decay"):
        play_bots([ROCK], ["nobody"], 1, dice(1), pool)
    with pytest.raises(UsageError, match="at least 1 episode"):
        play_bots([ROCK], ["rockbot"], 0, dice(1), pool)
    with pytest.raises(UsageError, match="sum 1"):
        Mixture((ROCK,), (0.5,))


@needs_bots
def test_a_bot_that_aborts_ends_its_own_process_only():
    bots = roshambo.BotProcess(["greenberg", "rockbot"], [1, 2], [1, 1])

    def play():
        for step in range(1, 1000):
            bots.tell(b"\0\0", step)
            bots.answer(step)

    bots.answer(0)
    bots._process.kill()
    with pytest.raises(CsroError, match=r"bots greenberg, rockbot must live .* ended at throw [1-9] \(signal 9\)"):
        play()


def test_without_openspiel_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(roshambo, "pyspiel", None)
    with pytest.raises(UsageError, match="install open-spiel"):
        roshambo.bot_names()


LARGE = "class Policy:\n    def __init__(self):\n        self.table = bytes(70 << 20)\n" + ROCK.partition("\n")[2]
CRASHING = """
class Policy:
    def act(self, obs):
        nested = ()
        if obs["throw"] == 990:
            for _ in range(10**6): nested = (nested,)
        return {nested: 0}[nested]  # the hash of the interpreter itself, which has no limit of its own
"""


@needs_bots
def test_matches_do_not_share_the_memory_of_one(pool):
    """Four of 70 MB are more than the limit of one; each of them alone is not."""
    large, rock = (bot_returns(text, ["rotatebot"], 4, dice(5), pool) for text in (LARGE, ROCK))
    assert np.array_equal(large, rock)


@needs_bots
def test_a_match_that_ends_its_process_is_forfeited_alone_and_the_fifth_unplayed(pool):
    (found,) = play_bots([CRASHING], ["rockbot"], 5, dice(5), pool)
    # Ties for 990 throws; what is not played at all is lost whole.
    assert found.returns.tolist() == [[-10.0, -10.0, -10.0, -10.0, -1000.0]]
    assert found.failures[0].status in {"crashed", "timeout"}
    assert found.failures[0].episode == 0
