"""The bots of the First International RoShamBo Programming Competition, as OpenSpiel ships them.

They are an evaluation population: no policy ever meets them in training. Source: `open_spiel/bots/roshambo` and
Lanctot et al., "Population-based evaluation in repeated rock-paper-scissors as a benchmark for multiagent
reinforcement learning", TMLR 2023.
"""

import ctypes
import threading
from collections.abc import Sequence
from typing import Any

from csro_core.errors import UsageError

try:
    import pyspiel
except ImportError:  # No wheel on this platform (requirements.txt says where); everything else works without it.
    pyspiel = None

NUM_THROWS = 1_000
"""Length of a match. Other lengths are not offered: some bots write past their tables when a match is longer than they
were told, and one corrupts memory in matches shorter than 1,000 throws."""

_OVER = 255
_STATE_BYTES = 128

# The bots draw from the C library's random(), one stream for the whole process: whoever steps bots holds this.
_C_RANDOM = threading.Lock()


def bot_names() -> tuple[str, ...]:
    """Returns the names of the 43 bots, sorted.

    Raises:
        UsageError: this system has no OpenSpiel, or one without the bots.
    """
    if pyspiel is None or not hasattr(pyspiel, "roshambo_bot_names"):
        raise UsageError(
            "the benchmark needs OpenSpiel with its RoShamBo bots, which this system has not; "
            "install open-spiel on Linux or on a Mac with Apple silicon"
        )
    return tuple(sorted(pyspiel.roshambo_bot_names()))


class BotPanel:
    """Fresh bots in seat 1 of some matches, stepped in lockstep; one end of a stage (`matches.lockstep.Channel`).

    Every match has its own stream of C random numbers, so that its course does not depend on the others of the panel.
    """

    def __init__(self, names: Sequence[str], seeds: Sequence[int]) -> None:
        """Makes the bots.

        Args:
            names: `[E]` the bot of each match.
            seeds: `[E]` seed of its random numbers.

        Raises:
            UsageError: there is no such bot, or no OpenSpiel.
        """
        unknown = sorted(set(names) - set(bot_names()))
        if unknown:
            raise UsageError(f"unknown bots {', '.join(unknown)}; known bots: {', '.join(bot_names())}")
        libc = ctypes.PyDLL(None)
        self._setstate = libc.setstate
        self._setstate.restype = ctypes.c_void_p
        self._setstate.argtypes = [ctypes.c_void_p]
        libc.initstate.restype = ctypes.c_void_p
        libc.initstate.argtypes = [ctypes.c_uint, ctypes.c_void_p, ctypes.c_size_t]
        game = pyspiel.create_repeated_game("matrix_rps", {"num_repetitions": NUM_THROWS, "recall": 1})
        self._streams = [ctypes.create_string_buffer(_STATE_BYTES) for _ in names]
        self._matches: list[tuple[int, int, Any, Any]] = []
        self._throws = bytearray([_OVER]) * len(names)
        with _C_RANDOM:
            for number, (name, seed) in enumerate(zip(names, seeds, strict=True)):
                stream = ctypes.addressof(self._streams[number])
                before = libc.initstate(seed & 0xFFFFFFFF, stream, _STATE_BYTES)
                bot = pyspiel.make_roshambo_bot(1, name)
                self._matches.append((number, stream, bot, game.new_initial_state()))
                self._setstate(before)

    def answer(self, step: int) -> bytes:
        """Returns `[E]` throws of the bots, 255 where the match is over. Each bot is stepped once a throw."""
        with _C_RANDOM:
            before = None
            for number, stream, bot, state in self._matches:
                previous = self._setstate(stream)
                before = before or previous
                self._throws[number] = bot.step(state)
            if before is not None:
                self._setstate(before)
        return bytes(self._throws)

    def tell(self, news: bytes, step: int) -> None:
        """Plays a throw in every match: `[E]` throws of seat 0, 255 where the match is over."""
        for number, _, _, state in self._matches:
            if news[number] != _OVER:
                state.apply_actions([news[number], self._throws[number]])
            else:
                self._throws[number] = _OVER
        if _OVER in news:
            self._matches = [match for match in self._matches if news[match[0]] != _OVER]
