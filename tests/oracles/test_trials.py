"""What is a duplicate and what is played: identity by meeting (texts are really run, in this process)."""

import numpy as np
import pytest

from csro_core.errors import Cancelled
from csro_core.evaluation.bench import Bench
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.metagame.population import Populations
from csro_core.oracles.context import MAX_SUPPORT, Scene, choose_opponents
from csro_core.oracles.trials import Trials
from csro_core.progress import Silent
from csro_core.seeds import Seed, run_secret
from tests.metagame.fake_executor import BEAT_LAST, BROKEN, CYCLE, RANDOM, FakeExecutor, MemoryCells, always, entry

RPS = GameSpec("repeated_rps", {"num_throws": 90})

# Wins against whoever turns with it; fixed histories turn with it for half a match at most.
COUNTER = '''class Policy:
    def act(self, obs):
        mine, other = obs["my_history"], obs["opponent_history"]
        return (len(mine) + (len(mine) > 40 and mine == other)) % 3
'''

TABLE = '''BEATS = {0: 1, 1: 2, 2: 0}


def first():
    return 0


def later(seen):
    return BEATS[seen]


class Policy:
    def act(self, obs):
        history = obs["opponent_history"]
        return later(history[-1]) if history else first()
'''

IFS = '''# The same table.
def answer(last):
    if last == 0:
        return 1
    if last == 1:
        return 2
    return 0


def begin():
    return 0


class Policy:
    """Says the same in other words."""
    def act(self, seen):
        if not seen["opponent_history"]:
            return begin()
        return answer(seen["opponent_history"][-1])
'''


def renamed(text):
    return text.replace("obs", "seen_so_far")


def late(throw):
    return f'''class Policy:
    def act(self, obs):
        return (obs["throw"] + (obs["throw"] == {throw})) % 3
'''


def trials(spec, own, opponents=(), player=0, monitor=None, target=None):
    """Trials of a player with these policies; opponents, in a symmetric game all own ones, mostly have equal shares."""
    game = make_game(spec)
    executor = FakeExecutor()
    bench = Bench(game, executor, MemoryCells(), run_secret(Seed("3"), 1), 4, monitor or Silent(), make_game)
    mine = tuple(entry(text, f"r{place}") for place, text in enumerate(own, 1))
    others = tuple(entry(text, f"o{place}") for place, text in enumerate(opponents, 1))
    lists = (mine,) if game.symmetric else (mine, others)[:: 1 - 2 * player]
    populations = Populations(game.symmetric, lists)
    met = populations.against(player)
    target = np.full(len(met), 1.0 / len(met)) if target is None else np.array(target)
    scene = Scene(game, player, populations, None, target)
    return Trials(bench, scene, choose_opponents(met, target, np.random.default_rng(0)), 1, 0.0)


def screened(spec, own, text, opponents=(), player=0):
    return trials(spec, own, opponents, player).evaluate(text, "screen")


@pytest.mark.parametrize(
    ("member", "twin"),
    [(BEAT_LAST, renamed(BEAT_LAST)), (BEAT_LAST, TABLE), (TABLE, IFS), (RANDOM, renamed(RANDOM))],
    ids=["renamed", "a table", "the table as ifs", "the same dice"],
)
def test_a_true_twin_is_a_duplicate_and_the_matches_are_named(member, twin):
    found = screened(RPS, [member, CYCLE], twin)
    assert found.status == "duplicate"
    told = "the same moves as r1 on the probe histories and in matches against r1, itself and r2"
    assert (found.message, found.score) == (told, None)


def test_equal_trees_are_duplicates_without_play():
    search = trials(RPS, [CYCLE])
    found = search.evaluate(f"# {'x' * 9}\n{CYCLE}", "screen")
    assert found.status == "duplicate"
    assert "r1" in found.message
    assert not search._bench.executor.jobs


