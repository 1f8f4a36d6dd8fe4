import threading
import time
from contextvars import copy_context

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csro_core.errors import Cancelled, ModelError
from csro_core.models.chat import Usage
from csro_core.models.retry import STOPPED, FailedTry, Retry, add_usage, within


class Clock:
    """Time that passes only where somebody waits."""

    def __init__(self):
        self.now = 1000.0
        self.waits = []

    def sleep(self, seconds):
        self.waits.append(seconds)
        self.now += seconds

    def retry(self, jitter=0.0, **settings):
        return Retry(sleep=self.sleep, clock=lambda: self.now, jitter=lambda: jitter, **settings)


class Script:
    """Tries that fail as told, each after so many seconds, and then answer."""

    def __init__(self, clock, *failures, seconds=0.0):
        self.clock = clock
        self.failures = list(failures)
        self.seconds = seconds
        self.given = []

    def __call__(self, left):
        self.given.append(left)
        self.clock.now += self.seconds
        if self.failures:
            raise self.failures.pop(0)
        return "answer"


def busy(**named):
    return FailedTry("server", "busy", worth=100, **named)


def test_an_answer_at_once_takes_one_try_and_no_wait():
    clock = Clock()
    tried = clock.retry().run(Script(clock, seconds=3.0))
    assert (tried.value, tried.tries, tried.seconds, tried.wasted) == ("answer", 1, 3.0, Usage())
    assert clock.waits == []


def test_waits_double_up_to_the_longest():
    clock = Clock()
    retry = clock.retry(jitter=1.0, attempts=6, first_wait=2.0, longest_wait=10.0)
    tried = retry.run(Script(clock, *(busy() for _ in range(5))))
    assert tried.tries == 6
    assert clock.waits == [2.0, 4.0, 8.0, 10.0, 10.0]
    assert tried.seconds == 34.0


@given(jitter=st.floats(0.0, 1.0, exclude_max=True), asked=st.none() | st.floats(0.0, 100.0))
def test_no_wait_is_shorter_than_asked_for_or_than_half_of_the_backoff(jitter, asked):
    clock = Clock()
    clock.retry(jitter=jitter).run(Script(clock, busy(delay=asked)))
    (wait,) = clock.waits
    assert wait >= max(1.0, asked or 0.0)
    assert wait <= max(2.0, (asked or 0.0) + 1.0)


def test_a_delay_beyond_the_deadline_is_not_waited_for():
    clock = Clock()
    with pytest.raises(ModelError) as caught:
        clock.retry(deadline=60.0).run(Script(clock, busy(delay=60.0)))
    assert clock.waits == []
    assert caught.value.reason == "server"


def test_waits_and_tries_count_against_the_deadline():
    clock = Clock()
    script = Script(clock, *(busy() for _ in range(50)), seconds=10.0)
    with pytest.raises(ModelError, match=r"busy \(Given up after 4 tries in 54 s\.\)"):
        clock.retry(jitter=1.0, attempts=50, deadline=60.0, longest_try=30.0).run(script)
    # Tries begin at 0, 12, 26 and 44 s; a fifth would begin at 70 s.
    assert script.given == [30.0, 30.0, 30.0, 60.0 - 44.0]


def test_what_asking_again_cannot_mend_is_asked_once():
    clock = Clock()
    script = Script(clock, FailedTry("blocked", "no", usage=Usage(5, 1, 2, 3), answer="half"))
    with pytest.raises(ModelError, match="^no$") as caught:
        clock.retry().run(script)
    error = caught.value
    assert (error.reason, error.tokens_in, error.tokens_out, error.answer) == ("blocked", 5, 5, "half")
    assert len(script.given) == 1
    assert error.__cause__ is None
    assert error.__context__ is None


def test_the_worth_of_a_reason_is_counted_for_itself():
    clock = Clock()
    empty = [FailedTry("empty", "nothing", worth=2) for _ in range(2)]
    script = Script(clock, busy(), busy(), empty[0], busy(), empty[1])
    with pytest.raises(ModelError) as caught:
        clock.retry(attempts=10).run(script)
    assert caught.value.reason == "empty"
    assert len(script.given) == 5


