import threading
import time
from dataclasses import replace

import pytest

from csro_core.errors import LeaseError, StoreError
from csro_core.experiments.plan import Plan
from csro_core.experiments.planning import Grid, with_seeds
from csro_core.experiments.scheduler import Desk, try_again, work_on
from csro_core.games.base import GameSpec
from csro_core.seeds import Seed
from csro_core.store import open_store
from csro_core.store.codec import to_json
from csro_core.store.experiments import ExperimentTable, status_of

PLAN = Plan(
    "plan", GameSpec("repeated_rps", {"num_throws": 60}), Grid(("best-of-n", "zero-shot")).variants(),
    (Seed("3"), Seed("4")), "calls", 8.0, "best-of-n", jobs=2,
)  # fmt: skip


class FakeHand:
    def __init__(self, crew, run):
        self.crew = crew
        self.run = run
        self.stopped = False
        self.looks = 0

    def outcome(self):
        self.looks += 1
        if self.looks < 2 or self.crew.holding:
            return None
        self.crew.under_way.discard(self)
        return self.crew.failing.get((self.run.variant, self.run.seed), "")

    def stop(self):
        self.stopped = True
        self.crew.under_way.discard(self)


class FakeCrew:
    def __init__(self):
        self.started = []
        self.under_way = set()
        self.most = 0
        self.failing = {}
        self.holding = False

    def start(self, run):
        hand = FakeHand(self, run)
        self.started.append(hand)
        self.under_way.add(hand)
        self.most = max(self.most, len(self.under_way))
        return hand


@pytest.fixture
def desk(tmp_path):
    store = open_store(tmp_path / "store.sqlite")
    yield Desk(store, FakeCrew(), lambda words: None)
    store.close()


def made(desk, plan=PLAN):
    return desk.table.create(plan.name, to_json(plan))


def states(desk, experiment):
    return {(run.variant, run.seed): run.state for run in desk.table.runs(experiment)}


def status(desk, experiment):
    return status_of(desk.table.find(experiment), desk.table.runs(experiment))


def test_every_run_is_worked_on_as_many_at_a_time_as_the_plan_says(desk):
    experiment = made(desk)
    assert status(desk, experiment) == "new"
    assert work_on(desk, experiment)
    assert set(states(desk, experiment).values()) == {"done"}
    assert len(desk.crew.started) == 4
    assert desk.crew.most == 2
    assert status(desk, experiment) == "done"


def test_what_failed_says_why_and_is_tried_again_alone(desk):
    experiment = made(desk)
    desk.crew.failing = {("zero-shot", "3"): "it is failed: no key"}
    assert work_on(desk, experiment)
    (failed,) = [run for run in desk.table.runs(experiment) if run.state == "failed"]
    assert failed.message == "it is failed: no key"
    assert status(desk, experiment) == "failed"
    desk.crew.started.clear()
    assert work_on(desk, experiment)
    assert not desk.crew.started
    desk.crew.failing = {}
    assert try_again(desk.table, experiment) == 1
    assert work_on(desk, experiment)
    assert [hand.run.seed for hand in desk.crew.started] == ["3"]
    assert status(desk, experiment) == "done"


def test_a_pause_stops_the_hands_and_work_goes_on_later(desk):
    experiment = made(desk)
    desk.crew.holding = True
    ended = []
    thread = threading.Thread(target=lambda: ended.append(work_on(desk, experiment)))
    thread.start()
    wait_until(lambda: len(desk.crew.under_way) == 2)
    assert status(desk, experiment) == "running"
    with pytest.raises(LeaseError, match="worked on already"):
        work_on(desk, experiment)
    desk.table.change(experiment, "wanted", "pause")
    thread.join(10)
    assert ended == [False]
    assert all(hand.stopped for hand in desk.crew.started)
    assert status(desk, experiment) == "paused"
    assert set(states(desk, experiment).values()) == {"waiting"}
    desk.crew.holding = False
    assert work_on(desk, experiment)
    assert status(desk, experiment) == "done"


def test_seeds_that_are_added_meanwhile_are_worked_on_too(desk):
    experiment = made(desk)
    desk.crew.holding = True
    thread = threading.Thread(target=lambda: work_on(desk, experiment))
    thread.start()
    wait_until(lambda: len(desk.crew.under_way) == 2)
    desk.table.change(experiment, "plan", to_json(with_seeds(PLAN, 1)))
    wait_until(lambda: len(states(desk, experiment)) == 6)
    desk.crew.holding = False
    thread.join(20)
    assert set(states(desk, experiment).values()) == {"done"}


def test_an_error_in_the_work_releases_the_experiment(desk):
    experiment = made(desk)

    def broken(run):
        raise RuntimeError("the crew has gone")

    desk.crew.start = broken
    with pytest.raises(RuntimeError):
        work_on(desk, experiment)
    record = desk.table.find(experiment)
    assert not record.worked_on
    assert record.message


def test_whoever_comes_too_late_does_not_undo_a_pause(desk):
    experiment = made(desk)
    desk.table.take(experiment, "other")
    desk.table.change(experiment, "wanted", "pause")
    with pytest.raises(LeaseError):
        work_on(desk, experiment)
    assert desk.table.find(experiment).wanted == "pause"


def test_a_store_that_cannot_be_written_leaves_nobody_at_work(desk, monkeypatch):
    experiment = made(desk)
    desk.crew.holding = True
    put = ExperimentTable.put_run

    def full(table, which, run):
        if len(desk.crew.under_way) == 2:
            raise StoreError("the disk is full")
        put(table, which, run)

    def beat(table, which, owner):
        return len(desk.crew.under_way) < 2

    monkeypatch.setattr(ExperimentTable, "put_run", full)
    monkeypatch.setattr(ExperimentTable, "beat", beat)
    monkeypatch.setattr("csro_core.experiments.scheduler.BEAT_SECONDS", 0.0)
    monkeypatch.setattr(FakeHand, "stop", lambda hand: setattr(hand, "stopped", True))
    with pytest.raises(StoreError):
        work_on(desk, experiment)
    assert [hand.stopped for hand in desk.crew.started] == [True, True]


def test_a_worker_that_died_is_replaced(desk):
    experiment = made(desk)
    now = [1_000.0]
    table = ExperimentTable(desk.store.connections, lambda: now[0])
    table.take(experiment, "dead")
    with pytest.raises(LeaseError):
        table.take(experiment, "other")
    now[0] += 6.0
    table.take(experiment, "other")
    assert not table.beat(experiment, "dead")
    table.change(experiment, "wanted", "run")
    assert table.beat(experiment, "other")


def test_names_are_unique_and_found(desk):
    experiment = made(desk)
    assert desk.table.find("plan").id == desk.table.find(experiment[:4]).id == experiment
    with pytest.raises(Exception, match="must be new"):
        made(desk)
    made(desk, replace(PLAN, name="other"))
    assert [one.name for one in desk.table.all()] == ["other", "plan"]
    desk.table.drop(experiment)
    assert [one.name for one in desk.table.all()] == ["other"]


def wait_until(holds, seconds=10.0):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)
