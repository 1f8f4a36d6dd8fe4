"""The bots of the First International RoShamBo Programming Competition, as OpenSpiel ships them.

They are an evaluation population: no policy ever meets them in training. Their C++ can abort the process it runs in (a
match longer than a bot was told, or some shorter ones, corrupt memory), so they play in one of their own. Source:
`open_spiel/bots/roshambo` and Lanctot et al., "Population-based evaluation in repeated rock-paper-scissors as a
benchmark for multiagent reinforcement learning", TMLR 2023.
"""

import json
import subprocess  # noqa: TID251 - no policy runs in it
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, cast

from csro_core.errors import CsroError, UsageError

try:
    import pyspiel
except ImportError:  # No wheel on this platform (requirements.txt says where); everything else works without it.
    pyspiel = None

NUM_THROWS = 1_000
"""Length of a match. Other lengths are not offered: some bots write past their tables when a match is longer than they
were told, and one corrupts memory in matches shorter than 1,000 throws."""

SECONDS = 600.0
"""Wall time after which a process of bots is ended: 40 matches of the slowest one take 2 s on an idle machine."""

_CHILD = Path(__file__).with_name("roshambo_child.py")


def bot_names() -> tuple[str, ...]:
    """Returns the names of the 43 bots, sorted.

    Raises:
        UsageError: this system has no OpenSpiel, or one without the bots.
    """
    if pyspiel is None or not hasattr(pyspiel, "roshambo_bot_names"):
        raise UsageError(
            "the benchmark needs OpenSpiel with its RoShamBo bots, which this system has not (its wheel for Windows "
            "lacks them); install open-spiel on Linux or on a Mac with Apple silicon"
        )
    return tuple(sorted(pyspiel.roshambo_bot_names()))


def check_bots(names: Sequence[str]) -> None:
    """Checks that there are such bots.

    Raises:
        UsageError: there are none of these names, or no bots at all on this system.
    """
    known = bot_names()
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise UsageError(f"unknown bots {', '.join(unknown)}; known bots: {', '.join(known)}")


class BotProcess:
    """Fresh bots in one seat of each of some matches, in their own process: one end of a stage (`lockstep.Channel`).

    The course of a match depends on its bot, seed and seat only, not on the others of the process.
    """

    def __init__(self, names: Sequence[str], seeds: Sequence[int], seats: Sequence[int]) -> None:
        """Starts the process.

        Args:
            names: `[E]` the bot of each match.
            seeds: `[E]` seed of its random numbers.
            seats: `[E]` its seat, 0 or 1.

        Raises:
            UsageError: there is no such bot, or no OpenSpiel.
        """
        check_bots(names)
        self._names = tuple(dict.fromkeys(names))
        self._count = len(names)
        self._process = subprocess.Popen(
            # -P: the folder of the script is no place to import from.
            [sys.executable, "-P", str(_CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._out = cast(IO[bytes], self._process.stdout)
        self._watchdog = threading.Timer(SECONDS, self._process.kill)
        self._watchdog.daemon = True
        self._watchdog.start()
        asked = [NUM_THROWS, list(names), list(seeds), list(seats)]
        self._send(json.dumps(asked).encode() + b"\n", 0)

    def answer(self, step: int) -> bytes:
        """Returns `[E]` throws of the bots, 255 where the match is over.

        Raises:
            CsroError: the process has died.
        """
        throws = self._out.read(self._count)
        if len(throws) < self._count:
            raise self._died(step)
        return throws

    def tell(self, news: bytes, step: int) -> None:
        """Sends `[E]` throws of the opponents, 255 where the match is over.

        Raises:
            CsroError: the process has died.
        """
        self._send(news, step)

    def close(self) -> None:
        """Ends the process. Idempotent."""
        self._watchdog.cancel()
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                # What could not be sent any more is of no interest.
                with suppress(OSError):
                    pipe.close()

    def _send(self, data: bytes, step: int) -> None:
        pipe = cast(IO[bytes], self._process.stdin)
        try:
            pipe.write(data)
            pipe.flush()
        except OSError as error:
            raise self._died(step) from error

    def _died(self, step: int) -> CsroError:
        code = self._process.wait()
        self.close()
        return CsroError(
            f"the process of the bots {', '.join(self._names)} must live through its matches; it ended at throw {step} "
            f"({f'signal {-code}' if code < 0 else f'exit code {code}'})"
        )
