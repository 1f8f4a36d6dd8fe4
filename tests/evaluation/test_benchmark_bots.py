import numpy as np
import pytest

from csro_core.errors import UsageError
from csro_core.evaluation import roshambo
from csro_core.evaluation.benchmark import Mixture, bot_returns, evaluate_mixtures, play_bots, score
from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool

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


def test_score_by_hand():
    returns = np.array([[10.0, 20.0, 10.0, 20.0], [-4.0, 0.0, -8.0, 0.0]])
    found = score(("a", "b"), returns)
    assert found.nemesis == "b"
    assert found.pop_return.mean == pytest.approx((15 - 3) / 2)
    assert found.pop_expl.mean == pytest.approx(3.0)
    assert found.agg_score.mean == pytest.approx(3.0)
    # Chosen on either half the nemesis is b; valued on the odd episodes it wins 0, on the even ones 6.
    assert found.pop_expl_split.mean == pytest.approx(3.0)
    variances = returns.var(axis=1, ddof=1)
    assert found.pop_return.stderr == pytest.approx(np.sqrt(variances.sum() / 4) / 2)
    assert found.pop_expl.stderr == pytest.approx(np.sqrt(variances[1] / 4))
    # 1/2 a + 3/2 b: the return against b counts in the mean and as the loss.
    assert found.agg_score.stderr == pytest.approx(np.sqrt((variances[0] / 4 + variances[1] * 9 / 4) / 4))


def test_split_takes_out_the_bias_of_the_maximum():
    """Where nothing is to be found the plain maximum finds something; the split one is right on average."""
    rng = np.random.default_rng(1)
    found = [score(tuple("abcdefgh"), rng.normal(size=(8, 10))) for _ in range(300)]
    assert np.mean([one.pop_expl.mean for one in found]) > 0.3
    split = np.array([one.pop_expl_split.mean for one in found])
    assert abs(split.mean()) < 4 * split.std() / 300**0.5
    # The errors that are told agree with the spread that is seen.
    assert np.mean([one.pop_expl_split.stderr for one in found]) == pytest.approx(split.std(), rel=0.2)


def test_one_episode_gives_no_errors_and_no_split():
    found = score(("a", "b"), np.array([[1.0], [2.0]]))
    assert np.isnan([found.pop_return.stderr, found.pop_expl_split.mean, found.agg_score_split.mean]).all()
    assert found.agg_score.mean == pytest.approx(2.5)
    with pytest.raises(ValueError, match="one row for each of 3 bots"):
        score(("a", "b", "c"), np.zeros((2, 2)))


@needs_bots
def test_published_values(pool):
    """OpenSpiel's table (paper_data/pbe_rrps): rockbot -610.116 / 1000.0 (copybot), copybot -475.327 / 997.0."""
    assert len(roshambo.bot_names()) == 43
    rock, copy = evaluate_mixtures([Mixture((ROCK,), (1.0,)), Mixture((COPY,), (1.0,))], 2, 7, pool)
    assert abs(rock.pop_return.mean + 610.116) < 5 * rock.pop_return.stderr
    assert (rock.pop_expl.mean, rock.nemesis) == (1000.0, "copybot")
    assert abs(copy.pop_return.mean + 475.327) < 5 * copy.pop_return.stderr
    assert copy.pop_expl.mean == pytest.approx(997.0, abs=1.0)


@needs_bots
def test_a_match_depends_on_nothing_but_its_own_names(pool):
    """Not on the other bots of the panel, nor on what is played at the same time: the bots share C's random()."""
    bots = ("randbot", "shofar", "iocainebot", "biopic")
    together = play_bots([RANDOM, ROCK], bots, 3, 5, pool)
    alone = LocalPool(make_game, workers=1)
    for row, bot in enumerate(bots):
        assert np.array_equal(bot_returns(RANDOM, [bot], 3, 5, alone)[0], together[0].returns[row])
    alone.close()
    assert np.array_equal(together[0].returns[:, :2], bot_returns(RANDOM, bots, 2, 5, pool))
    assert not np.array_equal(together[0].returns, bot_returns(RANDOM, bots, 3, 6, pool))


@needs_bots
def test_a_mixture_is_the_weighted_sum_of_its_cells(pool):
    bots = roshambo.bot_names()
    rows = play_bots([ROCK, COPY], bots, 1, 3, pool)
    (mixed,) = evaluate_mixtures([Mixture((ROCK, COPY, "not played"), (0.25, 0.75, 0.0))], 1, 3, pool)
    assert np.allclose(mixed.returns, 0.25 * rows[0].returns + 0.75 * rows[1].returns)
    assert mixed.failures == ()


@needs_bots
def test_a_failure_forfeits_the_rest_and_is_told(pool):
    failing = ROCK.replace("return 0", "assert obs['throw'] < 400\n        return 0")
    found = play_bots([failing, "import os\n"], ["rockbot"], 2, 1, pool)
    assert found[0].returns.tolist() == [[-600.0, -600.0]]
    assert found[0].failures[0].step == 400
    assert found[1].returns.tolist() == [[-1000.0, -1000.0]]
    assert found[1].failures[0].status == "refused"


@needs_bots
def test_wrong_requests(pool):
    with pytest.raises(UsageError, match="unknown bots nobody; known bots: actr_lag2_decay"):
        bot_returns(ROCK, ["nobody"], 1, 1, pool)
    with pytest.raises(UsageError, match="at least 1 episode"):
        bot_returns(ROCK, ["rockbot"], 0, 1, pool)
    with pytest.raises(UsageError, match="sum 1"):
        Mixture((ROCK,), (0.5,))


def test_without_openspiel_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(roshambo, "pyspiel", None)
    with pytest.raises(UsageError, match="install open-spiel"):
        roshambo.bot_names()
