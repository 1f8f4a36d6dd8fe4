"""What every `MatchExecutor` must hold. `test_executors_contract.py` runs it over every executor."""

import threading
import time

import numpy as np
import pytest

from csro_core.errors import Cancelled
from csro_core.games.base import GameSpec
from csro_core.matches.jobs import Isolation, MatchJob

RPS = GameSpec("repeated_rps", {"num_throws": 20})
ROCK = "class Policy:\n    def act(self, obs):\n        return 0\n"
PAPER = "class Policy:\n    def act(self, obs):\n        return 1\n"
RANDOM = "import random\nclass Policy:\n    def act(self, obs):\n        return random.randrange(3)\n"
BUSY = "class Policy:\n    def act(self, obs):\n        for _ in range(10**6): pass\n        return 0\n"


class ExecutorContract:
    """Subclass and provide a fixture `executor`."""

    def test_results_come_in_the_order_of_the_jobs(self, executor):
        pairs = [(ROCK, PAPER), (PAPER, ROCK), (ROCK, ROCK)]
        results = executor.submit([MatchJob(RPS, pair, (0, 1), (1, 2)) for pair in pairs])
        assert [result.returns[0, 0] for result in results] == [-20.0, 20.0, 0.0]

    def test_equal_jobs_give_equal_results(self, executor):
        job = MatchJob(RPS, (RANDOM, RANDOM), (0, 1, 0), (5, 6, 7), keep_moves=True)
        first, second = executor.submit([job, job])
        assert np.array_equal(first.returns, second.returns)
        assert first.moves == second.moves
        assert len(first.moves) == 3
        # Seats and seeds matter: three different episodes.
        assert len(set(first.moves)) == 3

    def test_every_result_is_called_back_once_in_this_thread(self, executor):
        calls = []
        jobs = [MatchJob(RPS, (ROCK, RANDOM), (0,), (seed,)) for seed in range(4)]
        executor.submit(jobs, lambda index, result: calls.append((index, threading.get_ident())))
        assert sorted(calls) == [(index, threading.get_ident()) for index in range(4)]

    def test_a_failing_policy_is_a_result(self, executor):
        result = executor.submit([MatchJob(RPS, ("import os\n", ROCK), (0,), (1,))])[0]
        assert [(failure.policy, failure.status) for failure in result.failures] == [(0, "refused")]
        assert result.forfeits.tolist() == [[True, False]]
        assert result.returns.tolist() == [[-20.0, 20.0]]

    def test_cancel_raises_and_later_calls_work(self, executor):
        timer = threading.Timer(0.3, executor.cancel)
        timer.start()
        began = time.monotonic()
        long = GameSpec("repeated_rps", {"num_throws": 100000})
        with pytest.raises(Cancelled):
            executor.submit([MatchJob(long, (BUSY, BUSY), (0,), (1,))] * 4)
        timer.join()
        assert time.monotonic() - began < 5.0
        assert len(executor.submit([MatchJob(RPS, (ROCK, PAPER), (0,), (1,))])) == 1

    def test_inspect(self, executor):
        assert executor.inspect(ROCK).ok
        assert not executor.inspect("import os\n").ok

    def test_isolation_is_told(self, executor):
        told = executor.isolation
        assert isinstance(told, Isolation)
        assert told.level in {"full", "reduced"}
        assert bool(told.reason) == (told.level == "reduced")
