"""The reference policies by what they do. They are our own text, so this test (and nothing else) runs them unjailed."""

import ast
import random
import runpy
from collections import Counter
from itertools import cycle, islice
from pathlib import Path

import pytest

from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.games.matrix import PRESETS
from csro_core.policies import reference
from csro_core.policies.library import reference_names, reference_text
from csro_core.policies.source import describe_tree

FOLDER = Path(reference.__file__).parent
ROCK, PAPER, SCISSORS = 0, 1, 2
NAMES = sorted({name for game in ("repeated_rps", "matrix", "repeated_leduc") for name in reference_names(game)})
RPS_NAMES = reference_names("repeated_rps")
LEARNERS = ("markov1", "markov2", "markov3", "history_match", "iocaine_style", "rrps_ensemble")
ALLOWED_IMPORTS = {
    "random", "math", "collections", "itertools", "functools", "heapq", "bisect", "statistics", "fractions", "operator",
    "copy", "dataclasses",
}


@pytest.fixture(autouse=True)
def _seeded():
    random.seed(20260311)


def fresh(name):
    return runpy.run_path(str(FOLDER / f"{name}.py"))["Policy"]()


def follow(name, opponent, throws):
    """Plays `throws` throws; `opponent(t, theirs, mine)` sees the histories. Returns both lists of throws."""
    policy = fresh(name)
    obs = make_game(GameSpec("repeated_rps", {"num_throws": throws})).first_observation(0)
    mine, theirs = obs["my_history"], obs["opponent_history"]
    for throw in range(throws):
        obs["throw"] = throw
        action = policy.act(obs)
        assert type(action) is int
        assert action in obs["legal_actions"]
        answer = opponent(throw, theirs, mine)
        mine.append(action)
        theirs.append(answer)
    return mine, theirs


def versus(name, opponent_moves, expected):
    """Axelrod's way: these moves of the opponent are answered by those throws; None where any throw is right."""
    played, _ = follow(name, lambda throw, theirs, mine: opponent_moves[throw], len(opponent_moves))
    assert len(played) == len(expected)
    assert [None if right is None else throw for throw, right in zip(played, expected, strict=True)] == expected


def net(mine, theirs):
    return sum((0, 1, -1)[(one - other) % 3] for one, other in zip(mine, theirs, strict=True))


def periodic(*pattern):
    return lambda throw, theirs, mine: pattern[throw % len(pattern)]


def at_random(throw, theirs, mine):
    return random.randrange(3)


