"""Limits are one episode's: how many are played at once changes no score, no forfeit and no blame."""

import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from toy_games import NIM, make_toy_game

from csro_core.games.base import GameSpec
from csro_core.matches.jobs import Limits, MatchJob
from csro_core.matches.referee import play_match
from csro_core.matches.sides import Spawn
from csro_core.matches.widths import Crowded, Widths, least_room
from csro_core.sandbox import usage, watchdog

RPS = GameSpec("repeated_rps", {"num_throws": 16})
LIMITS = Limits(load_seconds=0.15, act_seconds=0.1)
WIDTHS = (1, 4, 64)
ATTACKS = Path(__file__).resolve().parents[1] / "attacks"
HONEST = "import random\nclass Policy:\n    def act(self, obs):\n        return random.randrange(3)\n"


def policy(*lines, chosen="random.random() < 0.4", init="pass"):
    """Returns a policy that does something at throw 5 of the episodes that its own dice choose."""
    body = "".join(f"            {line}\n" for line in lines)
    return (
        f"import random, itertools\nclass Policy:\n    def __init__(self):\n        self.chosen = {chosen}\n"
        f"        {init}\n    def act(self, obs):\n        if self.chosen and obs['throw'] == 5:\n{body}"
        "        return random.randrange(3)\n"
    )


def burning(seconds):
    """Returns a line that takes about so much CPU time here."""
    began = time.process_time()
    sum(range(1_000_000))
    million = time.process_time() - began
    return f"sum(range({int(seconds / million * 1_000_000)}))"


# Zeros that nobody writes: the kernel gives no page for them.
UNTOUCHED = policy("self.kept = bytes(300 << 20)")
CAUGHT = policy(
    "blocks = []",
    "try:",
    "    while True: blocks.append(bytes(40 << 20))",
    "except MemoryError: pass",
    "return len(blocks) % 3",
    chosen="True",
)
HUGE_AND_CAUGHT = policy("try: [0] * 10**10", "except MemoryError: return 1")
CRASHING = policy(
    "stack = iter([0])", "for _ in range(10**6): stack = itertools.chain(stack, ())", "next(stack)", "list(stack)"
)
LOOPING = policy("while True: pass")
LOOPING_AT_FIRST = policy("pass", init="while self.chosen: pass")
TOGETHER_TOO_LARGE = policy("self.kept = bytes(100 << 20)", "return 2", chosen="True")
FAILING_LATER = policy("raise ValueError(obs['throw'])")


