"""The tabs Lineage and Prompt: the tree of an iteration's attempts, and the call that wrote a policy."""

from dataclasses import replace

import pytest

from app.panels.lineage import Node, _row, attempt_of, parent_of, tree
from app.snapshot import snapshot_of
from csro_core.estimates import Estimate
from csro_core.store.records import AttemptRecord
from tests.app.app_pages import app, html, run_id, words
from tests.app.fake_calls import SCRIPT, add_calls, fake_call, outcomes

PAGE = "views/policies.py"


def attempt(index, parent=None, **changes):
    plain = AttemptRecord(1, index, "", "refine", "", parent, "scored", "", None, None, None, (), 0)
    return replace(plain, **changes)


def shape(records):
    return [(node.attempt.index, node.depth) for node in tree(records)]


def test_children_stand_below_their_parent_in_order():
    records = [attempt(0), attempt(1), attempt(2, 0), attempt(3, 1), attempt(4, 2), attempt(5, 0)]
    assert shape(records) == [(0, 0), (2, 1), (4, 2), (5, 1), (1, 0), (3, 1)]


def test_senseless_parents_hide_no_attempt_and_make_no_circle():
    records = [attempt(0, 1), attempt(1, 0), attempt(2, 2), attempt(3, 99), attempt(4, -1)]
    assert shape(records) == [(0, 0), (1, 1), (2, 0), (3, 0), (4, 0)]


def test_a_chain_of_thousands_is_a_tree():
    nodes = tree([attempt(number, number - 1 if number else None) for number in range(5000)])
    assert nodes[-1] == Node(attempt(4999, 4998), 4999)


@pytest.fixture
def run(store):
    return run_id(store, "demo rps")


def written(store, run, name):
    return next(member.policy for member in store.members(run) if member.name == name)



def test_the_tree_of_a_policy_shows_failures_and_opens_code(store, run):
    policy = written(store, run, "r2")
    test = app(PAGE, run=run, policy=policy.hash[:12], tab="Lineage")
    assert "all attempts of iteration 2" in html(test)
    refused = store.attempts(run, 2)[0].policy
    test.session_state["lineage_attempts-2"] = {"read": 0}
    test.run()
    assert not test.exception
    assert test.query_params["policy"] in (refused[:12], [refused[:12]])
    assert test.segmented_control(key="tab").value == "Code"
    assert 'class="csro-code"' in html(test)


def test_a_line_of_the_tree_says_where_an_attempt_came_from():
    failed = attempt(4, 1, mate=2, island=0, status="failed", message="it crashed", idea="be clever", line=3)
    row = _row(Node(failed, 2), failed, None, bred=True)
    assert row.cells == ("\u2003\u2003└ ▶ 5 × 3", "improve", "1", "failed", "", "line 3: it crashed")
    assert row.titles[0] == "attempt 5, made from attempt 2 and attempt 3"
    assert (row.tone, row.number) == ("bad", 5)
    first = attempt(0, idea="be clever")
    assert _row(Node(first, 0), failed, None, bred=False).cells == ("1", "improve", "not chosen", "", "be clever")


def test_hostile_attempts_are_drawn(store, run):
    lease = store.acquire(run, "test")
    for number in range(3, 40):
        lease.put_attempt(attempt(
            number, number - 1, iteration=2, idea=SCRIPT, operator=SCRIPT, message=SCRIPT, status="failed",
            mate=1, island=number % 3, screen=Estimate(1.0, 0.5, 8),
        ))  # fmt: skip
    lease.release("done")
    policy = written(store, run, "r2")
    test = app(PAGE, run=run, policy=policy.hash[:12], tab="Lineage")
    assert "<script" not in html(test)


@pytest.mark.parametrize("tab", ["Lineage", "Prompt"])
def test_a_seed_has_no_attempt_and_no_call(store, run, tab):
    test = app(PAGE, run=run, policy=written(store, run, "rock").hash[:12], tab=tab)
    assert "it is a seed" in words(test)


def test_the_attempt_and_the_parent_of_a_text_are_found(store, run):
    snapshot = snapshot_of(run)
    own = attempt_of(snapshot, written(store, run, "r1"), 0)
    assert (own.iteration, own.index) == (1, 2)
    first, _, rejected = store.attempts(run, 3)
    # It was never admitted, so only the attempts know that it was refined from the first one.
    assert parent_of(snapshot, store.policy(rejected.policy), 0) == first.policy
    test = app(PAGE, run=run, policy=rejected.policy[:12], tab="Diff")
    assert "(its parent)" in test.selectbox[0].options[0]
    test = app(PAGE, run=run, policy=rejected.policy[:12], tab="Lineage")
    assert f"text {first.policy[:8]}" in html(test)
    assert "written afresh" not in words(test)


def test_the_prompt_of_a_policy_is_that_of_its_call(store, run):
    numbers = add_calls(store, run, [
        fake_call(20, attempt=2, status="failed", reason="rate", answer=""),
        fake_call(21, attempt=2, answer="the answer that became r1"),
        fake_call(22, attempt=1, answer="another"),
    ])  # fmt: skip
    test = app(PAGE, run=run, policy=written(store, run, "r1").hash[:12], tab="Prompt")
    codes = [block.value for block in test.code]
    assert "the answer that became r1" in codes
    assert "another" not in codes
    assert f"Write a policy, number 21. {SCRIPT}" in codes
    assert "<script" not in html(test)
    test.button(key="open_call").click().run()
    assert not test.exception
    assert f"call {numbers[1]}: answered" in html(test)


def test_a_policy_without_words_sent_says_so(store, run):
    add_calls(store, run, [fake_call(30, attempt=2, prompt="", usd=0.0, model="synthesiser")])
    test = app(PAGE, run=run, policy=written(store, run, "r1").hash[:12], tab="Prompt")
    assert "nothing was sent anywhere" in words(test)


def test_every_outcome_can_be_the_neighbour_of_a_policy(store, run):
    add_calls(store, run, outcomes())
    for name in ("r1", "r2", "r4"):
        app(PAGE, run=run, policy=written(store, run, name).hash[:12], tab="Prompt")


def test_a_bar_opens_the_match_from_any_tab(store, run):
    policy = written(store, run, "r1")
    test = app(PAGE, run=run, policy=policy.hash[:12], tab="Lineage")
    test.session_state[f"versus-0-{policy.hash[:12]}"] = {"selection": {"points": [{"point_index": 0}]}}
    test.run()
    assert not test.exception
    assert "row" in test.query_params
