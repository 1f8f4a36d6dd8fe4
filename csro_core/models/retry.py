"""Asking again: the loop that all clients of language models share, and a deadline that holds whatever the server does.

A client describes each try that failed (`FailedTry`): why, how many tries such a failure is worth, how long the server
wants us to wait, and the tokens it billed all the same. The loop waits, asks again, adds the tokens up, and gives up
with a `ModelError`. Clients do not use their library's own retries: google-genai's ignores the delay that the server
asks for (googleapis/python-genai #1875) and does not repeat a dropped connection.
"""

import queue
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

import numpy as np

from csro_core.errors import Cancelled, ModelError
from csro_core.models.base import OnText
from csro_core.models.chat import Usage
from csro_core.models.lines import LINES, Lines

Value = TypeVar("Value")

NO_USAGE = Usage()

OFTEN = 100
"""Worth of a failure that costs nothing and may pass: `Retry.attempts` is the bound."""

FEW = 3
"""Worth of a failure that is billed, or that mostly comes back."""

SHORTEST_TRY = 1.0
"""Seconds; with less than that left, asking again would be billed and not heard."""

Tell: TypeAlias = Callable[[str], None]
"""How work that runs under `within` tells of the text so far."""


STOPPED: ContextVar[threading.Event | None] = ContextVar("STOPPED", default=None)
"""Set in the thread of a call: when nobody waits for the call any more, it ends instead of asking again."""


def wait_unless_stopped(seconds: float) -> None:
    """Waits so many seconds.

    Raises:
        Cancelled: `STOPPED` was set before or meanwhile.
    """
    stopped = STOPPED.get()
    if stopped is None:
        time.sleep(seconds)
    elif stopped.wait(seconds):
        raise Cancelled("nobody waits for this call any more, so the model was not asked again")


class FailedTry(Exception):
    """One try gave no answer.

    Attributes:
        reason: as in `ModelError`.
        message: what happened and what to do, without a key.
        worth: tries that this reason is worth in all; 1 where asking again cannot help.
        delay: seconds that the server wants us to wait, None where it does not say.
        usage: tokens that were billed all the same.
        answer: what there was of an answer.
    """

    def __init__(
        self, reason: str, message: str, *, worth: int = 1, delay: float | None = None, usage: Usage = NO_USAGE,
        answer: str = "",
    ) -> None:
        """Keeps the reason beside the message."""
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.worth = worth
        self.delay = delay
        self.usage = usage
        self.answer = answer


@dataclass(frozen=True)
class Tried(Generic[Value]):
    """What came of a call.

    Attributes:
        value: of the try that succeeded.
        wasted: tokens of the failed tries before it.
        tries: how many there were, >= 1.
        seconds: of all tries and waits.
    """

    value: Value
    wasted: Usage
    tries: int
    seconds: float


@dataclass(frozen=True)
class Retry:
    """When to ask again. Safe to use from several threads.

    Attributes:
        attempts: most tries of one call, whatever their failures are worth, >= 1.
        first_wait: seconds before the second try; they double from try to try.
        longest_wait: bound of that doubling in seconds; the server's wish may be longer.
        deadline: seconds for the whole call, waits included. A wait is not begun where it
            leaves no time for another try.
        longest_try: seconds for one try.
        sleep: waits so many seconds. It may raise `Cancelled` to end the call, which then failed as "stopped".
        clock: a monotonic clock in seconds.
        jitter: a number in [0, 1), so that threads which failed together do not ask again together.
    """

    attempts: int = 6
    first_wait: float = 2.0
    longest_wait: float = 60.0
    deadline: float = 600.0
    longest_try: float = 300.0
    sleep: Callable[[float], None] = wait_unless_stopped
    clock: Callable[[], float] = time.monotonic
    jitter: Callable[[], float] = np.random.default_rng().random

    def run(self, once: Callable[[float], Value]) -> Tried[Value]:
        """Tries until an answer, a failure that asking again cannot mend, or the deadline.

        Args:
            once: makes one try within the seconds that it is given, or raises `FailedTry`.

        Returns:
            The answer, with what it took.

        Raises:
            ModelError: no answer; it counts the tokens of all tries.
        """
        start = self.clock()
        wasted = NO_USAGE
        failures: Counter[str] = Counter()
        while True:
            left = self.deadline - (self.clock() - start)
            try:
                value = once(min(left, self.longest_try))
            except FailedTry as failed:
                failure = failed
            else:
                return Tried(value, wasted, failures.total() + 1, self.clock() - start)
            wasted = add_usage(wasted, failure.usage)
            failures[failure.reason] += 1
            tries, passed = failures.total(), self.clock() - start
            wait = self._wait(tries, failure.delay)
            done = tries >= self.attempts or failures[failure.reason] >= failure.worth
            if done or passed + wait + SHORTEST_TRY > self.deadline:
                again = "" if tries == 1 else f" (Given up after {tries} tries in {passed:.0f} s.)"
                error = _given_up(failure.reason, failure.message + again, wasted, failure.answer)
                raise error
            try:
                self.sleep(wait)
            except Cancelled as stop:
                error = _given_up("stopped", str(stop), wasted, failure.answer)
                raise error from None

    def _wait(self, tries: int, asked: float | None) -> float:
        """Returns the seconds before the next try: never less than the server asks for."""
        backoff = min(self.longest_wait, self.first_wait * 2.0 ** (tries - 1)) * (0.5 + 0.5 * self.jitter())
        if asked is None:
            return backoff
        return max(backoff, asked + self.jitter())