class TestBehaviour:
    def test_rock(self):
        versus("rock", [PAPER, PAPER, PAPER, ROCK], [ROCK, ROCK, ROCK, ROCK])

    def test_rotate(self):
        versus("rotate", [ROCK] * 5, [ROCK, PAPER, SCISSORS, ROCK, PAPER])

    def test_beat_last(self):
        versus("beat_last", [ROCK, PAPER, SCISSORS, ROCK], [None, PAPER, SCISSORS, ROCK])

    def test_copy_last(self):
        versus("copy_last", [ROCK, PAPER, SCISSORS, ROCK], [None, ROCK, PAPER, SCISSORS])

    def test_beat_frequency(self):
        versus(
            "beat_frequency",
            [SCISSORS, PAPER, PAPER, ROCK, ROCK, ROCK, ROCK],
            [None, ROCK, SCISSORS, SCISSORS, SCISSORS, PAPER, PAPER],
        )

    @pytest.mark.parametrize("opening", [ROCK, PAPER, SCISSORS])
    def test_win_stay_lose_shift(self, opening):
        # The opening is random; for each of the three the second throw is known. Try until it was this opening.
        for _ in range(100):
            played, _ = follow("win_stay_lose_shift", periodic(ROCK), 3)
            if played[0] == opening:
                break
        second = {ROCK: PAPER, PAPER: PAPER, SCISSORS: PAPER}[opening]  # tie shifts, win stays, loss shifts
        assert played == [opening, second, PAPER]

    def test_win_stay_lose_shift_stays_on_a_win_even_when_it_will_be_beaten(self):
        played, theirs = follow("win_stay_lose_shift", lambda throw, theirs, mine: (ROCK, SCISSORS)[throw % 2], 40)
        for before in range(39):
            if net(played[before : before + 1], theirs[before : before + 1]) == 1:
                assert played[before + 1] == played[before]
            else:
                assert played[before + 1] == (theirs[before] + 1) % 3

    def test_biased_has_its_odds(self):
        counts = Counter(follow("biased", at_random, 6000)[0])
        # 5 standard deviations of a share at 6,000 throws are at most 0.033.
        assert [counts[throw] / 6000 for throw in range(3)] == pytest.approx([0.5, 0.3, 0.2], abs=0.033)

    def test_sticky_repeats_itself(self):
        played, _ = follow("sticky", at_random, 6000)
        repeats = sum(one == other for one, other in zip(played, played[1:], strict=False)) / 5999
        assert repeats == pytest.approx(0.7 + 0.3 / 3, abs=0.03)

    def test_block_has_a_favourite_for_50_throws(self):
        played, _ = follow("block", at_random, 600)
        for block in range(12):
            counts = Counter(played[50 * block : 50 * block + 50])
            # The favourite comes up with 0.87; 30 of 50 is 8 standard deviations below.
            assert counts[block % 3] >= 30

    def test_uniform_is_uniform_and_pays_nothing(self):
        played, _ = follow("uniform", periodic(ROCK), 6000)
        assert [Counter(played)[throw] / 6000 for throw in range(3)] == pytest.approx([1 / 3] * 3, abs=0.033)

    def test_markov1_answers_the_most_frequent_follower(self):
        # The opponent answers each of our throws by what beats it: a function of the last joint throw.
        played, theirs = follow("markov1", lambda throw, theirs, mine: (mine[-1] + 1) % 3 if mine else ROCK, 200)
        assert net(played[20:], theirs[20:]) > 170


class TestLearners:
    @pytest.mark.parametrize("name", LEARNERS)
    @pytest.mark.parametrize("pattern", [(ROCK,), (ROCK, PAPER), (ROCK, PAPER, SCISSORS), (SCISSORS, PAPER, ROCK)])
    def test_they_beat_short_periods(self, name, pattern):
        assert net(*follow(name, periodic(*pattern), 300)) > 250

    @pytest.mark.parametrize("name", ["markov2", "markov3", "history_match", "iocaine_style", "rrps_ensemble"])
    def test_longer_memories_beat_a_pattern_with_a_double_throw(self, name):
        # After one rock comes rock or paper: the last throw of the opponent alone cannot tell.
        assert net(*follow(name, periodic(ROCK, ROCK, PAPER, PAPER, SCISSORS, SCISSORS), 500)) > 350

    @pytest.mark.parametrize("name", ["history_match", "iocaine_style"])
    def test_history_beats_a_pattern_that_no_short_context_tells(self, name):
        pattern = tuple(islice(cycle((ROCK, ROCK, ROCK, ROCK, ROCK, PAPER)), 30)) + (SCISSORS,) * 6
        assert net(*follow(name, periodic(*pattern), 1000)) > 800

    @pytest.mark.parametrize("name", LEARNERS)
    def test_they_lose_nothing_much_to_a_random_opponent(self, name):
        # The sum over 1,000 random throws has standard deviation 26; this is 5 of them.
        assert abs(net(*follow(name, at_random, 1000))) < 130

    def test_the_meta_strategist_sees_through_the_one_that_sees_through_patterns(self):
        # The opponent is history_match itself; a first-level predictor only ties with its own like.
        match = fresh("history_match")

        def opponent(throw, theirs, mine):
            return match.act({"my_history": theirs, "opponent_history": mine})

        assert net(*follow("iocaine_style", opponent, 1000)) > 500

    def test_markov2_forgets_the_old_ways_of_an_opponent(self):
        played, theirs = follow("markov2", lambda throw, theirs, mine: ROCK if throw < 300 else PAPER, 600)
        assert net(played[330:], theirs[330:]) > 240