def test_attempts_bound_all_reasons_together():
    clock = Clock()
    script = Script(clock, *(busy() for _ in range(9)))
    with pytest.raises(ModelError, match="3 tries"):
        clock.retry(attempts=3).run(script)
    assert len(script.given) == 3


def test_tokens_of_failed_tries_are_not_lost():
    clock = Clock()
    first, second = busy(usage=Usage(10, 4, 1, 2)), busy(usage=Usage(100, 40, 10, 20))
    assert clock.retry().run(Script(clock, first, second)).wasted == Usage(110, 44, 11, 22)
    with pytest.raises(ModelError) as caught:
        clock.retry(attempts=2).run(Script(clock, first, second))
    assert (caught.value.tokens_in, caught.value.tokens_out) == (110, 33)


def test_a_wait_that_raises_ends_the_call():
    def sleep(seconds):
        raise Cancelled("stopped on request")

    clock = Clock()
    script = Script(clock, busy(usage=Usage(10, 4, 1, 2)), busy())
    with pytest.raises(ModelError, match="stopped on request") as caught:
        Retry(sleep=sleep).run(script)
    error = caught.value
    assert (error.reason, error.tokens_in, error.tokens_out, error.tokens_thinking) == ("stopped", 10, 3, 2)
    assert len(script.given) == 1


@pytest.mark.parametrize("before", [True, False])
def test_the_usual_wait_ends_when_nobody_waits_any_more(before):
    clock, stopped = Clock(), threading.Event()
    script = Script(clock, busy(delay=60.0), busy())
    if before:
        stopped.set()
    else:
        threading.Timer(0.2, stopped.set).start()
    began = time.monotonic()
    with pytest.raises(ModelError) as caught:
        copy_context().run(lambda: STOPPED.set(stopped) and Retry().run(script))
    assert caught.value.reason == "stopped"
    assert time.monotonic() - began < 20.0
    assert len(script.given) == 1


def test_the_defaults_work():
    waits = []
    tried = Retry(sleep=waits.append).run(Script(Clock(), busy()))
    assert tried.tries == 2
    assert 1.0 <= waits[0] < 2.0


def test_usage_adds_up_by_kind():
    assert add_usage(Usage(1, 2, 3, 4), Usage(10, 20, 30, 40)) == Usage(11, 22, 33, 44)


def test_work_within_its_time_returns_and_is_heard_in_order_in_the_callers_thread():
    heard = []

    def work(tell):
        for text in ("a", "ab", "abc"):
            tell(text)
        return 7

    assert within(5.0, work, lambda text: heard.append((text, threading.current_thread()))) == 7
    assert heard == [(text, threading.current_thread()) for text in ("a", "ab", "abc")]


def test_work_that_hangs_is_left_behind_on_time():
    release = threading.Event()
    start = time.monotonic()
    with pytest.raises(TimeoutError):
        within(0.1, lambda tell: release.wait(60.0))
    assert time.monotonic() - start < 20.0
    release.set()


def test_work_that_keeps_talking_is_ended_on_time():
    ended = threading.Event()

    def work(tell):
        try:
            while True:
                tell("more")
                time.sleep(0.01)
        finally:
            ended.set()

    with pytest.raises(TimeoutError):
        within(0.1, work, lambda text: None)
    assert ended.wait(20.0), "abandoned work goes on"


def test_what_work_raises_arrives():
    def work(tell):
        raise FailedTry("rate", "slower", worth=3)

    with pytest.raises(FailedTry, match="slower"):
        within(5.0, work)


def test_what_the_listener_raises_ends_the_call_and_the_work():
    ended = threading.Event()

    def work(tell):
        try:
            while True:
                tell("more")
                time.sleep(0.01)
        finally:
            ended.set()

    def listener(text):
        raise Cancelled

    with pytest.raises(Cancelled):
        within(5.0, work, listener)
    assert ended.wait(20.0)


def test_a_defect_in_the_work_ends_the_call_at_once(monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda report: None)

    def work(tell):
        raise ZeroDivisionError

    start = time.monotonic()
    with pytest.raises(RuntimeError, match="without a reason"):
        within(60.0, work)
    assert time.monotonic() - start < 20.0
