"""The list of calls that a table shows: no texts in it, and what each call led to."""

from dataclasses import replace

from csro_core.store.calls import call_lines, find_call


def test_lines_have_no_texts_and_name_the_attempt_that_a_call_led_to(store, run, make):
    lease = store.acquire(run, "me")
    first = lease.put_call(replace(make.call("a"), prompt="p" * 999, answer="q" * 999))
    second = lease.put_call(replace(make.call("b"), attempt=-1, usd=None))
    lease.put_attempt(replace(make.attempt(1, 0, "f" * 64), verdict="improves"))
    lines = call_lines(store.connections, run)
    assert [line.id for line in lines] == [first, second]
    assert (lines[0].policy, lines[0].attempt_status, lines[0].verdict) == ("f" * 64, "scored", "improves")
    assert (lines[1].policy, lines[1].attempt_status, lines[1].usd) == ("", "", None)
    assert not any("ppp" in str(value) or "qqq" in str(value) for value in vars(lines[0]).values())


def test_a_call_is_found_in_its_own_run_only(store, run, make):
    number = store.acquire(run, "me").put_call(replace(make.call("a"), prompt="words"))
    assert find_call(store.connections, run, number).prompt == "words"
    assert find_call(store.connections, "other", number) is None
    assert find_call(store.connections, run, number + 1) is None