class TestMatrixPolicies:
    @pytest.mark.parametrize("name", reference_names("matrix"))
    @pytest.mark.parametrize("rows", [*PRESETS.values(), [[1.0]], [[2.0, -1.0]], [[3.0], [4.0]], [[0.0] * 7] * 5])
    @pytest.mark.parametrize("player", [0, 1])
    def test_every_one_is_legal_in_every_matrix(self, name, rows, player):
        obs = make_game(GameSpec("matrix", {"payoffs": [list(row) for row in rows]})).first_observation(player)
        action = fresh(name).act(obs)
        assert type(action) is int
        assert action in obs["legal_actions"]

    @pytest.mark.parametrize(("name", "action"), [("first_action", 0), ("pure_1", 1), ("pure_2", 2)])
    def test_pure_actions(self, name, action):
        assert fresh(name).act(make_game(GameSpec("matrix")).first_observation(0)) == action

    def test_a_pure_action_that_is_not_there_counts_round(self):
        assert fresh("pure_2").act({"legal_actions": [0, 1]}) == 0

    def test_maximin_and_beat_uniform_differ_where_they_should(self):
        obs = make_game(GameSpec("matrix", {"payoffs": [[9.0, -5.0], [1.0, 0.0], [2.0, -1.0]]})).first_observation(0)
        assert fresh("maximin").act(obs) == 1
        assert fresh("beat_uniform").act(obs) == 0

    def test_the_column_player_reads_its_own_payoffs(self):
        obs = make_game(GameSpec("matrix", {"payoffs": [[9.0, -5.0], [1.0, 0.0]]})).first_observation(1)
        assert fresh("maximin").act(obs) == 1
        assert fresh("beat_uniform").act(obs) == 1


class TestPoker:
    @pytest.mark.parametrize(
        ("name", "where_fold_is_legal", "where_it_is_not"),
        [("always_fold", 0, 1), ("always_call", 1, 1), ("always_raise", 2, 2)],
    )
    def test_fixed_actions_of_leduc(self, name, where_fold_is_legal, where_it_is_not):
        assert fresh(name).act({"legal_actions": [0, 1, 2]}) == where_fold_is_legal
        assert fresh(name).act({"legal_actions": [1, 2]}) == where_it_is_not

    def test_always_raise_calls_at_the_cap(self):
        assert fresh("always_raise").act({"legal_actions": [0, 1]}) == 1

    @pytest.mark.parametrize(("name", "action"), [("always_fold", 0), ("always_call", 1), ("always_raise", 1)])
    def test_kuhn_has_pass_and_bet_only(self, name, action):
        assert fresh(name).act({"legal_actions": [0, 1]}) == action


class TestContract:
    @pytest.mark.parametrize("name", RPS_NAMES)
    def test_every_rps_policy_survives_1000_throws(self, name):
        played, _ = follow(name, at_random, 1000)
        assert len(played) == 1000

    @pytest.mark.parametrize("name", RPS_NAMES)
    def test_nothing_is_carried_from_one_instance_to_the_next(self, name):
        module = runpy.run_path(str(FOLDER / f"{name}.py"))
        games = []
        for _ in range(2):
            random.seed(3)
            policy = module["Policy"]()
            obs = make_game(GameSpec("repeated_rps")).first_observation(0)
            for throw in range(60):
                obs["throw"] = throw
                action = policy.act(obs)
                obs["my_history"].append(action)
                obs["opponent_history"].append(throw % 7 % 3)
            games.append(obs["my_history"])
        assert games[0] == games[1]

    @pytest.mark.parametrize("name", NAMES)
    def test_text_is_in_the_contract(self, name):
        text = reference_text(name)
        tree = ast.parse(text)
        imported = {
            alias.name if isinstance(node, ast.Import) else node.module
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        assert imported <= ALLOWED_IMPORTS
        assert len(ast.get_docstring(tree)) > 40  # where it comes from
        policy = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Policy")
        assert len(ast.get_docstring(policy)) > 30  # what it does
        assert max(len(line) for line in text.splitlines()) <= 120
        assert text.isascii()

    def test_no_two_are_the_same_program(self):
        identities = {describe_tree(ast.parse(reference_text(name)))[0] for name in NAMES}
        assert len(identities) == len(NAMES)

    def test_there_are_enough_of_them(self):
        assert len(RPS_NAMES) >= 13
