"""Decision lists are right in every case and short where a short one exists."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csro_core.evaluation.rules import Case, DecisionList, Rule, decision_list

FACTS = st.fixed_dictionaries(
    {
        "card": st.sampled_from("JQK"),
        "board": st.sampled_from("-JQK"),
        "pair": st.booleans(),
        "bets": st.sampled_from("012"),
    }
)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(FACTS, st.frozensets(st.integers(0, 2), min_size=1)), min_size=1, max_size=40))
def test_every_case_is_decided_rightly(listed):
    merged = {}
    for facts, right in listed:
        merged.setdefault(tuple(sorted(facts.items())), right)
    cases = [Case(dict(key), right) for key, right in merged.items()]
    found = decision_list(cases)
    assert all(found.decide(case.facts) in case.right for case in cases)
    assert len(found.rules) <= len(cases)


def test_one_rule_says_what_one_rule_can():
    cases = [
        Case({"card": card, "board": board}, frozenset({0 if card == "J" else 2}))
        for card in "JQK"
        for board in "JQK"
    ]
    assert decision_list(cases) == DecisionList((Rule((("card", "J"),), 0),), 2)


def test_freedom_of_choice_makes_rules_shorter():
    cases = [Case({"card": "J"}, frozenset({0, 1})), Case({"card": "Q"}, frozenset({1, 2}))]
    assert decision_list(cases) == DecisionList((), 1)


@pytest.mark.parametrize(
    "cases",
    [[], [Case({"card": "J"}, frozenset({0})), Case({"card": "J"}, frozenset({1}))]],
    ids=["none", "contradiction"],
)
def test_what_cannot_be_is_an_error(cases):
    with pytest.raises(ValueError, match="case"):
        decision_list(cases)
