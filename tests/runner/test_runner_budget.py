"""Budgets: caps that count calls under way, warnings, a stop with the reason, and the outlook before a run."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csro_core.errors import ModelError, UsageError
from csro_core.games.base import GameSpec
from csro_core.models.prices import prices_date
from csro_core.runner.budget import Budget, Spent, read_caps
from csro_core.runner.forecast import TYPICAL_SENT, TYPICAL_WRITTEN, checked_for, outlook
from csro_core.store import open_store
from csro_core.store.records import CallRecord, Caps, RunSettings

CALL = CallRecord("k", 1, 0, "m", "answered", "p", "a", 60, 40, 0.25, 1.0)
FAILED = replace(CALL, status="failed", tokens_in=0, tokens_out=0, usd=0.0, message="server down")


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def budget(caps, spent=None, clock=None):
    told = []
    made = Budget(caps, spent or Spent(), lambda kind, data: told.append((kind, data)), clock or Clock())
    made.begin()
    return made, told


def stopped(action, words, reason="over-budget"):
    with pytest.raises(ModelError, match=words) as caught:
        action()
    assert caught.value.reason == reason


def test_calls_under_way_count():
    made, _ = budget(Caps(calls=3))
    for _ in range(3):
        made.reserve()
    stopped(made.reserve, r"3 model calls is used up \(0 so far, 3 calls under way; .*--max-calls")
    made.settle(CALL)
    stopped(made.reserve, r"1 so far, 2 calls under way")


@pytest.mark.parametrize("caps", [Caps(usd=1.0), Caps(tokens=400)])
def test_money_and_tokens_of_calls_under_way_are_expected(caps):
    made, _ = budget(caps)
    made.reserve()
    made.settle(CALL)  # a quarter of either cap
    for _ in range(3):
        made.reserve()
    stopped(made.reserve, "3 calls under way")
    for _ in range(3):
        made.settle(CALL)
    stopped(made.reserve, "used up")
    stopped(made.begin, "used up")
    made.change(Caps(usd=2.0, tokens=800))
    made.reserve()


@given(st.integers(1, 8), st.lists(st.sampled_from((CALL, FAILED)), max_size=4))
def test_the_cap_on_calls_is_never_passed(most, already):
    made = Budget(Caps(calls=most), Spent.on(already, 0.0), lambda kind, data: None, Clock())
    sent = len(already)
    for _ in range(20):
        try:
            made.reserve()
        except ModelError:
            break
        sent += 1
    assert sent == max(most, len(already))


def test_seconds_are_those_of_iterations():
    clock = Clock()
    made, _ = budget(Caps(seconds=10.0), Spent(seconds=3.0), clock)
    clock.now = 4.0
    made.end()
    clock.now = 1000.0  # nobody worked
    made.begin()
    made.reserve()
    clock.now = 1003.0
    stopped(made.reserve, "10 seconds is used up .*--max-seconds")


def test_each_warning_comes_once():
    made, told = budget(Caps(calls=10), Spent(calls=3))
    for _ in range(6):
        made.reserve()
        made.settle(CALL)
    assert [(kind, data["cap"], data["share"]) for kind, data in told] == [
        ("budget", "calls", 0.5), ("budget", "calls", 0.8),
    ]  # fmt: skip
    assert "50%" in told[0][1]["message"]
    again, silent = budget(Caps(calls=10), Spent(calls=9))
    again.reserve()
    again.settle(CALL)
    assert silent == []


def test_five_failures_in_a_row_stop_the_run_with_the_last_reason():
    made, _ = budget(Caps())
    for outcome in (FAILED, FAILED, FAILED, FAILED, CALL, FAILED, FAILED, FAILED, FAILED):
        made.reserve()
        made.settle(outcome)
    made.reserve()
    stopped(lambda: made.settle(FAILED), "5 model calls in a row failed.*server down", "failing")


def test_calls_that_nobody_waited_for_are_no_failures_in_a_row():
    made, _ = budget(Caps())
    for _ in range(9):
        made.reserve()
        made.settle(replace(FAILED, reason="stopped"))


def test_a_lost_call_counts_like_the_others():
    lost = replace(CALL, status="possibly billed", tokens_in=0, tokens_out=0, usd=None)
    assert Spent.on([CALL, CALL, lost], 7.0) == Spent(0.75, 300.0, 3, 7.0)
    assert Spent.on([lost], 0.0) == Spent(0.0, 0.0, 1, 0.0)


def test_caps_of_a_request():
    assert read_caps({"iterations": 3}) is None
    assert read_caps({"caps": {"usd": 2}}) == Caps(usd=2.0)
    for senseless in ({"usd": -1.0}, {"calls": 0}, {"calls": "many"}, {"euros": 1}, 7, {"usd": float("inf")}):
        with pytest.raises(UsageError):
            read_caps({"caps": senseless})


def test_the_outlook_multiplies_attempts_iterations_tokens_and_price(tmp_path):
    store = open_store(tmp_path / "s.sqlite")
    settings = RunSettings(GameSpec("repeated_rps"), attempts=5, model="gemini:gemini-3.5-flash-lite")
    expected = outlook(store, settings, 4)
    # 0.30 and 2.50 US dollars a million tokens: models/prices.json
    assert expected.usd == pytest.approx(20 * (TYPICAL_SENT * 0.3 + TYPICAL_WRITTEN * 2.5) / 1e6)
    assert "At most 20 model calls" in expected.sentence
    assert f"US dollars at the prices of {prices_date()}" in expected.sentence
    unknown = outlook(store, replace(settings, model="gemini:gemini-99"), 1)
    assert unknown.usd is None
    assert "unpriced" in unknown.sentence
    free = outlook(store, replace(settings, model="synthesiser"), 1)
    assert free.sentence == "At most 5 model calls, free of charge."
    run = store.create_run("", settings, 1)
    store.acquire(run, "me").put_call(replace(CALL, model=settings.model))
    known = outlook(store, settings, 4)
    assert (known.measured, known.sent, known.written) == (True, 20 * 60, 20 * 40)
    store.close()


@pytest.mark.parametrize(("game", "opponents", "initial", "iterations", "summaries"), [
    ("repeated_rps", "support", (), 1, 8),  # nine initial policies, of which eight are met at most
    ("repeated_rps", "support", (), 4, 12),  # nine, and three that iterations add
    ("repeated_rps", "2", (), 4, 8),
    ("repeated_rps", "top5", ("reference:rock",), 3, 3),
    ("matrix", "support", ("reference:first_action",), 1, 1),
    ("matrix", "support", ("reference:first_action",), 3, 4),  # one a player, and two that iterations add
    ("repeated_rps", "support", (), 0, 0),
])  # fmt: skip
def test_the_outlook_counts_each_summary_once(tmp_path, game, opponents, initial, iterations, summaries):
    store = open_store(tmp_path / "s.sqlite")
    spec = GameSpec(game, {"preset": "matching_pennies"} if game == "matrix" else {})
    plain = RunSettings(spec, attempts=5, model="gemini:gemini-3.5-flash-lite", initial=initial, opponents=opponents)
    assert outlook(store, plain, iterations).calls == 5 * iterations
    described = outlook(store, replace(plain, context="summary"), iterations)
    assert described.calls == 5 * iterations + summaries
    assert described.sent == described.calls * TYPICAL_SENT
    store.close()


def test_money_alone_caps_no_unpriced_model():
    with pytest.raises(UsageError, match="unpriced"):
        checked_for("gemini:gemini-99", Caps(usd=1.0))
    assert checked_for("gemini:gemini-99", Caps(usd=1.0, calls=5)).calls == 5
    assert checked_for("gemini:gemini-3.5-flash-lite", Caps(usd=1.0)).usd == 1.0
    assert checked_for("synthesiser", Caps(usd=1.0)).usd == 1.0
