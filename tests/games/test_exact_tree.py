"""Trees of small games, and the plans along which policies are asked."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csro_core.errors import UsageError
from csro_core.games import GAMES, list_games, make_game, parse_game
from csro_core.games.base import GameSpec
from csro_core.games.exact_paths import NAME, paths_spec, plans_of
from csro_core.games.exact_tree import estimated_histories, exact_tree
from csro_core.games.openspiel import load_openspiel

SMALL = ["kuhn_poker", "leduc_poker", "goofspiel(num_cards=3)", "liars_dice(dice_sides=2)", "matrix", "tiny_hanabi"]


@pytest.mark.parametrize(
    ("text", "states", "sequences"),
    # Kuhn and Leduc: OpenSpiel's sequence_form_lp_test counts; liars_dice: 2^12 bids times 6 dice, halved.
    [("kuhn_poker", 6, 13), ("leduc_poker", 468, 1093), ("liars_dice(dice_sides=2)", 16, 31)],
)
def test_a_game_has_the_known_number_of_information_states(text, states, sequences):
    tree = exact_tree(parse_game(text))
    assert [len(own) for own in tree.states] == [states, states]
    assert tree.sequences == (sequences, sequences)
    assert tree.chances.sum() > 1  # several own plans each come to their ends
    assert tree.zero_sum


@pytest.mark.parametrize("text", SMALL)
def test_observations_are_those_of_the_game_itself(text):
    """What a policy is asked must be what it would see in a match."""
    game = make_game(parse_game(text))
    tree = exact_tree(game.spec)
    known = [{repr(sorted(state.observation.items())) for state in own} for own in tree.states]
    batch = game.new_episodes(range(60))
    seen = {}
    while turns := batch.pending():
        actions = []
        for turn in turns:
            obs = seen.setdefault((turn.episode, turn.player), {})
            obs.update(turn.assign)
            assert repr(sorted(obs.items())) in known[turn.player]
            actions.append(obs["legal_actions"][(turn.episode + len(seen)) % len(obs["legal_actions"])])
        batch.apply(actions)


@pytest.mark.parametrize("text", SMALL)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_the_plans_meet_every_information_state_that_a_policy_without_dice_can_bring_about(text, data):
    tree = exact_tree(parse_game(text))
    player = data.draw(st.sampled_from([0, 1]))
    states, plans, children = tree.states[player], plans_of(tree, player), tree.children(player)
    salt = data.draw(st.integers(0, 10**6))
    chosen = [hash((salt, number)) % len(state.actions) for number, state in enumerate(states)]
    expected, stack = set(), list(children[0])
    while stack:
        number = stack.pop()
        expected.add(number)
        stack += children[states[number].first + chosen[number]]
    met = set()
    for plan in range(plans.count):
        taken = []
        while (number := _at(plans, plan, taken)) is not None:
            met.add(number)
            taken.append(chosen[number])
        assert [states[n].first + chosen[n] for n in map(lambda k: _at(plans, plan, taken[:k]), range(len(taken)))] == (
            plans.replay(plan, taken)
        )
    assert met == expected


def _at(plans, plan, taken):
    try:
        return plans.state_after(plan, taken)
    except ValueError:
        return None


def test_a_game_where_strings_forget_is_told_apart_by_own_moves():
    tree = exact_tree(parse_game("goofspiel(num_cards=4)"))
    keys = [state.key for state in tree.states[0]]
    assert len(set(keys)) < len(keys)
    assert len({(state.key, state.parent) for state in tree.states[0]}) == len(keys)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("connect_four", "10\\^"),
        ("phantom_ttt", "10\\^"),
        ("tic_tac_toe", "more information states"),
        ("repeated_leduc", "leduc_poker"),
        ("repeated_rps", "matrix"),
    ],
)
def test_a_game_that_is_too_large_is_refused_in_one_line_that_says_what_would_work(text, words):
    began = time.process_time()
    with pytest.raises(UsageError, match=words) as caught:
        exact_tree(parse_game(text))
    assert "\n" not in str(caught.value)
    assert "leduc_poker" in str(caught.value) or "matrix" in str(caught.value)
    assert time.process_time() - began < 20


def test_the_estimate_of_a_size_is_near_for_leduc():
    assert 3_000 < estimated_histories(load_openspiel(GameSpec("leduc_poker"))) < 30_000  # it has 9,457


def test_the_path_game_is_in_no_list_and_only_serves():
    assert NAME not in GAMES
    assert NAME not in {game.spec.name for game in list_games()}
    assert make_game(paths_spec(GameSpec("kuhn_poker"), 1)).spec.name == NAME
    with pytest.raises(UsageError, match="not a game to play"):
        make_game(GameSpec(NAME))
