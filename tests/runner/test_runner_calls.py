"""Booked calls: written before they are sent, used again, several in flight, stopped, and heard while written."""

import threading
import time
from dataclasses import replace

import pytest
from running import settings

from csro_core.errors import Cancelled, LeaseError, ModelError
from csro_core.games.base import GameSpec
from csro_core.models.base import Completion, OpponentView, Request
from csro_core.models.chat import Prompt, PromptPart, Usage
from csro_core.models.retry import OFTEN, FailedTry, Retry
from csro_core.runner.budget import Budget, Spent
from csro_core.runner.calls import IN_FLIGHT, BookedModel, Ledger
from csro_core.seeds import derive
from csro_core.store import open_store
from csro_core.store.records import Caps

PROGRAM = '```python\nclass Policy:\n    """{words}"""\n\n    def act(self, obs):\n        return 0\n```'


def render(request):
    return Prompt("system", (PromptPart("task", f"sample {request.sample}"),), "1")


def request(sample):
    view = OpponentView("#0 rock", "a" * 64, 1.0, "class Policy: ...")
    return Request(GameSpec("repeated_rps"), "r", "o", "c", 0, (view,), (), (), "propose", sample)


class Model:
    """Answers by a function of the request, and remembers what it was asked."""

    name, title, free, identity = "gemini:fake", "a fake", False, "fake, version 1"

    def __init__(self, answer=None):
        self.asked = []
        self._answer = answer or (lambda request: PROGRAM.format(words=f"Sample {request.sample}."))

    def write(self, request, on_text=None):
        self.asked.append(request.sample)
        text = self._answer(request)
        if on_text is not None:
            on_text(text)
        return Completion(
            "class Policy: …", "idea", text, render(request).to_text(), 100, 50, 0.25, tokens_cached=10,
            tokens_thinking=20,
        )  # fmt: skip


class Ears:
    def __init__(self):
        self.lines, self.texts, self.stop = [], [], threading.Event()

    def asking(self, detail):
        self.check()
        self.lines.append(detail)

    def heard(self, attempt, text):
        self.texts.append((attempt, text))

    def silent(self, attempt):
        self.texts.append((attempt, None))

    def check(self):
        if self.stop.is_set():
            raise Cancelled("stopped on request")


@pytest.fixture
def store(tmp_path):
    made = open_store(tmp_path / "s.sqlite")
    yield made
    made.close()


@pytest.fixture
def lease(store):
    return store.acquire(store.create_run("", settings(), 1), "test")


def booked(lease, model, caps=None, ears=None, **changes):
    budget = Budget(caps or Caps(), Spent(), lambda kind, data: None)
    ledger = replace(Ledger(lease, budget, ears or Ears(), render, lambda sent, written: 1.0), **changes)
    return BookedModel(model, ledger, 1, range(100), 3)


def test_the_row_is_there_before_the_call_is_sent(store, lease):
    seen = []
    model = Model(lambda request: seen.extend(store.calls(lease.run)) or PROGRAM)
    booked(lease, model)(request(2))
    (before,), (after,) = seen, store.calls(lease.run)
    assert (before.status, before.answer, before.usd, before.attempt) == ("sent", "", None, 2)
    assert Prompt.from_text(before.prompt) == render(request(2))
    assert (before.identity, before.task) == (model.identity, "propose")
    assert after == replace(
        before, status="answered", answer=PROGRAM, tokens_in=100, tokens_out=50, usd=0.25, tokens_cached=10,
        tokens_thinking=20, seconds=after.seconds,
    )  # fmt: skip


def test_an_answer_is_used_again_and_counted(store, lease):
    model = Model()
    first = booked(lease, model)(request(0))
    again = booked(lease, model)(request(0))
    assert model.asked == [0]
    assert (again.answer, again.cached, again.usd) == (first.answer, True, 0.0)
    assert again.source.startswith("class Policy:")
    (row,) = store.calls(lease.run)
    assert (row.reused, row.saved_usd) == (1, 0.25)