def lives(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class Table:
    """Plays jobs at some width, and remembers the processes."""

    def __init__(self, host):
        self.host = host
        self.players = []

    def play(self, job, width=64, widths=None):
        self.players = []
        try:
            return play_match(make_toy_game(job.game), job, Spawn(self.start, widths or Widths(most=width)))
        finally:
            self.living = sum(lives(player.pid) for player in self.players)
            for player in self.players:
                self.host.release(player)

    def start(self, memory_bytes, cpu_seconds):
        self.players.append(self.host.spawn(memory_bytes, cpu_seconds))
        return self.players[-1]

    def everywhere(self, job, widths=WIDTHS):
        """Returns the result of a job, which is the same at every width."""
        results = [self.play(job, width) for width in widths]
        for other in results[1:]:
            assert np.array_equal(results[0].returns, other.returns)
            assert np.array_equal(results[0].forfeits, other.forfeits)
            assert results[0].failures == other.failures
            assert results[0].moves == other.moves
        return results[0]


@pytest.fixture(scope="module")
def table(pool):
    return Table(pool.host)


def job_of(first, second=HONEST, episodes=6, game=RPS, limits=LIMITS):
    seats = tuple(episode % 2 for episode in range(episodes))
    return MatchJob(game, (first, second), seats, tuple(range(40, 40 + episodes)), limits, keep_moves=True)


@pytest.mark.parametrize(
    ("text", "statuses"),
    [
        (UNTOUCHED, {"memory"}),
        (LOOPING, {"timeout"}),
        (CRASHING, {"crashed", "timeout"}),
        (LOOPING_AT_FIRST, {"timeout"}),
        (FAILING_LATER, {"exception"}),
    ],
    ids=["300 MB untouched", "a loop", "a crash", "a loop in __init__", "an exception"],
)
def test_an_episode_is_blamed_alone(table, text, statuses):
    result = table.everywhere(job_of(HONEST, text))
    assert 0 < result.forfeits[:, 1].sum() < 6
    assert not result.forfeits[:, 0].any()
    assert [one.episode for one in result.failures] == np.flatnonzero(result.forfeits[:, 1]).tolist()
    assert {one.status for one in result.failures} <= statuses
    assert all(f"(episode {one.episode}, step {one.step})" in one.message for one in result.failures)


@pytest.mark.parametrize("text", [CAUGHT, HUGE_AND_CAUGHT, TOGETHER_TOO_LARGE], ids=["grown", "at once", "together"])
def test_memory_that_one_episode_may_use_is_there_for_each(table, text):
    result = table.everywhere(job_of(text))
    assert result.failures == ()
    assert not result.forfeits.any()


def test_cpu_time_that_one_act_may_use_is_there_for_each(table):
    result = table.everywhere(job_of(policy(burning(0.04), chosen="True")))
    assert result.failures == ()


def test_an_act_that_is_too_long_is_blamed_wherever_it_is_played(table):
    result = table.everywhere(job_of(policy(burning(0.5))))
    assert {one.status for one in result.failures} == {"timeout"}
    assert 0 < result.forfeits[:, 0].sum() < 6
    assert all("act() used more than 0.1 s of CPU time in one answer" in one.message for one in result.failures)


def test_episodes_do_not_share_the_cpu_time_of_a_match(table):
    limits = replace(LIMITS, match_seconds=0.15, act_seconds=10.0)
    job = job_of(policy(burning(0.1), chosen="True"), episodes=4, limits=limits)
    assert table.everywhere(job, (1, 64)).failures == ()


def test_episodes_say_nothing_to_each_other_through_memory(table):
    """The sender takes much of it or nothing by its own dice; the others find out how much is left."""
    attack = (ATTACKS / "attack_memory_channel.py").read_text(encoding="utf-8")
    table.everywhere(job_of(attack, episodes=4), (1, 64))


def test_a_policy_that_loops_for_ever_costs_a_few_limits_only(table):
    result = table.everywhere(job_of(policy("while True: pass", chosen="True"), episodes=12))
    assert result.forfeits.tolist() == [[True, False]] * 12
    assert [one.episode for one in result.failures] == [0, 1, 2, 3, 4]
    assert result.failures[4].status == "timeout"
    assert "4 times in a row, and the next 8 are forfeited unplayed" in result.failures[4].message
    # One pair at 64, one at 8, four at 1; the rest needs the other one's process only.
    assert len(table.players) <= 13
    assert table.living <= 2


def test_both_forfeit_what_both_would_have_lost(table):
    loop = policy("while True: pass", chosen="True")
    result = table.everywhere(job_of(loop, loop, episodes=7), (1, 64))
    assert result.forfeits.all()
    assert [(one.policy, one.episode) for one in result.failures] == [(p, e) for p in (0, 1) for e in range(5)]
    # One dies and one raises at the same throw: neither wins what is left unplayed.
    result = table.everywhere(job_of(loop, policy("raise ValueError('x')", chosen="True"), episodes=7), (1, 64))
    assert result.forfeits.all()
    assert result.failures[-1].status == "exception"


def test_the_other_one_plays_on_in_a_game_of_turns(table):
    dying = "class Policy:\n    def act(self, obs):\n        while len(obs['taken']) >= 2: pass\n        return 1\n"
    perfect = "class Policy:\n    def act(self, obs):\n        return obs['stones'] % 3 or 1\n"
    result = table.everywhere(job_of(perfect, dying, episodes=6, game=NIM), (1, 64))
    assert result.forfeits.tolist() == [[False, True]] * 6
    wrong = "class Policy:\n    def act(self, obs):\n        return obs['stones']\n"
    result = table.everywhere(job_of(wrong, dying, episodes=8, game=NIM), (1, 64))
    assert result.forfeits[4:].any(axis=0).all()


def test_what_is_known_of_a_text_changes_nothing(table):
    widths = Widths()
    job = job_of(TOGETHER_TOO_LARGE, episodes=10)
    first = table.play(job, widths=widths)
    played, again = len(table.players), table.play(job, widths=widths)
    assert widths.start(job.sources, LIMITS.memory_bytes) == 1
    assert len(table.players) < played
    assert (first.moves, first.failures) == (again.moves, again.failures)


def test_processes_that_are_stopped_are_waited_for(table, monkeypatch):
    expected = table.play(job_of(HONEST))
    monkeypatch.setattr(watchdog, "WALL_FLOOR_SECONDS", 0.2)
    monkeypatch.setattr(watchdog, "WALL_FACTOR", 0.1)
    start = table.start

    def stopped(memory_bytes, cpu_seconds):
        player = start(memory_bytes, cpu_seconds)
        os.kill(player.pid, signal.SIGSTOP)
        threading.Timer(1.0, os.kill, (player.pid, signal.SIGCONT)).start()
        return player

    monkeypatch.setattr(table, "start", stopped)
    for width in (1, 64):
        began = time.monotonic()
        found = table.play(job_of(HONEST, episodes=6 if width > 1 else 1), width)
        assert time.monotonic() - began > 0.9
        assert found.failures == ()
        assert found.moves == expected.moves[: len(found.moves)]


@pytest.mark.parametrize("hidden", ["peak_address_bytes", "room"])
def test_where_nobody_tells_there_is_one_episode_in_a_process(table, monkeypatch, hidden):
    widths = Widths()
    if hidden == "room":
        widths.room_bytes = 300 << 20
    else:
        monkeypatch.setattr(usage, hidden, lambda pid: None)
    result = table.play(job_of(UNTOUCHED), widths=widths)
    assert 0 < result.forfeits[:, 0].sum() < 6
    assert widths.start((HONEST,), LIMITS.memory_bytes) == 1


def test_widths_narrow_in_two_steps_and_are_known_by_text():
    widths = Widths()
    assert widths.start(("a", "b"), 256 << 20) == 64
    assert widths.narrower(Crowded(1, ""), ("a", "b"), 64, last=False) == 8
    assert (widths.start(("a",), 256 << 20), widths.start(("b", "c"), 256 << 20)) == (64, 8)
    assert widths.narrower(Crowded(0, ""), ("b", "c"), 8, last=True) == 1
    assert widths.start(("b",), 256 << 20) == 1
    assert widths.narrower(Crowded(0, "", hopeless=True), ("d", "c"), 64, last=False) == 1
    assert widths.start(("e",), 256 << 20) == 1


@pytest.mark.parametrize(
    ("gigabytes", "workers", "megabytes"), [(64, 4, 2048), (8, 4, 576), (4, 4, 0), (4, 2, 576), (12, 4, 768)]
)
def test_the_room_is_bounded_by_the_machine(monkeypatch, gigabytes, workers, megabytes):
    monkeypatch.setattr(usage, "machine_bytes", lambda: gigabytes << 30)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert Widths(workers).room_bytes == megabytes << 20
    # It is enough for what one episode may use and one allocation that is refused alone, or it is not used.
    assert not megabytes or megabytes << 20 >= least_room(256 << 20)


def test_a_probe_of_a_narrow_text_plays_its_own_episodes(table):
    """Four episodes are loaded first, and four others are played to see whether a deterministic pair plays alike."""
    first = "class Policy:\n    def act(self, obs):\n        return obs['player']\n"
    second = "class Policy:\n    def act(self, obs):\n        return 2\n"
    job = MatchJob(RPS, (first, second), (0,) * 4 + (1,) * 4, tuple(range(8)), LIMITS, keep_moves=True)
    narrow, wide = table.play(job, 4), table.play(job, 64)
    assert narrow.deterministic
    assert narrow.returns.tolist() == wide.returns.tolist() == [[16.0, -16.0]] * 4 + [[-16.0, 16.0]] * 4
