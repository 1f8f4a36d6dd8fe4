"""What goes wrong, expected or not, is said in the run's record, hurts nothing else, and leaves no half state."""

import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from running import BIASED, SHORT_RPS, new_run, run_here, settings

from csro_core.errors import CsroError, UsageError
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.local_pool import LocalPool
from csro_core.models.synthesiser import Synthesiser
from csro_core.runner import Runner
from csro_core.runner.watch import Watch
from csro_core.store import Lease
from csro_core.store.records import AttemptRecord, RequestRecord

PAPER = "class Policy:\n    def act(self, obs):\n        return 1\n"
STARTERS = ("reference:rock", "reference:copy_last")


def answer(store, request, seconds=30.0):
    end = time.monotonic() + seconds
    while (record := store.request(request)).state not in ("done", "failed"):
        assert time.monotonic() < end, record
        time.sleep(0.05)
    return record


def wait_for(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@contextmanager
def served(store, run):
    """A runner that answers requests, in a thread; whatever it raises fails the test."""
    pool = LocalPool(make_game)
    runner = Runner(store, run, pool)
    raised = []

    def serve():
        try:
            runner.serve(linger=60.0)
        except BaseException as error:  # noqa: BLE001
            raised.append(error)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        runner.end()
        thread.join(timeout=60)
        pool.close()
    assert raised == []


@contextmanager
def opened(store, run):
    """A session of a runner of this thread."""
    pool = LocalPool(make_game)
    try:
        with Runner(store, run, pool)._working() as (session, watch):
            session.open()
            yield session, watch
    finally:
        pool.close()


def break_the_model_once(monkeypatch):
    """The model raises something that nobody expects of it, the first time that it is asked."""
    write, broken = Synthesiser.write, []

    def breaking(self, request, on_text=None):
        if not broken:
            broken.append(True)
            raise ZeroDivisionError("division by zero")
        return write(self, request)

    monkeypatch.setattr(Synthesiser, "write", breaking)


def test_an_unexpected_exception_fails_the_run_in_one_sentence(tmp_path, monkeypatch):
    break_the_model_once(monkeypatch)
    store, run = new_run(tmp_path / "s.sqlite", target=1)
    with pytest.raises(CsroError, match="a fault of the program.*ZeroDivisionError in test_runner_faults.py, line"):
        run_here(store, run, 1)
    record = store.run(run)
    assert record.status == "failed"
    assert "ZeroDivisionError" in record.message
    assert store.progress(run) == {}
    run_here(store, run, 1)
    assert (store.run(run).status, store.run(run).iteration) == ("done", 1)


def test_serve_outlives_a_failing_iteration_and_a_failing_request(tmp_path, monkeypatch):
    break_the_model_once(monkeypatch)
    store, run = new_run(tmp_path / "s.sqlite", settings(SHORT_RPS, attempts=1, initial=STARTERS))
    with served(store, run):
        store.add_request(run, "step", {"until": "iteration"})
        wait_for(lambda: store.run(run).status == "failed")
        wrong = [
            ("score", {"text": 5}),
            ("score", {"text": PAPER, "player": "x"}),
            ("add", {"text": PAPER, "player": 1}),  # one population serves both seats
            ("add", {"text": PAPER, "player": 0, "name": "two\nlines"}),
            ("score", {"text": PAPER, "episodes": -2}),
            ("run", {"iterations": "many"}),
            ("run", {"iterations": -1}),
        ]
        for kind, payload in wrong:
            record = answer(store, store.add_request(run, kind, payload))
            assert record.state == "failed", (kind, payload)
            assert record.result["message"]
            assert "fault of the program" not in record.result["message"]
        assert answer(store, store.add_request(run, "check", {"text": PAPER})).result["ok"] is True
        store.add_request(run, "step", {"until": "iteration"})
        wait_for(lambda: store.run(run).status == "done")
    assert store.run(run).iteration == 1


def test_a_request_that_fails_unexpectedly_is_answered_and_leaves_no_half_state(tmp_path, monkeypatch):
    store, run = new_run(tmp_path / "s.sqlite", settings(SHORT_RPS, initial=STARTERS))
    write, broken = Lease.add_solution, []

    def breaking(self, solution):
        if solution.cause == "edit" and not broken:
            broken.append(True)
            raise ValueError("the row contradicts the store")
        write(self, solution)

    monkeypatch.setattr(Lease, "add_solution", breaking)
    with served(store, run):
        first = answer(store, store.add_request(run, "add", {"text": PAPER, "player": 0, "name": "paper"}))
        assert first.state == "failed"
        assert "ValueError" in first.result["message"]
        assert len(store.members(run)) == 2
        second = answer(store, store.add_request(run, "add", {"text": PAPER, "player": 0, "name": "paper"}))
    assert (second.state, second.result["index"], second.result["name"]) == ("done", 2, "paper")
    assert [member.name for member in store.members(run)] == ["rock", "copy_last", "paper"]


def test_a_run_that_cannot_be_opened_tells_whoever_waits(tmp_path):
    store, run = new_run(tmp_path / "s.sqlite", settings(oracle="of-a-newer-version"))
    request = store.add_request(run, "check", {"text": PAPER})
    pool = LocalPool(make_game)
    with pytest.raises(UsageError, match="of-a-newer-version"):
        Runner(store, run, pool).serve(0.1)
    pool.close()
    assert store.request(request).state == "failed"
    assert "of-a-newer-version" in store.request(request).result["message"]


def test_a_stop_that_nobody_heard_does_not_stop_the_next_work(tmp_path):
    store, run = new_run(tmp_path / "s.sqlite", target=1)
    request = store.add_request(run, "stop", {})
    run_here(store, run, 1)
    assert (store.run(run).status, store.run(run).iteration) == ("done", 1)
    assert store.request(request).state == "done"


def test_a_stop_during_a_score_ends_the_score_and_not_the_process(tmp_path):
    store, run = new_run(tmp_path / "s.sqlite", settings(GameSpec("repeated_rps"), initial=STARTERS))
    with served(store, run):
        slow = "class Policy:\n    def act(self, obs):\n        for _ in range(20000): pass\n        return 1\n"
        score = store.add_request(run, "score", {"text": slow, "player": 0, "episodes": 256})
        wait_for(lambda: store.request(score).state == "working")
        stop = store.add_request(run, "stop", {})
        assert answer(store, score).state == "failed"
        assert answer(store, stop).state == "done"
        assert answer(store, store.add_request(run, "check", {"text": PAPER})).result["ok"] is True


def test_a_step_that_waits_behind_a_score_is_not_lost(tmp_path):
    store, run = new_run(tmp_path / "s.sqlite", settings(SHORT_RPS, attempts=1, initial=STARTERS))
    score = store.add_request(run, "score", {"text": PAPER, "player": 0})  # opens the run
    step = store.add_request(run, "step", {"until": "iteration"})
    with served(store, run):
        assert answer(store, score).state == "done"
        assert answer(store, step).state == "done"
        wait_for(lambda: store.run(run).status == "done")
    assert store.run(run).iteration == 1


def test_a_step_that_comes_between_two_looks_of_a_pause_is_not_lost():
    step = RequestRecord(1, "run", "step", {"until": "iteration"}, "waiting", {}, 0.0)

    class Store:
        looks = 0

        def waiting(self, run):
            self.looks += 1
            return [step] if self.looks > 1 and not lease.answers else []

    class FakeLease:
        def __init__(self):
            self.answers, self.status = [], ""

        def answer(self, request, state, result):
            self.answers.append(request)

        def set_status(self, status, message):
            self.status = status

        def set_progress(self, progress):
            pass

    lease = FakeLease()
    watch = Watch(Store(), lease, "run", threading.Event(), 2.0)
    watch.until = "stage"
    watch._pause()  # given up after 2 s, with Cancelled, where the step was swallowed
    assert (lease.answers, lease.status, watch.until) == ([1], "running", "iteration")


def test_a_request_to_run_may_not_set_the_target_below_the_iteration_under_way(tmp_path):
    store, run = new_run(tmp_path / "s.sqlite", target=5)
    with opened(store, run) as (session, watch):
        session.iterate()
        watch.begin(2, 0)
        watch.advancing = True
        request = store.add_request(run, "run", {"iterations": 0})
        watch._serve()
    assert store.request(request).state == "done"
    assert store.run(run).target == 2


def test_attempts_of_an_earlier_try_of_an_iteration_do_not_stay(tmp_path):
    store, run = new_run(tmp_path / "s.sqlite", settings(attempts=1))
    with opened(store, run) as (session, _):
        session.lease.put_attempt(
            AttemptRecord(1, 7, "", "propose", "", None, "no-answer", "", None, None, None, (), 0)
        )
        session.iterate()
    assert [attempt.index for attempt in store.attempts(run)] == [0]


def test_an_iteration_trains_against_the_solution_that_it_records(tmp_path):
    # Further episodes of a cell change what the solver would say; the recorded sigma stays until something is added.
    starters = ("reference:beat_last", "reference:biased", "reference:markov1")
    store, run = new_run(tmp_path / "s.sqlite", settings(SHORT_RPS, attempts=1, initial=starters))
    with opened(store, run) as (session, _):
        first = session.metagame.populations.lists[0]
        session.bench.deepen(first, first, 0, 32)
    recorded = store.solutions(run)[-1]
    with opened(store, run) as (session, _):
        assert int(session.metagame.table.episodes.max()) == 32
        used = session.metagame.solution
        session.iterate()
    assert tuple(used.sigma[0]) == recorded.sigma[0]
    assert (used.value, used.nash_conv, used.epsilon) == (recorded.value, recorded.nash_conv, recorded.epsilon)
    assert store.iterations(run)[0].sigma == recorded.sigma


def test_a_response_gets_a_name_that_no_hand_written_policy_has(tmp_path):
    store, run = new_run(tmp_path / "s.sqlite", settings(BIASED, attempts=1, admit="always"))
    with served(store, run):
        answer(store, store.add_request(run, "add", {"text": PAPER, "player": 0, "name": "r1"}))
        store.add_request(run, "step", {"until": "iteration"})
        wait_for(lambda: store.run(run).iteration == 1 and store.run(run).status == "done")
    assert [member.name for member in store.members(run)] == ["first_action", "r1", "r1-2"]


def test_what_came_of_a_run_when_its_members_forfeit(tmp_path):
    # It passes the short check and fails later: every match of it is forfeited, by it and by nobody else.
    late = "class Policy:\n    def act(self, obs):\n        return 0 if obs['throw'] < 310 else 7\n"
    game = GameSpec("repeated_rps", {"num_throws": 320})
    store, run = new_run(tmp_path / "s.sqlite", settings(game, attempts=1, initial=STARTERS, target_mix=1.0))
    with served(store, run):
        added = answer(store, store.add_request(run, "add", {"text": late, "player": 0, "name": "late"}))
        assert added.result["forfeits"] > 0
        other = answer(store, store.add_request(run, "add", {"text": PAPER, "player": 0, "name": "paper"}))
        unknown = {payoff["opponent"]: payoff for payoff in other.result["payoffs"]}["late"]
        assert (unknown["mean"], unknown["episodes"]) == (None, 0)
        store.add_request(run, "step", {"until": "iteration"})
        wait_for(lambda: store.run(run).iteration == 1 and store.run(run).status == "done")
    assert {member.name: member.forfeits > 0 for member in store.members(run)}["late"]
    assert store.iterations(run)[0].verdict == "improves"
    assert store.solutions(run)[-1].extra["champion"]["name"] != "late"
    assert np.isfinite(store.iterations(run)[0].gain.mean)