def test_other_requests_identities_and_runs_share_no_answer(store, lease):
    booked(lease, Model())(request(0))
    other_identity = Model()
    other_identity.identity = "fake, version 2"
    other_run = store.acquire(store.create_run("", settings(), 1), "test")
    for holder, model, asked in ((lease, Model(), 1), (lease, other_identity, 0), (other_run, Model(), 0)):
        assert not booked(holder, model)(request(asked)).cached
        assert model.asked == [asked]


def test_five_seeds_share_no_sample():
    samples = [derive(seed, "sample", iteration, attempt)
               for seed in range(5) for iteration in range(1, 9) for attempt in range(40)]  # fmt: skip
    assert len(set(samples)) == len(samples)


def test_a_call_in_flight_when_the_process_died_is_sent_again(store, lease):
    hanging = threading.Event()
    model = Model(lambda request: hanging.wait(10) and "late")
    ears = Ears()
    threading.Timer(0.2, ears.stop.set).start()
    with pytest.raises(Cancelled):
        booked(lease, model, ears=ears)(request(0))
    lease.discard_unfinished()
    ours = booked(lease, Model())(request(0))
    assert not ours.cached
    assert [row.status for row in store.calls(lease.run)] == ["possibly billed", "answered"]
    hanging.set()
    for _ in range(100):
        if store.calls(lease.run)[0].status == "answered":
            break
        time.sleep(0.02)
    assert store.calls(lease.run)[0].answer == "late"


def test_a_failed_call_keeps_its_tokens_and_is_not_used_again(store, lease):
    def fail(request):
        raise ModelError("truncated", "cut off", 7, 9, "class Pol")

    with pytest.raises(ModelError, match="cut off"):
        booked(lease, Model(fail))(request(0))
    (row,) = store.calls(lease.run)
    assert (row.status, row.reason, row.message, row.answer) == ("failed", "truncated", "cut off", "class Pol")
    assert (row.tokens_in, row.tokens_out, row.usd) == (7, 9, 1.0)
    model = Model()
    booked(lease, model)(request(0))
    assert model.asked == [0]


def test_an_answer_that_was_cut_off_after_its_program_is_kept_as_such(store, lease):
    class Cut(Model):
        def write(self, request, on_text=None):
            return replace(super().write(request, on_text), cut_off=True)

    model = Cut(lambda request: f"{PROGRAM}\nAnd so")
    first = booked(lease, model)(request(0))
    (row,) = store.calls(lease.run)
    assert (row.status, row.reason, row.message) == ("answered", "truncated", "")
    again = booked(lease, model)(request(0))
    assert (again.cut_off, again.cached) == (True, True) != (first.cut_off, first.cached)
    assert again.source.startswith("class Policy:")
    assert model.asked == [0]


def test_thoughts_of_a_failed_call_are_booked(store, lease):
    def fail(request):
        raise ModelError("truncated", "cut off", 7, 9, tokens_thinking=8)

    with pytest.raises(ModelError):
        booked(lease, Model(fail))(request(0))
    assert store.calls(lease.run)[0].tokens_thinking == 8


def waiting(tries):
    """Returns an answer that fails for ever, a long wait after each try, and appends to `tries`."""

    def once(seconds):
        tries.append(seconds)
        raise FailedTry("bad-response", "broken off", worth=OFTEN, delay=30.0, usage=Usage(5, 0, 3, 2))

    return lambda request: Retry().run(once)


def settled(store, lease):
    """Returns the calls when none of them is under way any more."""
    end = time.monotonic() + 10
    while any(row.status == "sent" for row in store.calls(lease.run)):
        assert time.monotonic() < end
        time.sleep(0.02)
    return store.calls(lease.run)