def add_usage(first: Usage, second: Usage) -> Usage:
    """Returns the sum."""
    return Usage(
        first.prompt + second.prompt,
        first.cached + second.cached,
        first.output + second.output,
        first.thinking + second.thinking,
    )


def _given_up(reason: str, message: str, wasted: Usage, answer: str) -> ModelError:
    """Returns the error of a call that ends without an answer."""
    return ModelError(reason, message, wasted.prompt, wasted.output + wasted.thinking, answer, wasted.thinking)


class _Abandoned(Exception):
    """Ends work that nobody waits for any more, at its next word."""


def within(seconds: float, work: Callable[[Tell], Value], on_text: OnText | None = None) -> Value:
    """Runs `work` and waits for it no longer than `seconds`, whatever it does.

    HTTP libraries bound each read and not their sum, so a server that sends a byte now and then holds a call for ever.
    The work therefore has a thread of its own. Where that is out of time its connections are cut (`lines`), so that
    the library gives up and the thread ends; what it says is not heard.

    Args:
        seconds: bound on the wall clock.
        work: is handed a function to tell the text so far with. What it may raise is `FailedTry`.
        on_text: hears of the text, in the caller's thread; what it raises ends the call.

    Returns:
        What `work` returned.

    Raises:
        TimeoutError: time is over.
        FailedTry: `work` raised it.
        RuntimeError: `work` raised something else, which its thread has reported.
    """
    texts: queue.SimpleQueue[str | None] = queue.SimpleQueue()  # None at the end
    values: list[Value] = []
    failures: list[FailedTry] = []
    abandoned = threading.Event()

    def tell(text: str) -> None:
        if abandoned.is_set():
            raise _Abandoned
        texts.put(text)

    lines = Lines()

    def body() -> None:
        LINES.set(lines)
        try:
            values.append(work(tell))
        except FailedTry as failure:
            failures.append(failure)
        except _Abandoned:
            pass
        finally:
            lines.close()
            texts.put(None)

    end = time.monotonic() + seconds
    # A daemon: an abandoned call must not hold up the end of the program.
    threading.Thread(target=body, name="model call", daemon=True).start()
    try:
        _listen(texts, end, on_text)
    except BaseException:
        abandoned.set()
        lines.cut()
        raise
    if values:
        return values[0]
    if failures:
        raise failures[0]
    raise RuntimeError("a model call ended without an answer and without a reason; its thread reported why")


def _listen(texts: "queue.SimpleQueue[str | None]", end: float, on_text: OnText | None) -> None:
    """Hears texts until their end.

    Raises:
        TimeoutError: they did not end in time.
    """
    while True:
        try:
            text = texts.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            raise TimeoutError from None
        if text is None:
            return
        if time.monotonic() >= end:
            raise TimeoutError
        if on_text is not None:
            on_text(text)
