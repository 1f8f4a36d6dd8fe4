"""Exact values against those of OpenSpiel and of knowledge that can be recomputed by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csro_core.errors import UsageError
from csro_core.evaluation.best_response import best_plan, best_response, game_value, profile, safest_plan
from csro_core.evaluation.leaks import leaks, punisher, state_leaks
from csro_core.evaluation.sequence_form import behaviour, plan_of_behaviour, sequence_form
from csro_core.games import parse_game
from csro_core.games.exact_tree import exact_tree
from tests.known_values import EXACT_VALUES, KUHN_BEST_RESPONSES_TO_UNIFORM, kuhn_equilibrium


def form_of(text):
    return sequence_form(exact_tree(parse_game(text)))


def plans_by(form, choose):
    """Returns the plans of both players from a function (state) → probabilities."""
    plans = []
    for player in (0, 1):
        side = form.sides[player]
        shares = np.ones(side.size)
        for state in form.tree.states[player]:
            shares[state.first : state.first + len(state.actions)] = choose(state)
        plans.append(plan_of_behaviour(side, shares))
    return plans[0], plans[1]


def uniform(state):
    return np.full(len(state.actions), 1 / len(state.actions))


def taking(wanted):
    def choose(state):
        shares = np.zeros(len(state.actions))
        shares[state.actions.index(wanted) if wanted in state.actions else (-1 if wanted > 1 else 0)] = 1.0
        return shares

    return choose


CHOICES = {"uniform": uniform, "0": taking(0), "1": taking(1), "2": taking(2)}


@pytest.mark.parametrize("known", EXACT_VALUES, ids=lambda known: f"{known.game}-{known.policy}")
def test_nash_conv_is_the_known_value(known):
    form = form_of(known.game)
    assert profile(form, plans_by(form, CHOICES[known.policy])).nash_conv == pytest.approx(known.nash_conv, abs=1e-7)
    if known.value is not None:
        assert game_value(form) == pytest.approx(known.value, abs=1e-7)


def test_best_responses_to_uniform_kuhn_are_the_known_ones():
    form = form_of("kuhn_poker")
    found = profile(form, plans_by(form, uniform))
    assert found.best_responses == pytest.approx(KUHN_BEST_RESPONSES_TO_UNIFORM)
    assert found.values == pytest.approx((0.125, -0.125))
    assert found.exploitability == pytest.approx(11 / 24)


@pytest.mark.parametrize("alpha", [0.0, 0.2, 1 / 3])
def test_an_equilibrium_of_kuhn_is_not_exploitable_and_leaks_nothing(alpha):
    form = form_of("kuhn_poker")
    plans = plans_by(form, lambda state: kuhn_equilibrium(state.key, alpha))
    assert profile(form, plans).nash_conv == pytest.approx(0, abs=1e-12)
    assert [leaks(form, player, plans[player]) for player in (0, 1)] == [[], []]


def test_the_leak_of_betting_a_jack_is_computed_by_hand():
    """Player 0 always bets in Kuhn; the best responder calls with Q and K. With J (one deal in three) the bet loses 2,
    while a pass loses 1 whatever the other does: the leak is 1/3 · (2 - 1). With K the bet earns 1 + 1: no leak."""
    form = form_of("kuhn_poker")
    plans = plans_by(form, taking(1))
    found = {leak.situation: leak for leak in leaks(form, 0, plans[0])}
    jack = found["first to act with J"]
    assert jack.worth == pytest.approx(1 / 3)
    assert jack.better == "pass"
    assert jack.sentence == "first to act with J you bet 100 % (better: pass): worth 0.33"
    assert "first to act with K" not in found


def test_the_leak_of_calling_too_much_is_said_in_the_words_of_poker():
    form = form_of("leduc_poker")
    plans = plans_by(form, taking(1))
    worst = leaks(form, 0, plans[0])[0]
    assert worst.sentence.startswith("facing a bet with J and no pair (board Q), round 1 ")
    assert "you call 100 % (better: fold)" in worst.sentence
    assert len(worst.states) == 4  # two jacks, two queens on the board


@st.composite
def random_plans(draw, text):
    form = form_of(text)
    noise = np.random.default_rng(draw(st.integers(0, 10**6)))
    return form, plans_by(form, lambda state: noise.dirichlet(np.full(len(state.actions), 0.5)))


@settings(max_examples=15, deadline=None)
@given(random_plans("kuhn_poker"))
def test_leaks_add_up_to_what_the_best_reply_to_the_punisher_earns_more(given_plans):
    form, plans = given_plans
    for player in (0, 1):
        values, reply = state_leaks(form, player, plans[player])
        rival = punisher(form, 1 - player, plans[player])
        mine = float(plans[player] @ form.against(player, rival))
        assert values.sum() == pytest.approx(reply.value - mine, abs=1e-6)
        # The punisher is a best response, so the leaks are at least what the policy is exploited by.
        best = best_response(form, 1 - player, plans[player]).value
        assert -mine == pytest.approx(best, abs=1e-7)
        assert values.sum() >= best + (1 - 2 * player) * game_value(form) - 1e-7


@settings(max_examples=15, deadline=None)
@given(random_plans("liars_dice(dice_sides=2)"))
def test_nothing_beats_the_best_response_and_mixing_plans_is_mixing_policies(given_plans):
    form, plans = given_plans
    response = best_response(form, 0, plans[1])
    own = best_plan(form.sides[0], response)
    assert float(own @ form.against(0, plans[1])) == pytest.approx(response.value)
    assert float(plans[0] @ form.against(0, plans[1])) <= response.value + 1e-12
    mixed = 0.3 * plans[0] + 0.7 * own
    again = plan_of_behaviour(form.sides[0], behaviour(form.sides[0], mixed))
    assert again == pytest.approx(mixed, abs=1e-12)


def test_reach_is_what_chance_and_the_opponent_bring_about():
    form = form_of("kuhn_poker")
    plans = plans_by(form, uniform)
    reach = dict(zip((s.key for s in form.tree.states[0]), form.reach(0, plans[1]), strict=True))
    # Each card one deal in three; the opponent bets after a pass half of the time.
    assert reach == pytest.approx({"0": 1 / 3, "1": 1 / 3, "2": 1 / 3, "0pb": 1 / 6, "1pb": 1 / 6, "2pb": 1 / 6})


def test_a_value_needs_a_zero_sum_game():
    form = form_of("tiny_hanabi")
    assert game_value(form) is None
    with pytest.raises(UsageError, match="zero-sum"):
        safest_plan(form, 0)
    assert leaks(form, 0, plans_by(form, uniform)[0]) == []