@pytest.mark.parametrize("number", [1, 3])
def test_a_stop_ends_the_wait_between_two_tries_and_nobody_asks_again(store, lease, number):
    ears, tries = Ears(), []
    threading.Timer(0.3, ears.stop.set).start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        list(booked(lease, Model(waiting(tries)), ears=ears).many([request(sample) for sample in range(number)]))
    rows = settled(store, lease)
    assert time.monotonic() - began < 9.0
    assert len(tries) == number
    # What the tries before were billed for is booked, at the price of `booked`.
    booked_as = [(row.status, row.reason, row.tokens_in, row.tokens_out, row.usd) for row in rows]
    assert booked_as == [("failed", "stopped", 5, 5, 1.0)] * number


def test_who_takes_no_more_answers_lets_the_calls_in_flight_go(store, lease):
    tries = []
    wait = waiting(tries)
    model = Model(lambda request: PROGRAM if request.sample == 0 else wait(request))
    answers = booked(lease, model).many([request(0), request(1)])
    assert next(answers).answer == PROGRAM
    answers.close()
    assert [(row.status, row.reason) for row in settled(store, lease)] == [("answered", ""), ("failed", "stopped")]
    assert len(tries) == 1


def test_a_failure_without_tokens_costs_nothing(store, lease):
    def fail(request):
        raise ModelError("network", "no route")

    with pytest.raises(ModelError):
        booked(lease, Model(fail))(request(0))
    assert store.calls(lease.run)[0].usd == 0.0
    assert store.run(lease.run).usd == 0.0


def test_instant_models_are_asked_again(store, lease):
    model = Model()
    for _ in range(2):
        assert not booked(lease, model, instant=True, render=None)(request(0)).cached
    assert model.asked == [0, 0]


def test_many_come_in_order_and_at_once(lease):
    gate = threading.Barrier(IN_FLIGHT, timeout=10)
    slow_first = {0: 0.2}

    def answer(request):
        if request.sample < IN_FLIGHT:
            gate.wait()  # passed only where so many are in flight at once
        time.sleep(slow_first.get(request.sample, 0.0))
        return PROGRAM.format(words=f"Sample {request.sample}.")

    answers = list(booked(lease, Model(answer)).many([request(sample) for sample in range(IN_FLIGHT + 3)]))
    assert [f"Sample {sample}." in answers[sample].answer for sample in range(IN_FLIGHT + 3)] == [True] * len(answers)


def test_many_yields_the_error_of_one_request_in_its_place(lease):
    def answer(request):
        if request.sample == 1:
            raise ModelError("blocked", "no")
        return PROGRAM

    answers = list(booked(lease, Model(answer)).many([request(sample) for sample in range(3)]))
    assert [type(answer).__name__ for answer in answers] == ["Completion", "ModelError", "Completion"]


def test_many_keeps_what_was_paid_when_the_budget_ends(store, lease):
    model = Model()
    with pytest.raises(ModelError, match="4 model calls is used up"):
        list(booked(lease, model, Caps(calls=4)).many([request(sample) for sample in range(9)]))
    assert sorted(row.attempt for row in store.calls(lease.run)) == [0, 1, 2, 3]
    assert {row.status for row in store.calls(lease.run)} == {"answered"}
    again = list(booked(lease, model, Caps(calls=5)).many([request(sample) for sample in range(9)]))
    assert [answer.cached for answer in again] == [True] * 4 + [False] * 5
    assert sorted(model.asked) == list(range(9))


def test_stopping_does_not_wait_for_an_answer(lease):
    ears = Ears()
    release = threading.Event()
    threading.Timer(0.1, ears.stop.set).start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        list(booked(lease, Model(lambda request: release.wait(60)), ears=ears).many([request(0), request(1)]))
    assert time.monotonic() - began < 20.0
    release.set()


def test_the_text_is_heard_by_attempt(lease):
    ears = Ears()
    booked(lease, Model(lambda request: "words"), ears=ears)(request(5))
    assert ears.texts == [(5, "words"), (5, None)]
    assert ears.lines == ["attempt 6/3"]


def test_a_lost_lease_is_said(store, lease):
    model = Model(lambda request: lease.release("stopped") or PROGRAM)
    with pytest.raises(LeaseError):
        booked(lease, model)(request(0))
