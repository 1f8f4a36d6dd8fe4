"""Deadlines of jailed processes, and their memory where the kernel does not limit it.

They belong to the host and count CPU time: a busy machine forfeits nobody.
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
"""A question is given up after this many allowances on the wall, whatever the CPU clock says ..."""
WALL_FLOOR_SECONDS = 30.0
"""... but not before this: a starved process may get no CPU for a while through no fault of its own."""
MATCH_WALL_FACTOR = 10.0
MATCH_WALL_FLOOR_SECONDS = 600.0
"""A match ends after so many of its CPU budgets on the wall, and not before the floor: a process that sleeps a little
before each answer is never late for one of them."""
WALL_FACTOR_WITHOUT_CLOCK = 4.0
"""Where the system does not tell the CPU time of another process, the wall decides earlier."""


class Watched(Protocol):
    """What the watchdog sees of a player."""

    question: int
    waiting: bool
    allowance: float
    allowance_text: str
    cpu_budget: float
    wall_deadline: float
    memory_bytes: int
    watch_memory: bool

    def cpu_seconds(self) -> float | None:
        """Returns the CPU time used so far; None where the system does not tell."""
        ...

    def resident_bytes(self) -> int | None:
        """Returns the resident memory; None where the system does not tell."""
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
    """When a question was first seen, and the CPU time then; `deadline`: when a process with its verdict is killed."""

    question: int
    wall: float
    cpu: float | None
    deadline: float | None = None


class Watchdog:
    """One thread that watches all players of a host. Asking a question costs a player three attribute stores."""

    def __init__(self) -> None:
        """Starts the thread."""
        self._lock = threading.Lock()
        self._marks: dict[Watched, _Mark | None] = {}
        self._closed = threading.Event()
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
        if player.watch_memory and (player.resident_bytes() or 0) > player.memory_bytes:
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


def _verdict(player: Watched, mark: _Mark, now: float) -> str:
    """Returns why a player is to be stopped, "" where it may go on."""
    wall = now - mark.wall
    allowance = player.allowance
    cpu = player.cpu_seconds()
    verdict = player.allowance_text
    if now > player.wall_deadline:
        late = True
        verdict = "let the match wait for too long"
    elif cpu is None or mark.cpu is None:
        late = wall > WALL_FACTOR_WITHOUT_CLOCK * allowance
    elif cpu - mark.cpu > allowance:
        late = True
    elif cpu > player.cpu_budget:
        return f"used more than {player.cpu_budget:g} s of CPU time in this match"
    else:
        late = wall > max(WALL_FACTOR * allowance, WALL_FLOOR_SECONDS)
    # An answer that waits for a slow host is not late; so of two players the one that let the other wait is to blame.
    return verdict if late and not player.has_answered() else ""
