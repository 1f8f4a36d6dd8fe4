"""What jailed processes have compiled, so that the next process of the same text need not do it again.

A jailed process compiles a text before anything of it runs, and hands the byte code to the host, which keeps it as
opaque bytes and gives it to later processes of the very same text. The host never looks inside. Whoever broke the
parser could at most change what the processes of its own text run, and those it has already.
"""

import threading
from dataclasses import dataclass

MAX_KEPT_BYTES = 32 << 20
"""Memory for byte code and its texts; the oldest go first."""


@dataclass(frozen=True)
class Compiled:
    """An accepted text as a jailed process left it.

    Attributes:
        code: byte code, marshalled; for jailed processes only.
        act_line: line of the method `act`.
        random: True where the policy may draw random numbers.
    """

    code: bytes
    act_line: int
    random: bool


class KnownCodes:
    """Byte code by text. Safe to use from several threads."""

    def __init__(self, most_bytes: int = MAX_KEPT_BYTES) -> None:
        """Starts empty, to keep at most so many bytes."""
        self._most = most_bytes
        self._size = 0
        self._lock = threading.Lock()
        self._kept: dict[str, Compiled] = {}

    def get(self, text: str) -> Compiled | None:
        """Returns what a text was compiled to; None where nobody has compiled it, or it was dropped."""
        with self._lock:
            found = self._kept.pop(text, None)
            if found is not None:
                # The last one used goes to the end; the first one is dropped first.
                self._kept[text] = found
            return found

    def put(self, text: str, compiled: Compiled) -> None:
        """Keeps what a text was compiled to."""
        with self._lock:
            if text in self._kept:
                return
            self._kept[text] = compiled
            self._size += _size(text, compiled)
            while self._size > self._most:
                oldest = next(iter(self._kept))
                self._size -= _size(oldest, self._kept.pop(oldest))


def _size(text: str, compiled: Compiled) -> int:
    return len(text) + len(compiled.code)
