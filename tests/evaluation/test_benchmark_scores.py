import numpy as np
import pytest

from csro_core.evaluation.benchmark_scores import score


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
    with pytest.raises(ValueError, match="one row for each of 3 opponents"):
        score(("a", "b", "c"), np.zeros((2, 2)))