@pytest.mark.parametrize("throw", [64, 89])
def test_what_differs_after_the_probes_is_played_and_says_where(throw):
    found = screened(RPS, [CYCLE], late(throw))
    told = f"like r1 on the probe histories, differs from it first in act {throw + 1} of a match against r1"
    assert (found.status, found.message) == ("scored", told)


def test_what_differs_after_the_end_of_the_screening_game_is_played():
    found = screened(GameSpec("repeated_rps", {"num_throws": 400}), [CYCLE], late(390))
    assert found.status == "scored"
    assert "in act 391 " in found.message


def test_what_differs_only_where_the_opponent_reacts_is_played():
    found = screened(RPS, [CYCLE], COUNTER)
    told = "like r1 on the probe histories, differs from it first in act 42 of a match against r1"
    assert (found.status, found.message) == ("scored", told)


def test_what_differs_only_against_the_support_is_played():
    text = '''class Policy:
    def act(self, obs):
        other = obs["opponent_history"]
        caught = len(other) > 40 and all(one == place % 3 for place, one in enumerate(other))
        return (obs["throw"] + (obs["throw"] == 5 or caught)) % 3
'''
    found = screened(RPS, [late(5), CYCLE], text)
    told = "like r1 on the probe histories, differs from it first in act 42 of a match against r2"
    assert (found.status, found.message) == ("scored", told)


BIASED = '''import random


class Policy:
    def act(self, obs):
        return 0 if random.random() < {share} else 1
'''


@pytest.mark.parametrize("spec", [RPS, GameSpec("matrix")], ids=["repeated", "one step"])
def test_what_differs_only_in_its_dice_is_played(spec):
    assert screened(spec, [BIASED.format(share=0.5)], BIASED.format(share=0.51)).status == "scored"
    assert screened(spec, [BIASED.format(share=0.5)], renamed(BIASED).format(share=0.5)).status == "duplicate"


def test_dice_that_fall_otherwise_are_undecided_and_played():
    other = RANDOM.replace('random.choice(obs["legal_actions"])', "int(3 * random.random())")
    assert screened(RPS, [RANDOM], other).status == "scored"


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker"])
def test_games_of_turns_in_both_seats(name, player):
    text = '''class Policy:
    def act(self, obs):
        return obs["legal_actions"][{index}]
'''
    member, opponents = text.format(index=0), [text.format(index=-1), RANDOM]
    least = 'class Policy:\n    def act(self, obs):\n        return min(obs["legal_actions"])\n'
    twin = screened(GameSpec(name), [member], least, opponents, player)
    assert twin.status == "duplicate"
    assert "o1" in twin.message
    once = "random.random() < 0.01 and -1"
    other = screened(GameSpec(name), [member], "import random\n\n\n" + text.format(index=once), opponents, player)
    assert other.status == "scored"


def test_a_long_game_of_turns():
    member = 'class Policy:\n    def act(self, obs):\n        return obs["legal_actions"][0]\n'
    twin = screened(GameSpec("repeated_leduc"), [member], renamed(member))
    assert twin.status == "duplicate"


@pytest.mark.parametrize("player", [0, 1])
def test_a_game_of_one_step_in_both_seats(player):
    spec = GameSpec("matrix", {"payoffs": [[3.0, -1.0], [-1.0, 1.0]]})
    if make_game(spec).symmetric:
        spec = GameSpec("matrix", {"preset": "matching_pennies"})
    twin = "class Policy:\n    def act(self, obs):\n        return 2 - 1\n"
    found = screened(spec, [always(1)], twin, [always(0)], player)
    assert found.message == "the same moves as r1 on the probe histories and in matches against o1"
    assert screened(spec, [always(1)], always(0), [always(0)], player).status == "scored"


FAILING = COUNTER.replace("(len(mine) > 40 and mine == other)", "(len(mine) > 40 and mine == other and 1 / 0)")


