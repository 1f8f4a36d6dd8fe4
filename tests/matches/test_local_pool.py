import os
import signal
import threading
import time

import numpy as np
import pytest
from toy_games import make_toy_game

from csro_core.errors import Cancelled, UsageError
from csro_core.games.base import GameSpec
from csro_core.matches.jobs import MatchJob
from csro_core.matches.local_pool import LocalPool

RPS = GameSpec("repeated_rps", {"num_throws": 50})
RANDOM = "import random\nclass Policy:\n    def act(self, obs):\n        return random.choice([0, 1, 2])\n"
MARKOV = """
import random
from collections import Counter, defaultdict
class Policy:
    def __init__(self):
        self.table = defaultdict(Counter)
    def act(self, obs):
        seen = obs["opponent_history"]
        if len(seen) > 1:
            self.table[seen[-2]][seen[-1]] += 1
        if seen and self.table[seen[-1]] and random.random() < 0.8:
            return (self.table[seen[-1]].most_common(1)[0][0] + 1) % 3
        return random.randrange(3)
"""
BUSY = "class Policy:\n    def act(self, obs):\n        for _ in range(10**6): pass\n        return 0\n"
LONG = GameSpec("repeated_rps", {"num_throws": 100000})


def jobs(count=6, game=RPS, sources=(RANDOM, MARKOV), episodes=3):
    seats = tuple(episode % 2 for episode in range(episodes))
    seeds = [tuple(range(9 * job, 9 * job + episodes)) for job in range(count)]
    return [MatchJob(game, sources, seats, own, keep_moves=True) for own in seeds]


def equal(one, other):
    return all(
        np.array_equal(a.returns, b.returns) and a.moves == b.moves and a.failures == b.failures
        for a, b in zip(one, other, strict=True)
    )


def test_results_do_not_depend_on_the_workers(pool):
    many = pool.submit(jobs())
    with_one = LocalPool(make_toy_game, workers=1)
    one = with_one.submit(jobs())
    with_one.close()
    assert equal(many, one)
    assert equal(many[::-1], pool.submit(jobs()[::-1]))
    # The test can fail: other seeds give other moves.
    assert not equal(many[:1], many[1:2])


def test_results_arrive_in_the_callers_thread(pool):
    seen = {}
    results = pool.submit(jobs(), lambda index, result: seen.update({index: (result, threading.current_thread())}))
    assert sorted(seen) == list(range(6))
    assert all(seen[index][0] is result for index, result in enumerate(results))
    assert {thread for _, thread in seen.values()} == {threading.current_thread()}


def test_an_error_in_the_callback_ends_the_batch(pool):
    def refuse(index, result):
        raise RuntimeError("the lease is lost")

    began = time.monotonic()
    with pytest.raises(RuntimeError, match="the lease is lost"):
        pool.submit([*jobs(1), *jobs(3, LONG, (BUSY, RANDOM))], refuse)
    assert time.monotonic() - began < 20.0
    assert len(pool.submit(jobs(1))) == 1


def test_cancel_from_another_thread(pool):
    cancelled_at = []

    def cancel():
        time.sleep(0.3)
        cancelled_at.append(time.monotonic())
        pool.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    with pytest.raises(Cancelled):
        pool.submit(jobs(8, LONG, (BUSY, BUSY)))
    seconds = time.monotonic() - cancelled_at[0]
    thread.join()
    # A second by contract; the slack is for a busy machine.
    assert seconds < 3.0
    assert len(pool.submit(jobs(2))) == 2
    pool.cancel()
    assert len(pool.submit(jobs(2))) == 2


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="finds the players in /proc")
def test_a_player_killed_from_outside_is_blamed_on_nobody(pool):
    """The match is played again, with the same result."""
    expected = pool.submit(jobs(1, GameSpec("repeated_rps", {"num_throws": 3000})))
    killed = []

    def kill_one():
        deadline = time.monotonic() + 10.0
        while not killed and time.monotonic() < deadline:
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
                        parent = int(stat.read().rpartition(")")[2].split()[1])
                except (FileNotFoundError, ProcessLookupError):
                    continue
                if parent == pool.host.zygote_pid:
                    os.kill(int(pid), signal.SIGKILL)
                    killed.append(pid)
                    break

    thread = threading.Thread(target=kill_one)
    thread.start()
    found = pool.submit(jobs(1, GameSpec("repeated_rps", {"num_throws": 3000})))
    thread.join()
    assert killed
    assert found[0].failures == ()
    assert equal(expected, found)


def test_a_dead_zygote_is_replaced(pool):
    os.kill(pool.host.zygote_pid, signal.SIGKILL)
    assert len(pool.submit(jobs(4))) == 4
    os.kill(pool.host.zygote_pid, signal.SIGKILL)
    assert pool.inspect(RANDOM).ok


def test_inspect_tells_and_runs_nothing(pool):
    good = pool.inspect('class Policy:\n    """Rock."""\n    def act(self, obs):\n        return 0\n')
    assert good.ok
    assert good.docstring == "Rock."
    assert good.lines == 4
    assert len(good.hash) == len(good.tree_hash) == 64
    commented = pool.inspect("# a comment\nclass Policy:\n    def act(self, obs):\n        return 0\n")
    assert (commented.tree_hash, commented.hash == good.hash) == (good.tree_hash, False)
    looping = pool.inspect("while True: pass\n" + RANDOM)
    assert looping.ok
    bad = pool.inspect("import os\nx = open('f')\n")
    assert not bad.ok
    assert [one.line for one in bad.problems] == [0, 1, 2]
    assert pool.inspect("class Policy(:").tree_hash == ""


def test_wrong_jobs_are_errors_of_the_caller(pool):
    with pytest.raises(UsageError, match="unknown game"):
        pool.submit(jobs(1, GameSpec("chezz")))
    with pytest.raises(ValueError, match="at least 1 worker"):
        LocalPool(make_toy_game, workers=0)
    assert pool.submit([]) == []


def test_close_is_idempotent():
    closing = LocalPool(make_toy_game, workers=1)
    closing.submit(jobs(1))
    pid = closing.host.zygote_pid
    closing.close()
    closing.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
