"""What the child process of `roshambo` runs: bots of OpenSpiel in some matches, stepped in lockstep.

Reads one JSON line [number of throws, names, seeds, seats] from standard input. Then, throw by throw, it writes one
byte a match, the throws of the bots, and reads one byte a match, the throws of their opponents; 255 where a match is
over. Imports OpenSpiel and the standard library only, so that it starts fast.
"""

import ctypes
import json
import sys
from collections.abc import Sequence
from typing import Any

import pyspiel

OVER = 255
_STATE_BYTES = 128


class BotPanel:
    """Fresh bots in one seat of each of some matches.

    The bots draw from the C library's `random()`, one stream for the whole process; here every match has its own, so
    that its course does not depend on the others of the panel.
    """

    def __init__(self, num_throws: int, names: Sequence[str], seeds: Sequence[int], seats: Sequence[int]) -> None:
        """Makes the bots.

        Args:
            num_throws: length of a match; a longer one would make some bots write past their tables.
            names: `[E]` the bot of each match.
            seeds: `[E]` seed of its random numbers.
            seats: `[E]` its seat, 0 or 1.
        """
        libc = ctypes.PyDLL(None)
        self._setstate = libc.setstate
        self._setstate.restype = ctypes.c_void_p
        self._setstate.argtypes = [ctypes.c_void_p]
        libc.initstate.restype = ctypes.c_void_p
        libc.initstate.argtypes = [ctypes.c_uint, ctypes.c_void_p, ctypes.c_size_t]
        game = pyspiel.create_repeated_game("matrix_rps", {"num_repetitions": num_throws, "recall": 1})
        self._streams = [ctypes.create_string_buffer(_STATE_BYTES) for _ in names]
        self._matches: list[tuple[int, int, Any, Any]] = []
        self._throws = bytearray([OVER]) * len(names)
        self._seats = list(seats)
        for number, (name, seed, seat) in enumerate(zip(names, seeds, seats, strict=True)):
            stream = ctypes.addressof(self._streams[number])
            libc.initstate(seed & 0xFFFFFFFF, stream, _STATE_BYTES)
            bot = pyspiel.make_roshambo_bot(seat, name, num_throws)
            self._matches.append((number, stream, bot, game.new_initial_state()))

    def answer(self) -> bytes:
        """Returns `[E]` throws of the bots, 255 where the match is over. Each bot is stepped once a throw."""
        for number, stream, bot, state in self._matches:
            self._setstate(stream)
            self._throws[number] = bot.step(state)
        return bytes(self._throws)

    def tell(self, news: bytes) -> None:
        """Plays a throw in every match: `[E]` throws of the opponents, 255 where the match is over."""
        for number, _, _, state in self._matches:
            if news[number] != OVER:
                joint = [news[number], self._throws[number]]
                state.apply_actions(joint[::-1] if self._seats[number] == 0 else joint)
            else:
                self._throws[number] = OVER
        if OVER in news:
            self._matches = [match for match in self._matches if news[match[0]] != OVER]


def main() -> None:
    """Plays until the last throw, or until nobody listens any more."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    num_throws, names, seeds, seats = json.loads(source.readline())
    panel = BotPanel(num_throws, names, seeds, seats)
    for throw in range(num_throws):
        target.write(panel.answer())
        target.flush()
        if throw + 1 == num_throws:
            break
        news = source.read(len(names))
        if len(news) < len(names):
            break
        panel.tell(news)


if __name__ == "__main__":
    main()
