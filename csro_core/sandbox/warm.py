"""Processes that are forked, shut in and greeted before anybody asks for them."""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from csro_core.errors import CsroError
from csro_core.sandbox.player import Player

IDLE_SECONDS = 5.0
"""Nobody has asked for so long: the processes that wait are ended."""
RETRY_SECONDS = 1.0
"""Pause after a process could not be made; whoever needs one meanwhile makes it and is told why not."""

Limits: TypeAlias = tuple[int, int]
"""Bytes of memory and seconds of CPU time; both are set for good before a process is greeted."""


@dataclass
class _Shelf:
    """The processes with one pair of limits.

    Attributes:
        ready: the oldest first.
        asked: how often somebody has asked since it was idle.
        last: when somebody asked last.
    """

    ready: deque[Player] = field(default_factory=deque)
    asked: int = 0
    last: float = 0.0


class WarmPool:
    """Keeps some processes ready, made by a thread of its own. Each is given out once, for one policy.

    Nothing is made before somebody asks; there are never more ready than were asked for lately, nor more than `most`.
    """

    def __init__(self, make: Callable[[Limits], Player], discard: Callable[[Player], None], most: int) -> None:
        """Makes nothing yet.

        Args:
            make: returns a fresh, greeted process. Raises `CsroError`.
            discard: ends one.
            most: processes that are kept ready, >= 0.
        """
        self._make = make
        self._discard = discard
        self._most = most
        self._shelves: dict[Limits, _Shelf] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._paused_until = 0.0
        self._closed = False

    @property
    def ready(self) -> int:
        """Processes that wait now."""
        with self._changed:
            return self._count()

    def take(self, limits: Limits) -> Player | None:
        """Returns a process that lives and has not been used, None where there is none; more will be made."""
        while True:
            with self._changed:
                player = self._pop(limits)
            if player is None or not player.is_over():
                break
            # The zygote died, or somebody killed it: no policy has been in it.
            self._discard(player)
        with self._changed:
            if self._most and not self._closed:
                shelf = self._shelves.setdefault(limits, _Shelf())
                shelf.asked += 1
                shelf.last = time.monotonic()
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="policy-warmer", daemon=True)
                    self._thread.start()
                self._changed.notify()
        return player

    def drop(self) -> None:
        """Ends all that are ready; new ones are made on demand."""
        with self._changed:
            dropped = [player for shelf in self._shelves.values() for player in shelf.ready]
            self._shelves.clear()
        for player in dropped:
            self._discard(player)

    def close(self) -> None:
        """Ends the thread and all that are ready. Idempotent."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()
        self.drop()

    def _pop(self, limits: Limits) -> Player | None:
        shelf = self._shelves.get(limits)
        return shelf.ready.popleft() if shelf is not None and shelf.ready else None

    def _count(self) -> int:
        return sum(len(shelf.ready) for shelf in self._shelves.values())

    def _share(self) -> int:
        return max(1, self._most // len(self._shelves))

    def _surplus(self) -> list[Player]:
        """Returns what some limits have beyond their share while others have none, and takes it off their shelves."""
        if self._count() < self._most or all(shelf.ready for shelf in self._shelves.values()):
            return []
        share = self._share()
        return [shelf.ready.popleft() for shelf in self._shelves.values() if len(shelf.ready) > share]

    def _run(self) -> None:
        while True:
            with self._changed:
                if self._closed:
                    return
                now = time.monotonic()
                idle = [limits for limits, shelf in self._shelves.items() if now - shelf.last > IDLE_SECONDS]
                over = [player for limits in idle for player in self._shelves.pop(limits).ready] + self._surplus()
                wanted = self._wanted(now)
                if wanted is None and not over:
                    self._changed.wait(IDLE_SECONDS / 5 if self._shelves else None)
                    continue
            for player in over:
                self._discard(player)
            if wanted is not None:
                self._add(wanted)

    def _wanted(self, now: float) -> Limits | None:
        """Returns the limits that lack a process most, None where enough are ready."""
        if now < self._paused_until or not self._shelves or self._count() >= self._most:
            return None
        share = self._share()
        lacking = {limits: min(share, shelf.asked) - len(shelf.ready) for limits, shelf in self._shelves.items()}
        most = max(lacking, key=lambda limits: lacking[limits])
        return most if lacking[most] > 0 else None

    def _add(self, limits: Limits) -> None:
        try:
            player = self._make(limits)
        except CsroError:
            # Whoever asks next makes one without us, and gets the error.
            with self._changed:
                self._paused_until = time.monotonic() + RETRY_SECONDS
            return
        with self._changed:
            shelf = self._shelves.get(limits)
            kept = shelf is not None and not self._closed
            if shelf is not None and kept:
                shelf.ready.append(player)
        if not kept:
            self._discard(player)
