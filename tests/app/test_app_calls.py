"""The Model calls page: every outcome, hostile texts, filters, and two thousand calls."""

import time

import pytest

from app.panels import call, calls, stages
from csro_core.store.calls import call_lines, find_call
from tests.app.app_pages import app, html, run_id, words
from tests.app.fake_calls import MARKDOWN, MODEL, SCRIPT, add_calls, fake_call, outcomes, prompt_text

PAGE = "views/calls.py"


@pytest.fixture
def run(store):
    return run_id(store, "demo rps")


@pytest.fixture
def numbers(store, run):
    return add_calls(store, run, outcomes())


def shown(test):
    return test.dataframe[0].value


def letters_only(test):
    for place in (html(test), words(test), *(expander.label for expander in test.expander)):
        assert "<script" not in place
        assert "<img" not in place
        assert "http://" not in place
        assert "**bold**" not in place


def test_a_run_without_calls_says_what_to_do(store, run):
    test = app(PAGE, run=run)
    assert "free, and nothing was sent anywhere" in words(test)
    assert test.subheader[0].value == "There are no model calls yet"
    test.button(key="first_call").click().run()
    assert [request.kind for request in store.waiting(run)] == ["step"]


def test_every_call_is_a_row_and_an_unknown_price_is_not_zero(store, run, numbers):
    test = app(PAGE, run=run)
    table = shown(test)
    assert list(table["call"]) == numbers
    assert list(table["outcome"])[:4] == ["answered", "answered", "no program in it", "rate"]
    assert list(table["outcome"])[5:8] == ["possibly billed", "under way", "from a recording"]
    assert list(table["price"]) == [
        "$0.0025", "unpriced", "$0.0025", "–", "$0.0001", "unpriced", "–", "$0.00", "$0.00", "$0.00",
    ]  # fmt: skip
    assert list(table["attempt"])[:2] == ["3", "1"]
    assert (table["attempt"][8], table["task"][8]) == ("–", "describe")
    assert table["led to"][0] == "improves"
    assert (table["thinking"][0], table["cached"][0], table["reused"][0]) == (120, 1000, 2)
    letters_only(test)


def test_totals_by_model_and_by_accepted_policy(store, run, numbers):
    text = html(app(PAGE, run=run))
    # Of the nine calls of this model, those numbered 1 and 5 may have cost something that nobody knows.
    assert f"<td>{MODEL}</td><td>9</td><td>2</td><td>1</td>" in text
    assert "$0.0051 + 2 unpriced" in text
    assert "2× $0.0050" in text
    assert "per accepted policy (3)" in text
    assert "<td>3.3</td>" in text
    # r2 came of iteration 2: a failed call, a lost one and a recording.
    assert "<tr><td>r2</td><td>2</td><td>3</td>" in text


def test_an_answer_of_unknown_price_that_is_used_again_saves_no_zero_dollars(store, run):
    add_calls(store, run, [fake_call(1, usd=None, reused=3), fake_call(2, usd=None, model="openai:b@http://x/v1"),
                           fake_call(3, usd=0.5, reused=2, model="openai:b@http://x/v1"),
                           fake_call(4, usd=None, reused=1, model="openai:b@http://x/v1")])  # fmt: skip
    text = html(app(PAGE, run=run))
    assert "<td>3× unpriced</td>" in text
    assert "<td>3× $1.00 + 1 unpriced</td>" in text


def test_an_answer_that_was_cut_off_after_its_program_says_so(store, run):
    (number,) = add_calls(store, run, [fake_call(1, reason="truncated")])
    test = app(PAGE, run=run, call=str(number))
    assert list(shown(test)["outcome"]) == ["cut off after the program"]
    assert f"call {number}: cut off after the program" in html(test)


@pytest.mark.parametrize("place", range(10))
def test_any_call_can_be_read_and_its_texts_stay_letters(store, run, numbers, place):
    test = app(PAGE, run=run, call=str(numbers[place]))
    letters_only(test)
    assert f"call {numbers[place]}: " in html(test)
    codes = [block.value for block in test.code]
    expected = outcomes()[place]
    assert (expected.answer in codes) == bool(expected.answer)
    assert all(block.language in ("", None, "plaintext") for block in test.code)
    if expected.message:
        assert expected.message in [text.value for text in test.text]


def test_the_parts_of_a_prompt_are_labelled(store, run, numbers):
    test = app(PAGE, run=run, call=str(numbers[0]))
    labels = [expander.label for expander in test.expander]
    for title in ("system: role", "rules: game", "opponents: who is met", "task: what is asked for", "part 4"):
        assert any(label.startswith(title) for label in labels)
    assert not any("http" in label for label in labels)
    assert f"{MARKDOWN} {SCRIPT}"[:40] in "".join(text.value for text in test.text)
    assert f"Write a policy, number 0. {SCRIPT}" in [block.value for block in test.code]
    assert MARKDOWN in [block.value for block in test.code]


