"""The cluster pool over a link that the test answers: windows, retries, refusals, addresses. No process, no network."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from csro_core.errors import CsroError, IsolationError, UsageError
from csro_core.games.base import GameSpec
from csro_core.matches import cluster as cluster_module
from csro_core.matches.cluster import MAX_ATTEMPTS, ClusterPool, checked_address
from csro_core.matches.cluster_messages import Answer, Demand, Lost, WorkerReport, code_identity, refuse
from csro_core.matches.jobs import Isolation, MatchJob, MatchResult

HERE = "tcp://10.0.0.7:1"
FULL = Isolation("full", "", ("a seccomp allow-list", "Landlock"))
FINE = WorkerReport(HERE, code_identity(), FULL)
REDUCED = WorkerReport(HERE, code_identity(), Isolation("reduced", "no seccomp"))
JOB = MatchJob(GameSpec("repeated_rps"), ("", ""), (0,) * 100, tuple(range(100)))


def answer(task):
    returns = np.array([[seed, -seed] for seed in task.seeds], dtype=np.float64)
    return Answer(FINE, MatchResult(returns, np.zeros(returns.shape, dtype=np.bool_), (), (), 0.0))


class FakeLink:
    """Answers the latest task first, and as `reply` says."""

    address, threads, workers, looks, lost = "tcp://host:1", 2, 2, 1, False

    def __init__(self, reply):
        self.reply = reply
        self.under_way = []
        self.most = 0
        self.sent = []
        self.dropped = 0

    def reports(self):
        return [FINE]

    def look(self):
        pass

    def send(self, errand, number, task):
        self.sent.append(number)
        self.under_way.append((number, task))
        self.most = max(self.most, len(self.under_way))
        if len(self.under_way) == 4 * self.threads or number >= self.last:
            while self.under_way:
                place, waiting = self.under_way.pop()
                errand.arrivals.put((place, self.reply(waiting)))

    last = 0

    def drop(self, errand):
        self.dropped += 1

    def close(self):
        pass


def pool_over(monkeypatch, reply):
    link = FakeLink(reply)
    monkeypatch.setattr(cluster_module, "_connect", lambda address: link)
    return ClusterPool("tcp://host:1"), link


def test_parts_travel_in_a_window_and_are_joined_in_order(monkeypatch):
    pool, link = pool_over(monkeypatch, answer)
    link.last = 59
    seen = []
    results = pool.submit([JOB] * 30, lambda index, _: seen.append(index))
    assert link.most == 4 * link.threads
    assert sorted(link.sent) == list(range(60))  # two parts a job
    assert sorted(seen) == list(range(30))
    assert all(result.returns[:, 0].tolist() == list(range(100)) for result in results)
    assert link.dropped == 1


def test_a_lost_task_is_sent_again_and_not_for_ever(monkeypatch):
    left = [MAX_ATTEMPTS - 1]

    def reply(task):
        left[0] -= 1
        return Lost("4 workers died") if left[0] >= 0 else answer(task)

    pool, link = pool_over(monkeypatch, reply)
    short = MatchJob(GameSpec("repeated_rps"), ("", ""), (0,), (5,))
    assert pool.submit([short])[0].returns.tolist() == [[5.0, -5.0]]
    assert link.sent == [0] * MAX_ATTEMPTS
    left[0] = MAX_ATTEMPTS
    with pytest.raises(CsroError, match=r"lost 3 times \(4 workers died\): look into the logs.*no policy is blamed"):
        pool.submit([short])
    assert link.dropped == 2


def test_a_worker_that_leaves_is_no_failure_and_a_broken_one_is(monkeypatch):
    troubles = [Answer(FINE, None, "the matches were stopped on request", again=True)]
    pool, link = pool_over(monkeypatch, lambda task: troubles.pop() if troubles else answer(task))
    short = MatchJob(GameSpec("repeated_rps"), ("", ""), (0,), (5,))
    assert len(pool.submit([short])) == 1
    assert link.sent == [0, 0]
    troubles.append(Answer(FINE, None, "no processes left"))
    with pytest.raises(CsroError, match=f"worker {HERE} could not do a task: no processes left"):
        pool.submit([short])


def test_isolation_is_the_worst_of_all_workers_that_were_seen(monkeypatch):
    reduced = WorkerReport("tcp://10.0.0.8:1", code_identity(), Isolation("reduced", "no seccomp", ("Landlock",)))
    pool, _ = pool_over(monkeypatch, lambda task: Answer(reduced, answer(task).outcome))
    assert pool.isolation == FULL
    pool.submit([MatchJob(GameSpec("repeated_rps"), ("", ""), (0,), (5,))])  # it has joined since
    assert pool.isolation == Isolation("reduced", "on some workers: no seccomp", ("Landlock",))


def test_unknown_games_are_refused_before_anything_is_sent(monkeypatch):
    pool, link = pool_over(monkeypatch, answer)
    with pytest.raises(UsageError, match="unknown game"):
        pool.submit([JOB, MatchJob(GameSpec("chezz"), ("", ""), (0,), (1,))])
    assert link.sent == []


@pytest.mark.parametrize(
    ("report", "full", "error", "words"),
    [
        (WorkerReport(HERE, "Python 3.9, code 0", FULL), False, CsroError, f"worker {HERE} has Python 3.9, code 0"),
        (REDUCED, True, IsolationError, "cannot: no seccomp"),
        (replace(REDUCED, trouble="cannot fork"), False, IsolationError, "cannot: cannot fork"),
        (WorkerReport(HERE, code_identity(), FULL, "no memory"), False, CsroError, "cannot play matches: no mem"),
    ],
)
def test_refusals(report, full, error, words):
    with pytest.raises(error, match=words):
        refuse(report, Demand(code_identity(), full))


def test_who_is_not_refused():
    refuse(FINE, Demand(code_identity(), True))
    refuse(REDUCED, Demand(code_identity(), False))


@pytest.mark.parametrize("text", ["tcp://host:1", "tls://10.0.0.7:8786", " tcp://[::1]:65535 ", "tcp://a-b.c_d.org:99"])
def test_addresses(text):
    assert checked_address(text) == text.strip()


@pytest.mark.parametrize(
    "text",
    ["", "host:1", "tcp://host", "tcp://host:0", "tcp://host:65536", "http://host:1", "tcp://host:1/x", "tcp://a@b:1",
     "tcp://host:1\n--store", "tcp://--x y:1", "inproc://1/2/3"],
)  # fmt: skip
def test_what_is_no_address(text):
    with pytest.raises(UsageError, match="must be given as tcp://HOST:PORT or tls://HOST:PORT"):
        checked_address(text)


def test_without_the_extra_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.delitem(sys.modules, "csro_core.matches.cluster_link", raising=False)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r'pip install -e "\.\[cluster\]"'):
        ClusterPool("tcp://127.0.0.1:1")
