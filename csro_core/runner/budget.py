"""What a run may spend: caps that count calls under way, warnings on the way, and a stop with the reason.

Money and tokens of a call are known when it is over, so a call under way counts as much as the calls so far did on
average, and the next one is made only where it fits beside them. A cap is therefore passed by at most the surprise of
the calls under way.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from csro_core.errors import ModelError, UsageError
from csro_core.store.codec import from_json, with_defaults
from csro_core.store.records import CallRecord, Caps

WARNINGS = (0.5, 0.8)
"""Shares of a cap at which a warning is written."""

MOST_CAP = 1e15

MOST_FAILURES = 5
"""So many failed calls in a row stop a run."""

_UNITS = {"usd": "US dollars", "tokens": "tokens", "calls": "model calls", "seconds": "seconds"}

Tell = Callable[[str, Mapping[str, Any]], None]
"""Writes an event: kind, data."""


@dataclass(frozen=True)
class Spent:
    """What is spent, or may be by calls under way.

    Attributes:
        usd: US dollars of the calls whose price is known.
        tokens: sent and written, thoughts included.
        calls: calls that were sent.
        seconds: wall seconds of iterations.
    """

    usd: float = 0.0
    tokens: float = 0.0
    calls: int = 0
    seconds: float = 0.0

    @classmethod
    def on(cls, calls: Iterable[CallRecord], seconds: float) -> "Spent":
        """Returns what a run has spent so far.

        Args:
            calls: all of them. One that was lost counts as much as the others did on average.
            seconds: wall seconds of its iterations.
        """
        rows = list(calls)
        settled = [call for call in rows if call.status in {"answered", "failed"}]
        usd = sum(call.usd or 0.0 for call in settled)
        tokens = sum(call.tokens_in + call.tokens_out for call in settled)
        lost = len(rows) - len(settled)
        scale = 1.0 + lost / len(settled) if settled else 1.0
        return cls(usd * scale, tokens * scale, len(rows), seconds)


class Budget:
    """Watches over the caps of one run; safe to use from several threads."""

    def __init__(self, caps: Caps, spent: Spent, tell: Tell, clock: Callable[[], float] = time.monotonic) -> None:
        """Starts from what is spent.

        Args:
            caps: the limits.
            spent: by the run so far.
            tell: writes an event.
            clock: seconds.
        """
        self._caps = caps
        self._spent = spent
        self._tell = tell
        self._clock = clock
        self._lock = threading.Lock()
        self._under_way = 0
        self._failures = 0
        self._began: float | None = None
        self._told = {name: share for name, share in self._shares().items()}

    @property
    def caps(self) -> Caps:
        """The limits."""
        return self._caps

    def change(self, caps: Caps) -> None:
        """Sets other limits."""
        with self._lock:
            self._caps = caps
            self._told = self._shares()

    def begin(self) -> None:
        """An iteration begins: its time counts.

        Raises:
            ModelError: nothing is left ("over-budget").
        """
        with self._lock:
            self._began = self._clock()
            self._failures = 0
            self._refuse(self._over())

    def end(self) -> None:
        """The iteration is over, or was stopped."""
        with self._lock:
            self._spent, self._began = self._now(), None

    def reserve(self) -> None:
        """A call is about to be sent.

        Raises:
            ModelError: it does not fit any more ("over-budget"), or too many have failed in a row ("failing").
        """
        with self._lock:
            self._refuse(self._over(one_more=True))
            self._under_way += 1

    def release(self) -> None:
        """A call that was reserved is neither answered nor failed: nobody knows what became of it."""
        with self._lock:
            self._under_way -= 1

    def settle(self, call: CallRecord) -> None:
        """A call is over.

        Args:
            call: its finished row.

        Raises:
            ModelError: too many calls have failed in a row ("failing").
        """
        tokens = call.tokens_in + call.tokens_out
        with self._lock:
            self._under_way -= 1
            now = self._spent
            self._spent = Spent(now.usd + (call.usd or 0.0), now.tokens + tokens, now.calls + 1, now.seconds)
            if call.reason != "stopped":
                self._failures = self._failures + 1 if call.status == "failed" else 0
            self._warn()
            if self._failures >= MOST_FAILURES:
                words = f"{self._failures} model calls in a row failed, so no more are made; the last: {call.message}"
                raise ModelError("failing", words)

    def _now(self) -> Spent:
        """Returns what is spent, the time of the iteration under way included."""
        passed = 0.0 if self._began is None else self._clock() - self._began
        now = self._spent
        return Spent(now.usd, now.tokens, now.calls, now.seconds + passed)

    def _expected(self, one_more: bool) -> Spent:
        """Returns what will be spent when the calls under way, and one more, are over."""
        now = self._now()
        if not one_more:
            return now
        ahead = self._under_way + 1
        scale = 1.0 + (ahead / now.calls if now.calls else 0.0)
        return Spent(now.usd * scale, now.tokens * scale, now.calls + ahead, now.seconds)

    def _over(self, one_more: bool = False) -> str:
        """Returns the name of a cap that is used up or would be passed, "" where there is none."""
        now, expected = self._now(), self._expected(one_more)
        for name, most in _limits(self._caps):
            passed = getattr(expected, name) > most if name in {"usd", "tokens", "calls"} else False
            if passed or getattr(now, name) >= most:
                return name
        return ""

    def _refuse(self, name: str) -> None:
        """Stops where a cap is reached.

        Raises:
            ModelError: it is ("over-budget").
        """
        if not name:
            return
        spent, most = getattr(self._now(), name), getattr(self._caps, name)
        beside = f", {self._under_way} calls under way" if self._under_way else ""
        message = (
            f"the budget of {_amount(most)} {_UNITS[name]} is used up ({_amount(spent)} so far{beside}; "
            f"another call would pass it): go on with a larger one, --max-{name}"
        )
        raise ModelError("over-budget", message)

    def _shares(self) -> dict[str, float]:
        """Returns the largest warning share that each capped quantity has reached."""
        now = self._now()
        return {
            name: max((share for share in WARNINGS if getattr(now, name) >= share * most), default=0.0)
            for name, most in _limits(self._caps)
        }

    def _warn(self) -> None:
        now = self._now()
        for name, share in self._shares().items():
            if share > self._told.get(name, 0.0):
                self._told[name] = share
                spent, most = getattr(now, name), getattr(self._caps, name)
                message = f"{share:.0%} of the budget is spent: {_amount(spent)} of {_amount(most)} {_UNITS[name]}"
                self._tell("budget", {"cap": name, "share": share, "spent": spent, "most": most, "message": message})


def read_caps(payload: Mapping[str, Any]) -> Caps | None:
    """Returns the caps that a request asks for, None where it says nothing of them.

    Raises:
        UsageError: they make no sense.
    """
    if "caps" not in payload:
        return None
    try:
        caps = from_json(Caps, with_defaults(Caps, payload["caps"]))
    except ValueError as error:
        raise UsageError(f"the caps of a run must be numbers: {error}") from error
    return checked_caps(caps)


def checked_caps(caps: Caps) -> Caps:
    """Returns the caps.

    Raises:
        UsageError: one is not positive.
    """
    for name, most in _limits(caps):
        if not 0 < most <= MOST_CAP:
            raise UsageError(f"--max-{name} must be a number larger than 0 and at most {MOST_CAP:g}, got {most:g}")
    return caps


def _limits(caps: Caps) -> list[tuple[str, float]]:
    named = [(field.name, getattr(caps, field.name)) for field in fields(caps)]
    return [(name, most) for name, most in named if most is not None]


def _amount(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.4g}"
