"""Who is stopped, when, and what is said of it."""

from dataclasses import dataclass, field

import pytest

from csro_core.sandbox import watchdog
from csro_core.sandbox.watchdog import (
    DUMP_SECONDS,
    DUMP_SECONDS_MEMORY,
    MATCH_WALL_FLOOR_SECONDS,
    MEMORY_TICKS,
    WALL_FLOOR_SECONDS,
    Watchdog,
)

MB = 1 << 20


@dataclass(eq=False)
class Scripted:
    """A player whose clocks the test turns."""

    question: int = 1
    waiting: bool = True
    allowance: float = 1.0
    allowance_text: str = "act() took too long"
    cpu_budget: float = 10.0
    wall_deadline: float = float("inf")
    memory_bytes: int = 256 * MB
    room_bytes: int = 0
    watch_memory: bool = False
    resting: bool = True
    cpu: float | None = 0.0
    resident: int | None = 10 * MB
    answered: bool = False
    verdicts: list[tuple[str, str]] = field(default_factory=list)
    killed: int = 0

    def cpu_seconds(self):
        return self.cpu

    def memory_used(self):
        return self.resident

    def is_resting(self):
        return self.resting

    def has_answered(self):
        return self.answered

    def interrupt(self, status, message):
        self.verdicts.append((status, message))

    def kill(self):
        self.killed += 1


class Clock:
    now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def look(monkeypatch):
    """Looks at a player after some more seconds, as the thread does every tick."""
    clock = Clock()
    monkeypatch.setattr(watchdog, "time", clock)
    dog = Watchdog()
    dog.close()
    marks = {}

    def after(seconds, player):
        # In looks of at most half a second: nobody knows what a process did between two of them.
        for part in [0.5] * int(seconds / 0.5) + [seconds % 0.5] * (seconds % 0.5 > 0 or not seconds):
            clock.now += part
            marks[id(player)] = dog._look(player, marks.get(id(player)))

    return after


def test_a_process_that_is_starved_or_stopped_forfeits_nothing(look):
    player = Scripted(resting=False, wall_deadline=150.0)
    look(0, player)
    player.cpu = 0.9
    look(10 * MATCH_WALL_FLOOR_SECONDS, player)
    assert player.verdicts == []


def test_a_rest_is_one_piece(look):
    """A process that was stopped, or that ran, in between has not slept for all of the time."""
    player = Scripted()
    look(0, player)
    for _ in range(5):
        look(WALL_FLOOR_SECONDS - 1, player)
        player.resting = False
        look(40, player)
        player.resting = True
        look(WALL_FLOOR_SECONDS - 1, player)
        player.cpu += 0.1
    assert player.verdicts == []


def test_a_host_that_was_stopped_itself_blames_nobody(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(watchdog, "time", clock)
    dog = Watchdog()
    dog.close()
    player = Scripted(wall_deadline=1e9)
    mark = dog._look(player, None)
    for _ in range(20):
        clock.now += 40.0
        mark = dog._look(player, mark)
    assert player.verdicts == []


def test_cpu_time_beyond_the_allowance_is_a_timeout_and_soon_the_end(look):
    player = Scripted()
    look(0, player)
    player.cpu = 1.1
    look(0.3, player)
    assert player.verdicts == [("timeout", "act() took too long")]
    look(DUMP_SECONDS / 2, player)
    assert player.killed == 0
    look(DUMP_SECONDS, player)
    assert player.killed
    assert len(player.verdicts) == 1


def test_a_sleeper_is_stopped_by_the_wall(look):
    player = Scripted()
    look(0, player)
    look(WALL_FLOOR_SECONDS + 1, player)
    # It has used no CPU time, so nobody says that it has.
    assert player.verdicts == [("timeout", "did not answer for more than 30 s, and did nothing")]


def test_every_question_has_its_own_allowance(look):
    player = Scripted()
    look(0, player)
    player.cpu, player.question = 0.9, 2
    look(1, player)
    player.cpu = 1.8
    look(1, player)
    assert player.verdicts == []


def test_the_budget_of_a_match_counts_all_answers(look):
    player = Scripted(cpu_budget=1.5)
    look(0, player)
    player.cpu, player.question = 1.4, 2
    look(1, player)
    player.cpu = 1.6
    look(1, player)
    assert player.verdicts == [("timeout", "used more than 1.5 s of CPU time in this match")]


def test_an_answer_that_waits_for_the_host_is_not_late(look):
    player = Scripted(answered=True)
    look(0, player)
    look(10 * WALL_FLOOR_SECONDS, player)
    assert player.verdicts == []


def test_without_a_clock_the_wall_decides(look):
    player = Scripted(cpu=None)
    look(0, player)
    look(3.9, player)
    assert player.verdicts == []
    look(0.2, player)
    assert player.verdicts == [("timeout", "did not answer for more than 4 s")]


def test_without_a_clock_a_stopped_process_is_waited_for(look):
    player = Scripted(cpu=None, resting=False)
    look(0, player)
    look(40, player)
    assert player.verdicts == []


@pytest.mark.parametrize("waiting", [True, False])
def test_memory_is_watched_where_the_kernel_does_not_limit_it(look, waiting):
    player = Scripted(watch_memory=True, waiting=waiting)
    look(0, player)
    player.resident = 256 * MB
    look(0.02, player)
    assert player.verdicts == []
    player.resident = 257 * MB
    look(0.02, player)
    assert player.verdicts == [("memory", "a policy may use at most 256 MB of memory")]
    look(2 * DUMP_SECONDS_MEMORY, player)
    assert player.killed == 1


def test_the_room_of_many_episodes_is_looked_at_now_and_then(monkeypatch):
    player = Scripted(watch_memory=True, room_bytes=1024 * MB, resident=300 * MB)
    dog = Watchdog()
    dog.close()
    for tick in range(1, MEMORY_TICKS):
        dog._ticks = tick
        dog._look(player, None)
    assert player.verdicts == []
    dog._ticks = MEMORY_TICKS
    dog._look(player, None)
    assert player.verdicts == [("memory", "a policy may use at most 256 MB of memory")]


@pytest.mark.parametrize(("watch", "resident"), [(False, 300 * MB), (True, None)])
def test_memory_that_the_kernel_limits_or_nobody_knows_is_no_reason(look, watch, resident):
    player = Scripted(watch_memory=watch, resident=resident)
    look(0, player)
    look(0.02, player)
    assert player.verdicts == []


def test_a_player_that_is_removed_is_not_looked_at():
    dog = Watchdog()
    player = Scripted(watch_memory=True, resident=300 * MB)
    dog.add(player)
    dog.remove(player)
    dog.close()
    dog.close()
    assert len(player.verdicts) <= 1


def test_a_match_that_takes_too_long_ends_and_who_lets_it_wait_is_to_blame(look):
    sleeper, other = Scripted(wall_deadline=700.0), Scripted(wall_deadline=700.0)
    # A new question every 20 s: none of them is late.
    for _ in range(29):
        look(20, sleeper)
        look(0, other)
        sleeper.question += 1
        other.question += 1
    look(0, sleeper)
    assert sleeper.verdicts == []
    other.answered = True
    for player in (sleeper, other):
        look(25, player)
    assert sleeper.verdicts == [("timeout", "let the match wait for too long")]
    assert other.verdicts == []
