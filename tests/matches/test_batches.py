import numpy as np
import pytest
from toy_games import make_toy_game

from csro_core.games.base import GameSpec
from csro_core.matches import batches
from csro_core.matches.jobs import Failure, MatchJob
from csro_core.matches.local_pool import LocalPool

RPS = GameSpec("repeated_rps", {"num_throws": 20})
RANDOM = "import random\nclass Policy:\n    def act(self, obs):\n        return random.choice([0, 1, 2])\n"
# Fails in the episodes whose generator says so: some parts have failures, some have none.
MOODY = """
import random
class Policy:
    def __init__(self):
        self.bad = random.random() < 0.2
    def act(self, obs):
        return 7 if self.bad and obs["throw"] == 3 else 0
"""
GREEDY = """
class Policy:
    def __init__(self):
        self.table = [0] * 100_000
    def act(self, obs):
        return 0
"""


def job(sources, episodes):
    return MatchJob(RPS, sources, tuple(e % 2 for e in range(episodes)), tuple(range(episodes)), keep_moves=True)


def test_parts_together_are_the_job():
    parts = batches.parts_of(job((RANDOM, RANDOM), 150))
    assert [len(part.seeds) for part in parts] == [64, 64, 22]
    assert sum((part.seeds for part in parts), ()) == tuple(range(150))
    assert all(part.seats[0] == 0 for part in parts)


def test_a_job_in_parts_gives_what_the_whole_gives(pool, monkeypatch):
    jobs = [job((RANDOM, MOODY), 26), job((MOODY, MOODY), 3)]
    whole = pool.submit(jobs)
    monkeypatch.setattr(batches, "EPISODES_A_PROCESS", 4)
    seen = []
    parts = pool.submit(jobs, lambda index, result: seen.append((index, result)))
    assert sorted(index for index, _ in seen) == [0, 1]
    assert all(result is parts[index] for index, result in seen)
    for one, other in zip(whole, parts, strict=True):
        assert np.array_equal(one.returns, other.returns)
        assert np.array_equal(one.forfeits, other.forfeits)
        assert one.moves == other.moves
        assert one.failures == other.failures  # with the numbers of the whole job's episodes, also in the sentence
    assert whole[0].failures


def test_many_episodes_do_not_use_up_the_memory_of_a_process():
    # 300 tables of 0.8 MB do not fit into the 256 MB of one process.
    pool = LocalPool(make_toy_game, workers=2)
    try:
        (result,) = pool.submit([job((GREEDY, GREEDY), 300)])
    finally:
        pool.close()
    assert result.failures == ()
    assert not result.forfeits.any()


@pytest.mark.parametrize(("episode", "said"), [(3, "bad (episode 13, step 2)"), (None, "bad (episode 3, step 2)")])
def test_a_shifted_failure_speaks_of_the_episode_of_the_longer_match(episode, said):
    failure = Failure(0, "exception", "bad (episode 3, step 2)", 1, episode, 2)
    assert failure.shifted(10).message == said
    assert failure.shifted(10).episode == (None if episode is None else 13)
