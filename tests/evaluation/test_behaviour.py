import time
import zlib

import numpy as np
import pytest

from csro_core.evaluation.behaviour import (
    ONE_STEP_EPISODES,
    PROBE_THROWS,
    behaviour_jobs,
    clusters,
    own_actions,
    probe,
)
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.seeds import Seed, run_secret
from tests.metagame.fake_executor import BEAT_LAST, BROKEN, CYCLE, RANDOM, FakeExecutor, always

RPS = make_game(GameSpec("repeated_rps"))
ONE_SHOT = make_game(GameSpec("matrix"))
SEATED = make_game(GameSpec("matrix", {"payoffs": [[3.0, -1.0, 0.0], [-1.0, 1.0, 2.0]]}))
SECRET = run_secret(Seed("7"), 1)

CYCLE_AGAIN = '''class Policy:
    def act(self, obs):
        return len(obs["my_history"]) % 3
'''


def late(throw):
    """Cycles, but for one throw."""
    return f'''class Policy:
    def act(self, obs):
        return (obs["throw"] + (obs["throw"] == {throw})) % 3
'''


def test_equal_behaviour_is_equal_whatever_the_text():
    texts = CYCLE, CYCLE_AGAIN, BEAT_LAST
    one, again, other = (own_actions(FakeExecutor().submit(behaviour_jobs(RPS, text, SECRET))) for text in texts)
    assert one == again != other
    assert one == bytes(step % 3 for step in range(PROBE_THROWS)) * (len(one) // 64)


def test_the_histories_are_short_fixed_and_different():
    jobs = behaviour_jobs(RPS, CYCLE, SECRET)
    assert {job.game.parameters["num_throws"] for job in jobs} == {PROBE_THROWS}
    histories = set()
    for result in FakeExecutor().submit(jobs):
        opponent = {zlib.decompress(log)[1::2] for log in result.moves}
        assert len(opponent) == 1
        histories |= opponent
    assert len(histories) == len(jobs) >= 4
    assert all(len(history) == PROBE_THROWS for history in histories)
    counts = np.bincount(np.frombuffer(b"".join(sorted(histories)), dtype=np.uint8))
    assert (counts > 0.2 * counts.sum()).all()
    texts = [job.sources[1] for job in jobs]
    assert texts == [job.sources[1] for job in behaviour_jobs(RPS, BEAT_LAST, run_secret(Seed("8"), 1))]


def test_a_game_that_is_short_already_is_left_alone():
    short = make_game(GameSpec("repeated_rps", {"num_throws": 9}))
    assert {job.game.parameters["num_throws"] for job in behaviour_jobs(short, CYCLE, SECRET)} == {9}


def test_a_stochastic_policy_repeats_itself_for_one_secret_only():
    first, second = probe(FakeExecutor(), RPS, [RANDOM, RANDOM], SECRET)
    assert first == second
    assert probe(FakeExecutor(), RPS, [RANDOM], run_secret(Seed("8"), 1)) != [first]


def test_a_one_step_game_gives_one_action_an_episode():
    mixed, pure = probe(FakeExecutor(), ONE_SHOT, [RANDOM, always(2)], SECRET)
    assert pure == bytes([2]) * ONE_STEP_EPISODES
    assert len(mixed) == ONE_STEP_EPISODES
    assert set(mixed) == {0, 1, 2}


@pytest.mark.parametrize("player", [0, 1])
def test_seats_are_kept_where_they_differ(player):
    text = 'class Policy:\n    def act(self, obs):\n        return len(obs["legal_actions"]) - 1\n'
    jobs = behaviour_jobs(SEATED, text, SECRET, player)
    assert {seat for job in jobs for seat in job.seats} == {player}
    assert set(probe(FakeExecutor(), SEATED, [text], SECRET, player)[0]) == {1 + player}


def test_all_texts_are_probed_in_one_submission():
    executor = FakeExecutor()
    actions = probe(executor, RPS, [CYCLE, BROKEN, BEAT_LAST], SECRET)
    assert len(executor.batches) == 1
    assert set(actions[1]) == {255}
    assert actions[0] == own_actions(FakeExecutor().submit(behaviour_jobs(RPS, CYCLE, SECRET)))


def test_clusters_group_what_acts_nearly_alike():
    texts = [CYCLE, BEAT_LAST, late(40), CYCLE_AGAIN, always(0)]
    vectors = probe(FakeExecutor(), RPS, texts, SECRET)
    # One throw of 64 is more than 1 %.
    assert clusters(vectors) == [0, 1, 2, 0, 3]
    assert clusters([]) == []


def test_the_limit_of_agreement_is_99_percent():
    base = bytes(300)
    within, beyond = bytearray(base), bytearray(base)
    within[:2] = b"\1\1"
    beyond[:3] = b"\1\1\1"
    assert clusters([base, bytes(within), bytes(beyond)]) == [0, 0, 1]
    assert clusters([base, base[:150], b""]) == [0, 1, 2]


def test_clustering_a_large_population_is_quick():
    rng = np.random.default_rng(0)
    vectors = [rng.integers(0, 3, size=512).astype(np.uint8).tobytes() for _ in range(150)]
    began = time.process_time()
    assert clusters(vectors) == list(range(150))
    assert time.process_time() - began < 5.0