def test_a_call_leads_to_the_program_of_its_attempt(store, run, numbers):
    test = app(PAGE, run=run, call=str(numbers[0]))
    assert "attempt 3 of iteration 1: <b>admitted</b>" in html(test)
    policy = store.attempts(run, 1)[2].policy
    test.button(key="open_program").click().run()
    assert not test.exception
    assert test.query_params["policy"] in (policy[:12], [policy[:12]])


def test_a_call_without_an_attempt_has_no_way_to_one(store, run, numbers):
    for place in (6, 8):
        test = app(PAGE, run=run, call=str(numbers[place]))
        assert "open_program" not in [button.key for button in test.button]


def test_filters_leave_the_calls_that_pass(store, run, numbers):
    test = app(PAGE, run=run)
    test.selectbox(key=f"calls_iteration-{run}").set_value(2).run()
    assert list(shown(test)["call"]) == [numbers[4], numbers[5], numbers[7]]
    test.multiselect(key=f"calls_outcome-{run}").set_value(["possibly billed"]).run()
    assert list(shown(test)["call"]) == [numbers[5]]
    test.selectbox(key=f"calls_iteration-{run}").set_value(1).run()
    assert not test.exception
    assert "No call is like that" in words(test)


def test_earlier_and_later_go_through_the_table(store, run, numbers):
    test = app(PAGE, run=run, call=str(numbers[0]))
    assert test.button(key="call_earlier").disabled
    test.button(key="call_later").click().run()
    assert f"call {numbers[1]}: " in html(test)


@pytest.mark.parametrize("wanted", ["999999", "x", SCRIPT, "9" * 400, "-1"])
def test_a_call_that_is_not_there_is_said(store, run, numbers, wanted):
    test = app(PAGE, run=run, call=wanted)
    assert "This run has no call" in words(test)
    letters_only(test)


def test_a_call_of_another_run_is_not_shown(store, run, numbers):
    other = run_id(store, "demo matrix")
    add_calls(store, other, [fake_call(50, model="gemini:other")])
    assert find_call(store.connections, other, numbers[0]) is None
    assert "This run has no call" in words(app(PAGE, run=other, call=str(numbers[0])))


def test_an_endless_text_is_cut(store, run):
    (number,) = add_calls(store, run, [fake_call(1, answer="y" * 1_000_000, prompt="z" * 1_000_000)])
    test = app(PAGE, run=run, call=str(number))
    assert sum(len(block.value) for block in test.code) <= 2 * call.MOST_CHARACTERS
    assert "880,000 more letters are not shown" in words(test)


def test_two_thousand_calls_are_one_list_without_texts(store, run):
    long = prompt_text() + " " * 20_000
    add_calls(store, run, [fake_call(number, prompt=long, iteration=1 + number % 4) for number in range(2000)])
    began = time.process_time()
    lines = call_lines(store.connections, run)
    assert time.process_time() - began < 1.0
    assert len(lines) == 2000
    assert not any(len(str(value)) > 200 for value in vars(lines[0]).values())
    began = time.monotonic()
    test = app(PAGE, run=run, call=str(lines[-1].id))
    assert time.monotonic() - began < 15
    assert len(shown(test)) == 2000


def test_a_model_that_sends_nothing_is_said():
    assert "nothing is sent" in calls.note("recorded:abc")
    assert calls.note(MODEL) == ""


def test_the_text_of_a_call_in_flight_is_shown_as_letters_and_bounded(store, run):
    lease = store.acquire(run, "test")
    lease.set_status("running", "")
    lease.set_progress({
        "iteration": 5, "player": 0, "bar": None, "paused": None, "message": "",
        "stages": [{"name": "ask", "state": "now", "seconds": 0.0, "detail": "attempt 1/10"}],
        "live": [{"attempt": 0, "text": "y" * 50_000 + SCRIPT}, {"attempt": -1, "text": MARKDOWN},
                 {"attempt": 3, "text": ""}, "nonsense", {"attempt": "x"}],
    })  # fmt: skip
    test = app(run=run)
    codes = [block.value for block in test.code]
    assert len(codes) == 2
    assert codes[0].endswith(SCRIPT)
    assert len(codes[0]) == stages.MOST_LIVE_CHARACTERS
    assert codes[1] == MARKDOWN
    assert "attempt 1<small> · the model writes" in html(test)
    letters_only(test)


@pytest.mark.parametrize("told", [None, [], {}, "text", [1, None]])
def test_progress_without_live_text_draws_none(told):
    assert stages.live_texts({"live": told} if told is not None else {}) == []
