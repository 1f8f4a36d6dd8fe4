import pytest

from csro_core.evaluation.bench import Bench
from csro_core.evaluation.identity import (
    MOST_EPISODES,
    ONE_STEP_EPISODES,
    Meetings,
    first_difference,
    meeting_episodes,
)
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.progress import Silent
from csro_core.seeds import Seed, run_secret
from tests.metagame.fake_executor import CYCLE, FakeExecutor, MemoryCells, always, entry


@pytest.mark.parametrize(
    ("logs", "others", "act"),
    [
        ([b"\0\1\1\1"], [b"\0\1\2\1"], 2),
        ([b"\0\1\0\1", b"\1\1\0\1"], [b"\0\1\1\1", b"\0\1\0\1"], 1),  # the least over the episodes
        ([b"\0\xff\xff\1\0\xff"], [b"\0\xff\xff\1\1\xff"], 2),  # players take turns: the opponent's act does not count
        ([b"\0\1\1\1"], [b"\0\2\2\1"], None),  # the opponent did not repeat itself
        ([b"\0\1"], [b"\0\1\1\1"], None),
        ([b"\0\1"], [b"\0\1"], None),
        ([b"\0\2", b"\1\1"], [b"\0\1", b"\2\1"], 1),
    ],
)
def test_the_first_own_act_that_differs(logs, others, act):
    assert first_difference(logs, others) == act


@pytest.mark.parametrize(
    ("spec", "episodes"),
    [
        (GameSpec("repeated_rps"), 2),
        (GameSpec("repeated_rps", {"num_throws": 100}), 20),
        (GameSpec("repeated_rps", {"num_throws": 2}), MOST_EPISODES),
        (GameSpec("matrix"), ONE_STEP_EPISODES),
        (GameSpec("kuhn_poker"), MOST_EPISODES),
    ],
)
def test_short_episodes_are_many(spec, episodes):
    assert meeting_episodes(make_game(spec)) == episodes


class Moody(FakeExecutor):
    """Whoever is called moody plays something else every time it is loaded."""

    def play(self, job):
        if job.sources[1].startswith("# moody"):
            self.turn = getattr(self, "turn", 0) + 1
            changed = job.sources[0], always(self.turn % 3)
            job = type(job)(job.game, changed, job.seats, job.seeds, job.limits, job.keep_moves)
        return super().play(job)


def test_an_opponent_that_does_not_repeat_itself_leaves_it_undecided():
    game = make_game(GameSpec("repeated_rps", {"num_throws": 9}))
    bench = Bench(game, Moody(), MemoryCells(), run_secret(Seed("1"), 1), 4, Silent(), make_game)
    known, moody = entry(CYCLE, "r1"), entry(f"# moody\n{always(0)}", "r2")
    text = entry(CYCLE.replace("last", "latest"), "an earlier attempt")
    verdict = Meetings(bench, 0, 1, [moody]).compare(text, known)
    told = "like r1 on the probe histories; r2 did not repeat its moves, so matches do not tell"
    assert (verdict.same, verdict.message) == (False, told)


def test_many_matches_are_named_in_few_words():
    game = make_game(GameSpec("repeated_rps", {"num_throws": 9}))
    bench = Bench(game, FakeExecutor(), MemoryCells(), run_secret(Seed("1"), 1), 4, Silent(), make_game)
    opponents = [entry(always(place), f"o{place}") for place in range(3)]
    verdict = Meetings(bench, 0, 1, opponents).compare(entry(CYCLE.replace("last", "latest")), entry(CYCLE, "r1"))
    assert verdict.same
    assert verdict.message.endswith("in matches against r1, itself, o0 and 2 more")