def test_who_fails_in_the_meeting_is_played_and_fails_as_such():
    found = screened(RPS, [CYCLE], FAILING)
    assert found.status == "failed"
    assert "ZeroDivisionError" in found.message


def test_who_fails_only_against_its_like_has_a_score_and_a_note():
    found = trials(RPS, [CYCLE, always(0)], target=[0.0, 1.0]).evaluate(FAILING, "screen")
    assert found.status == "scored"
    assert found.message.startswith("like r1 on the probe histories, but it fails in a match against r1: ZeroDivision")


def test_two_texts_that_fail_alike_both_say_why():
    search = trials(RPS, [CYCLE])
    told = [search.evaluate(BROKEN.replace("broken", word), "screen") for word in ("one", "two")]
    assert [found.status for found in told] == ["failed", "failed"]
    assert [word in found.message for word, found in zip(("one", "two"), told, strict=True)] == [True, True]


def test_attempts_are_twins_of_earlier_attempts_and_the_note_stays_in_the_trial():
    search = trials(RPS, [CYCLE])
    assert search.evaluate(TABLE, "screen").status == "scored"
    told = "the same moves as an earlier attempt on the probe histories and in matches against"
    twin = search.evaluate(IFS, "screen")
    assert twin.status == "duplicate"
    assert twin.message.startswith(told)
    notes = {search.evaluate(COUNTER, stage).message for stage in ("screen", "trial", "final")}
    assert notes == {"like r1 on the probe histories, differs from it first in act 42 of a match against r1"}


def test_nothing_is_played_twice_and_every_episode_counts():
    search = trials(RPS, [CYCLE, BEAT_LAST])
    bench = search._bench
    assert search.evaluate(late(70), "screen").status == "scored"
    assert search.evaluate(late(80), "screen").status == "scored"
    assert search.evaluate(renamed(late(80)), "screen").status == "duplicate"
    jobs = [(job.sources, job.seeds) for job in bench.executor.jobs]
    assert len(set(jobs)) == len(jobs)
    met = [job for job in bench.executor.jobs if "MOVES = " not in job.sources[1]]
    assert bench.met == sum(len(job.seeds) for job in met)
    assert {seat for job in met for seat in job.seats} == {0, 1}


def test_many_texts_that_are_nearly_alike_are_told_apart_by_what_they_have_played():
    search = trials(RPS, [CYCLE])
    costs = []
    for throw in range(70, 76):
        before = search._bench.met
        assert search.evaluate(late(throw), "screen").status == "scored"
        costs.append(search._bench.met - before)
    assert costs[1:] == [costs[1]] * 5
    assert costs[1] < costs[0]


def test_whom_nothing_resembles_meets_nobody():
    search = trials(RPS, [CYCLE])
    search.evaluate(always(1), "screen")
    assert search._bench.met == 4  # the screen


class Stopping(Silent):
    """Stops where suspects have begun to meet."""

    meeting = False

    def stage(self, name, detail=""):
        self.meeting = self.meeting or "alike" in detail

    def bar(self, done, total):
        if self.meeting:
            raise Cancelled("stopped")


def test_a_stop_is_heard_while_suspects_meet():
    search = trials(RPS, [CYCLE], monitor=Stopping())
    with pytest.raises(Cancelled):
        search.evaluate(late(80), "screen")


def test_suspects_meet_the_support_of_both_mixtures_up_to_a_limit():
    population = [entry(always(place), f"n{place}") for place in range(40)]
    target, sigma = np.zeros(40), np.zeros(40)
    target[:2], sigma[1:4] = 0.5, 1 / 3
    chosen = choose_opponents(population, target, np.random.default_rng(0), sigma)
    assert [one.name for one in (*chosen.entries, *chosen.others)] == ["n0", "n1", "n2", "n3"]
    even = choose_opponents(population, np.full(40, 1 / 40), np.random.default_rng(0))
    names = [one.name for one in (*even.entries, *even.others)]
    assert len(set(names)) == len(names) == MAX_SUPPORT
