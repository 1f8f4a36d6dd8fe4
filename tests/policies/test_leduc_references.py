"""The reference policies of repeated Leduc poker by what they do. Our own text, so this test runs them unjailed."""

import random
import runpy
from collections import Counter
from pathlib import Path

import pytest

from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.policies import reference
from csro_core.policies.library import reference_names, reference_text
from csro_core.sandbox.guard import check

FOLDER = Path(reference.__file__).parent
FOLD, CALL, RAISE = 0, 1, 2
NAMES = [name for name in reference_names("repeated_leduc") if name.startswith("leduc_")]


@pytest.fixture(autouse=True)
def _seeded():
    random.seed(20260311)


def fresh(name):
    return runpy.run_path(str(FOLDER / f"{name}.py"))["Policy"]()


def play(first, second, episodes):
    """Returns the mean chips of the first policy over both orders."""
    total = 0.0
    for seed in range(episodes):
        for seats in ((0, 1), (1, 0)):
            batch = make_game(GameSpec("repeated_leduc")).new_episodes([seed])
            policies = [fresh((first, second)[seat]) for seat in seats]
            views = ({}, {})
            while batch.pending():
                turn = batch.pending()[0]
                views[turn.player].update(turn.assign)
                for name, items in turn.append.items():
                    views[turn.player].setdefault(name, []).extend(items)
                batch.apply([policies[turn.player].act(views[turn.player])])
            total += float(batch.returns()[0, seats.index(0)])
    return total / (2 * episodes)


def spot(card, board=None, to_call=0, **others):
    raised = [[], [RAISE]] if board else [[RAISE], []]
    return {
        "hand": 0, "num_hands": 100, "player": 1, "my_card": card, "board_card": board, "round": 2 if board else 1,
        "pot": 4, "to_call": to_call, "betting": raised if to_call else [[], []], "my_total": 0, "past_hands": [],
        "legal_actions": [0, 1, 2] if to_call else [1, 2], **others,
    }  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_the_guard_accepts_it(name):
    assert check(reference_text(name)).problems == ()


@pytest.mark.parametrize("name", NAMES)
def test_it_plays_an_episode_legally(name):
    # `apply` raises where an action is not legal.
    play(name, "leduc_maniac", episodes=1)


@pytest.mark.parametrize(("name", "card", "board", "to_call", "action"), [
    ("leduc_tight", "J", None, 2, FOLD),
    ("leduc_tight", "Q", None, 2, CALL),
    ("leduc_tight", "K", None, 2, RAISE),
    ("leduc_tight", "J", "J", 4, RAISE),
    ("leduc_loose", "Q", "K", 4, CALL),
    ("leduc_loose", "K", None, 0, RAISE),
    ("leduc_honest", "J", None, 0, CALL),
    ("leduc_honest", "J", None, 2, FOLD),
    ("leduc_honest", "Q", "K", 4, CALL),
    ("leduc_honest", "Q", "J", 4, FOLD),
    ("leduc_honest", "K", "K", 0, RAISE),
    ("leduc_threshold", "K", None, 0, RAISE),
    ("leduc_threshold", "Q", None, 0, CALL),
    ("leduc_threshold", "J", "Q", 4, FOLD),
])  # fmt: skip
def test_what_it_does(name, card, board, to_call, action):
    assert fresh(name).act(spot(card, board, to_call)) == action


def test_a_maniac_raises_seven_times_out_of_ten():
    maniac = fresh("leduc_maniac")
    counts = Counter(maniac.act(spot("J", None, 2)) for _ in range(4000))
    # 5 standard deviations of a share at 4,000 acts are 0.036.
    assert counts[RAISE] / 4000 == pytest.approx(0.7, abs=0.036)
    assert counts[FOLD] == 0


def test_a_mirror_gives_back_what_it_sees():
    past = [
        {"my_card": "J", "opponent_card": None, "board_card": None, "betting": [[RAISE, FOLD], []], "player": 1,
         "my_return": 1},
    ]  # fmt: skip
    aggressive = fresh("leduc_mirror")
    # As second player it saw 60 bets of the first; it then bets nearly always itself.
    acts = Counter(aggressive.act(spot("Q", past_hands=past * 60)) for _ in range(300))
    assert acts[RAISE] > 270


@pytest.mark.parametrize(("name", "least"), [
    ("always_call", 110), ("always_fold", 85), ("leduc_tight", 20), ("leduc_maniac", 110), ("leduc_loose", 30),
])  # fmt: skip
def test_the_adaptive_one_exploits_the_simple_ones(name, least):
    assert play("leduc_adaptive", name, episodes=5) > least


def test_the_strongest_are_labelled():
    for name in ("leduc_adaptive", "rrps_ensemble"):
        assert "Tuned on the benchmark" in reference_text(name)
