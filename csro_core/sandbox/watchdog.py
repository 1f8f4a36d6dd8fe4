"""Deadlines of jailed processes, and their memory where the kernel does not limit it to one episode's.

They belong to the host and count CPU time. A process that is stopped, or that a busy machine does not let run, is
waited for; one that sleeps instead of answering is not.
"""

import threading
import time
from dataclasses import dataclass
from typing import Protocol

from csro_core.sandbox.protocol import too_much_memory

TICK_SECONDS = 0.02
DUMP_SECONDS = 1.0
"""Longest time between the request for a traceback (SIGUSR1) and the end (SIGKILL)."""
DUMP_SECONDS_MEMORY = 0.05
"""The same where memory grows: a second more could fill the machine."""
WALL_FACTOR = 10.0
"""A question is given up after the process has rested for this many allowances ..."""
WALL_FLOOR_SECONDS = 30.0
"""... but not before this."""
MATCH_WALL_FACTOR = 10.0
MATCH_WALL_FLOOR_SECONDS = 600.0
"""A match ends after so many of its CPU budgets on the wall, and not before the floor, with the process that rests
then: one that sleeps a little before each answer is never late for one of them."""
WALL_FACTOR_WITHOUT_CLOCK = 4.0
"""Where the system does not tell the CPU time of another process, the wall decides earlier."""
MEMORY_TICKS = 5
"""Where the kernel limits the memory of the process, that of one episode is looked at once in so many ticks."""
_LONG_QUESTION_SECONDS = 0.1
"""Nobody looks whether a process rests before a question is so old."""
_LONGEST_REST_SECONDS = 1.0
"""Most that counts as rest between two looks: the host itself may have been stopped meanwhile."""


class Watched(Protocol):
    """What the watchdog sees of a player."""

    question: int
    waiting: bool
    allowance: float
    allowance_text: str
    cpu_budget: float
    wall_deadline: float
    memory_bytes: int
    room_bytes: int
    watch_memory: bool

    def cpu_seconds(self) -> float | None:
        """Returns the CPU time used so far; None where the system does not tell."""
        ...

    def memory_used(self) -> int | None:
        """Returns what counts against `memory_bytes`; None where the system does not tell."""
        ...

    def is_resting(self) -> bool:
        """Returns True where the process waits for something, and neither for a processor nor to be continued."""
        ...

    def has_answered(self) -> bool:
        """Returns True where an answer lies in the channel and the host has not read it yet."""
        ...

    def interrupt(self, status: str, message: str) -> None:
        """Notes the verdict, "timeout" or "memory", and asks the process for a traceback."""
        ...

    def kill(self) -> None:
        """Ends the process."""
        ...


@dataclass
class _Mark:
    """What was seen of a question.

    Attributes:
        question: its number.
        wall: when it was first seen.
        cpu: the CPU time of the process then.
        deadline: when a process with its verdict is killed.
        seen: when it was last looked at.
        seen_cpu: the CPU time then.
        rested: for how long the process has rested in one piece, as far as anybody looked.
    """

    question: int
    wall: float
    cpu: float | None
    deadline: float | None = None
    seen: float = 0.0
    seen_cpu: float | None = None
    rested: float = 0.0

    def __post_init__(self) -> None:
        """The first look is the last one so far."""
        self.seen, self.seen_cpu = self.wall, self.cpu

    def look(self, player: Watched, now: float, cpu: float | None) -> None:
        """Notes whether the process has rested since the last look."""
        if now - self.wall > _LONG_QUESTION_SECONDS:
            still = cpu == self.seen_cpu and player.is_resting()
            # Without a clock nobody knows whether it works; only a stopped one certainly does not.
            self.rested = self.rested + min(now - self.seen, _LONGEST_REST_SECONDS) if still else 0.0
        self.seen, self.seen_cpu = now, cpu


class Watchdog:
    """One thread that watches all players of a host. Asking a question costs a player three attribute stores."""

    def __init__(self) -> None:
        """Starts the thread."""
        self._lock = threading.Lock()
        self._marks: dict[Watched, _Mark | None] = {}
        self._closed = threading.Event()
        self._ticks = 0
        self._thread = threading.Thread(target=self._run, name="policy-watchdog", daemon=True)
        self._thread.start()

    def add(self, player: Watched) -> None:
        """Watches a player."""
        with self._lock:
            self._marks[player] = None

    def remove(self, player: Watched) -> None:
        """Stops watching a player."""
        with self._lock:
            self._marks.pop(player, None)

    def close(self) -> None:
        """Ends the thread. Idempotent."""
        self._closed.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closed.wait(TICK_SECONDS):
            self._ticks += 1
            with self._lock:
                watched = list(self._marks.items())
            for player, mark in watched:
                newer = self._look(player, mark)
                if newer is not mark:
                    with self._lock:
                        if player in self._marks:
                            self._marks[player] = newer

    def _look(self, player: Watched, mark: _Mark | None) -> _Mark | None:
        """Returns the mark to keep after a look at one player."""
        now = time.monotonic()
        if mark is not None and mark.deadline is not None:
            if now > mark.deadline:
                player.kill()
            return mark
        if player.watch_memory and self._has_too_much(player):
            # Between two questions too: one that grows a little with each answer may never be seen while it works.
            player.interrupt("memory", too_much_memory(player.memory_bytes))
            return _Mark(player.question, now, None, now + DUMP_SECONDS_MEMORY)
        if not player.waiting:
            return mark
        if mark is None or mark.question != player.question:
            return _Mark(player.question, now, player.cpu_seconds())
        verdict = _verdict(player, mark, now)
        if verdict:
            player.interrupt("timeout", verdict)
            mark.deadline = now + DUMP_SECONDS
        return mark

    def _has_too_much(self, player: Watched) -> bool:
        if player.room_bytes and self._ticks % MEMORY_TICKS:
            return False
        return (player.memory_used() or 0) > player.memory_bytes


def _verdict(player: Watched, mark: _Mark, now: float) -> str:
    """Returns why a player is to be stopped, "" where it may go on."""
    cpu = player.cpu_seconds()
    mark.look(player, now, cpu)
    verdict = ""
    if cpu is not None and mark.cpu is not None:
        if cpu - mark.cpu > player.allowance:
            verdict = player.allowance_text
        elif cpu > player.cpu_budget:
            return f"used more than {player.cpu_budget:g} s of CPU time in this match"
        patience = max(WALL_FACTOR * player.allowance, WALL_FLOOR_SECONDS)
    else:
        patience = WALL_FACTOR_WITHOUT_CLOCK * player.allowance
    if not verdict and mark.rested > _LONG_QUESTION_SECONDS:
        if now > player.wall_deadline:
            verdict = "let the match wait for too long"
        elif mark.rested > patience:
            verdict = f"did not answer for more than {patience:g} s{', and did nothing' if cpu is not None else ''}"
    # An answer that waits for a slow host is not late; so of two players the one that let the other wait is to blame.
    return verdict if verdict and not player.has_answered() else ""
