"""The pool of processes made ahead: how many, for whom, and that no dead one is given out."""

import threading
import time

import pytest

from csro_core.errors import IsolationError
from csro_core.sandbox import warm
from csro_core.sandbox.warm import WarmPool

SMALL, LARGE = (1, 1), (2, 2)


class Made:
    """A process that is only counted."""

    def __init__(self, limits):
        self.limits = limits
        self.over = False
        self.discarded = False

    def is_over(self):
        return self.over

    def discard(self):
        assert not self.discarded
        self.discarded = True


class Maker:
    def __init__(self):
        self.made = []
        self.error = None
        self.gate = threading.Event()
        self.gate.set()

    def __call__(self, limits):
        self.gate.wait(10.0)
        if self.error is not None:
            raise self.error
        self.made.append(Made(limits))
        return self.made[-1]


@pytest.fixture
def maker():
    return Maker()


@pytest.fixture
def pool(maker):
    opened = WarmPool(maker, Made.discard, 4)
    yield opened
    opened.close()
    assert opened.ready == 0


def settle(pool, ready):
    deadline = time.monotonic() + 10.0
    while pool.ready != ready and time.monotonic() < deadline:
        time.sleep(0.005)
    assert pool.ready == ready


def test_nothing_is_made_before_somebody_asks(pool, maker):
    time.sleep(0.05)
    assert maker.made == []
    assert pool.take(SMALL) is None
    settle(pool, 1)
    assert maker.made[0].limits == SMALL


def test_as_many_are_ready_as_were_asked_for_up_to_the_most(pool):
    for _ in range(9):
        pool.take(SMALL)
    settle(pool, 4)
    time.sleep(0.05)
    assert pool.ready == 4


def test_each_is_given_out_once_and_only_for_its_limits(pool, maker):
    pool.take(SMALL)
    settle(pool, 1)
    assert pool.take(LARGE) is None
    taken = pool.take(SMALL)
    assert taken is maker.made[0]
    settle(pool, 3)
    assert pool.take(SMALL) not in {None, taken}


def test_new_limits_get_their_share_from_the_old_ones(pool, maker):
    for _ in range(9):
        pool.take(SMALL)
    settle(pool, 4)
    assert pool.take(LARGE) is None
    deadline = time.monotonic() + 10.0
    while not any(one.limits == LARGE for one in maker.made) and time.monotonic() < deadline:
        time.sleep(0.005)
    settle(pool, 4)
    assert pool.take(LARGE).limits == LARGE
    assert sum(one.discarded for one in maker.made) == 1


def test_a_dead_one_is_ended_and_not_given_out(pool, maker):
    pool.take(SMALL)
    settle(pool, 1)
    maker.made[0].over = True
    maker.gate.clear()
    assert pool.take(SMALL) is None
    assert maker.made[0].discarded
    maker.gate.set()


def test_who_is_idle_keeps_none(pool, maker, monkeypatch):
    monkeypatch.setattr(warm, "IDLE_SECONDS", 0.2)
    pool.take(SMALL)
    settle(pool, 1)
    settle(pool, 0)
    assert maker.made[0].discarded
    pool.take(SMALL)
    settle(pool, 1)


def test_an_error_is_left_to_whoever_asks(pool, maker, monkeypatch):
    monkeypatch.setattr(warm, "RETRY_SECONDS", 0.05)
    maker.error = IsolationError("no")
    assert pool.take(SMALL) is None
    time.sleep(0.05)
    assert maker.made == []
    maker.error = None
    time.sleep(0.1)
    assert pool.take(SMALL) is None
    settle(pool, 2)


def test_dropped_ones_are_ended_and_others_follow_on_demand(pool, maker):
    pool.take(SMALL)
    settle(pool, 1)
    pool.drop()
    assert maker.made[0].discarded
    assert pool.ready == 0
    pool.take(SMALL)
    settle(pool, 1)


def test_one_that_is_finished_after_the_end_is_ended(maker):
    pool = WarmPool(maker, Made.discard, 4)
    maker.gate.clear()
    pool.take(SMALL)
    threading.Timer(0.1, maker.gate.set).start()
    pool.close()
    pool.close()
    assert all(one.discarded for one in maker.made)
    assert pool.take(SMALL) is None


def test_a_pool_of_none_makes_none(maker):
    pool = WarmPool(maker, Made.discard, 0)
    assert pool.take(SMALL) is None
    pool.close()
    assert maker.made == []


def test_many_takers_never_share_one(pool):
    taken, lock = [], threading.Lock()

    def work():
        for _ in range(50):
            one = pool.take(SMALL)
            time.sleep(0.0005)
            if one is not None:
                with lock:
                    taken.append(one)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == len(set(taken)) > 0
    assert not any(one.discarded for one in taken)
