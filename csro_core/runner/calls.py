"""Model calls, booked: the row is written before the call is sent, and completed when the answer is there.

An answer that the run has paid or waited for is used again where the same thing is asked of the same model, so that a
run that was killed and resumed pays nothing twice. What is asked contains the sample number, a hash of run seed,
iteration and attempt: runs with other seeds never ask the same. Only this run's own answers are looked at.
"""

import hashlib
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from csro_core.errors import Cancelled, ModelError
from csro_core.models.base import CodeModel, Completion, Request, request_key
from csro_core.models.chat import RenderPrompt
from csro_core.models.language import reading_of
from csro_core.models.retry import STOPPED
from csro_core.runner.budget import Budget
from csro_core.runner.rates import Rate
from csro_core.store import Lease
from csro_core.store.records import CallRecord

LOGGER = logging.getLogger(__name__)

IN_FLIGHT = 8
"""Most calls that are under way at once."""

POLL_SECONDS = 0.1
"""A request to stop ends the wait for an answer within this time."""

OF_THE_MODEL = (
    "needs-key", "wrong-key", "quota", "no-model", "unsupported-game", "not-recorded", "over-budget", "failing",
)  # fmt: skip
"""Reasons that concern every call, not one of several; see `errors.ModelError`."""


class Listener(Protocol):
    """Hears of calls; may end the waiting for one."""

    def asking(self, detail: str) -> None:
        """A model is about to be asked.

        Raises:
            Cancelled: the run was stopped.
        """
        ...

    def heard(self, attempt: int, text: str) -> None:
        """An answer is being written: its text so far."""
        ...

    def silent(self, attempt: int) -> None:
        """The answer is over, one way or the other."""
        ...

    def check(self) -> None:
        """Does nothing while the run goes on.

        Raises:
            Cancelled: the run was stopped.
        """
        ...


@dataclass(frozen=True)
class Ledger:
    """Where calls are booked and what they are allowed to cost.

    Attributes:
        lease: writes the rows.
        budget: allows a call, or ends the run.
        listener: hears of calls.
        render: turns a request into the prompt that is stored with the call; None: the model (the synthesiser) reads
            requests as they are.
        rate: price of tokens (sent, written) in US dollars, for failed calls; None where it is not known.
        instant: the model answers at once, and the same again: its answers are not looked up.
    """

    lease: Lease
    budget: Budget
    listener: Listener
    render: RenderPrompt | None = None
    rate: Rate = lambda sent, written: None
    instant: bool = False


def call_key(identity: str, key: str) -> str:
    """Returns the identity of a call: who is asked, and everything that is told (`models.base.request_key`)."""
    return hashlib.sha256(f"{identity}\n{key}".encode()).hexdigest()


class BookedModel:
    """An `AskModel` (and by `many` an `AskMany`) that books every call of one iteration."""

    def __init__(self, model: CodeModel, ledger: Ledger, iteration: int, samples: Sequence[int], budget: int) -> None:
        """Keeps its collaborators.

        Args:
            model: who answers.
            ledger: books.
            iteration: the oracle step the calls belong to.
            samples: attempt index → sample number, to tell which attempt a call is for.
            budget: attempts of the iteration, for the progress line.
        """
        self._model = model
        self._ledger = ledger
        self._iteration = iteration
        self._attempts = {sample: attempt for attempt, sample in enumerate(samples)}
        self._budget = budget
        self._stopped = threading.Event()

    def __call__(self, request: Request) -> Completion:
        """Asks the model, or finds the answer that it gave this run before.

        Returns:
            Its answer.

        Raises:
            ModelError: the model gave none (the call is booked as failed), or the budget is used up.
            Cancelled: the run was stopped meanwhile; an answer that still comes is kept.
        """
        with self._last_ones():
            return self._start(request)()

    def many(self, requests: Sequence[Request]) -> Iterator[Completion | ModelError]:
        """Asks requests that do not depend on each other, several in flight at once.

        Yields:
            One answer a request, in their order; an error that concerns one request in its place.

        Raises:
            ModelError: an error that concerns every request; those in flight are waited for and kept.
            Cancelled: the run was stopped meanwhile.
        """
        with self._last_ones():
            yield from self._many(requests)

    @contextmanager
    def _last_ones(self) -> Iterator[None]:
        """Tells the calls in flight where nobody waits for them any more: they do not ask the model again.

        Raises:
            Cancelled: the run was stopped.
            GeneratorExit: whoever asked takes no more answers.
        """
        try:
            yield
        except (Cancelled, GeneratorExit):
            self._stopped.set()
            raise

    def _many(self, requests: Sequence[Request]) -> Iterator[Completion | ModelError]:
        waiting = deque(requests)
        pending: deque[Callable[[], Completion]] = deque()
        most = 1 if self._ledger.instant else IN_FLIGHT
        fatal: ModelError | None = None
        while waiting or pending:
            while waiting and len(pending) < most and fatal is None:
                try:
                    pending.append(self._start(waiting.popleft()))
                except ModelError as error:
                    fatal = error
            if not pending:
                break
            try:
                answer: Completion | ModelError = pending.popleft()()
            except ModelError as error:
                answer = error
                fatal = error if error.reason in OF_THE_MODEL else fatal
            if fatal is None:
                yield answer
        if fatal is not None:
            raise fatal

    def _start(self, request: Request) -> Callable[[], Completion]:
        self._announce(request)
        known = self._known(request)
        return self._send(request) if known is None else lambda: known

    def _announce(self, request: Request) -> None:
        attempt = self._attempt(request)
        self._ledger.listener.asking(f"attempt {attempt + 1}/{self._budget}" if attempt >= 0 else "")

    def _attempt(self, request: Request) -> int:
        return self._attempts.get(request.sample, -1)

    def _key(self, request: Request) -> str:
        return call_key(self._model.identity, request_key(request))

    def _known(self, request: Request) -> Completion | None:
        """Returns the answer that this run has to this request, None where there is none."""
        if self._ledger.instant:
            return None
        key = self._key(request)
        row = self._ledger.lease.answered(key)
        if row is None:
            return None
        self._ledger.lease.count_reuse(key)
        reading = reading_of(request, row.answer)
        return Completion(
            source=reading.source, idea=reading.idea, answer=row.answer, prompt=row.prompt, tokens_in=row.tokens_in,
            tokens_out=row.tokens_out, usd=0.0, cached=True, problem=reading.problem, tokens_cached=row.tokens_cached,
            tokens_thinking=row.tokens_thinking, cut_off=row.reason == "truncated",
        )  # fmt: skip

    def _send(self, request: Request) -> Callable[[], Completion]:
        """Books and sends a call.

        Returns:
            What waits for its answer.

        Raises:
            ModelError: the budget is used up.
        """
        ledger, model = self._ledger, self._model
        call = CallRecord(
            key=self._key(request), iteration=self._iteration, attempt=self._attempt(request), model=model.name,
            status="sent", prompt="" if ledger.render is None else ledger.render(request).to_text(), answer="",
            tokens_in=0, tokens_out=0, usd=0.0 if model.free else None, seconds=0.0, identity=model.identity,
            request_key=request_key(request), task=request.task,
        )  # fmt: skip
        ledger.budget.reserve()
        sent = _Sent(model, ledger, call, ledger.lease.put_call(call))
        if ledger.instant:
            return lambda: sent.answer(request)
        return sent.in_flight(request, self._stopped)


class _Sent:
    """One call under way."""

    def __init__(self, model: CodeModel, ledger: Ledger, call: CallRecord, number: int) -> None:
        """Keeps the row and its number."""
        self._model = model
        self._ledger = ledger
        self._call = call
        self._number = number
        self._began = time.monotonic()

    def answer(self, request: Request) -> Completion:
        """Waits for the answer in this thread, and books it.

        Returns:
            The answer.

        Raises:
            ModelError: there is none; booked with what it cost all the same.
        """
        ledger, call = self._ledger, self._call
        try:
            completion = self._model.write(request, lambda text: ledger.listener.heard(call.attempt, text))
        except ModelError as error:
            tokens = error.tokens_in + error.tokens_out
            usd = 0.0 if call.usd == 0.0 or not tokens else ledger.rate(error.tokens_in, error.tokens_out)
            self._finish(
                replace(
                    call, status="failed", answer=error.answer, tokens_in=error.tokens_in, tokens_out=error.tokens_out,
                    tokens_thinking=error.tokens_thinking, usd=usd, reason=error.reason, message=str(error),
                )
            )  # fmt: skip
            raise
        except BaseException:
            # A fault of the program: the row stays as it is, "sent".
            ledger.budget.release()
            raise
        finally:
            ledger.listener.silent(call.attempt)
        self._finish(
            replace(
                call, status="answered", prompt=completion.prompt or call.prompt, answer=completion.answer,
                usd=completion.usd, tokens_in=completion.tokens_in, tokens_out=completion.tokens_out,
                tokens_cached=completion.tokens_cached, tokens_thinking=completion.tokens_thinking,
                message=completion.problem, cached=completion.cached, reason="truncated" if completion.cut_off else "",
            )
        )  # fmt: skip
        return completion

    def in_flight(self, request: Request, stopped: threading.Event) -> Callable[[], Completion]:
        """Sends the call from a thread of its own, so that a request to stop need not wait for the answer.

        Args:
            request: what is asked.
            stopped: set when nobody waits any more: a try under way may still answer, but no other one is begun.

        Returns:
            What waits for the answer; it raises what `answer` does, and `Cancelled` where the run was stopped.
        """
        done: queue.SimpleQueue[Completion | Exception] = queue.SimpleQueue()

        def work() -> None:
            STOPPED.set(stopped)
            try:
                done.put(self.answer(request))
            except Exception as error:  # noqa: BLE001 - it is raised again in the thread that waits
                done.put(error)
                LOGGER.debug("a call has ended: %s", type(error).__name__)

        # A daemon: the process may end, or the lease may go, while nobody waits for the answer any more.
        threading.Thread(target=work, name="csro-call", daemon=True).start()

        def wait() -> Completion:
            while True:
                try:
                    outcome = done.get(timeout=POLL_SECONDS)
                except queue.Empty:
                    self._ledger.listener.check()
                    continue
                if isinstance(outcome, Exception):
                    raise outcome
                return outcome

        return wait

    def _finish(self, call: CallRecord) -> None:
        """Books the end of the call.

        Raises:
            ModelError: too many calls in a row have failed.
        """
        finished = replace(call, seconds=time.monotonic() - self._began)
        self._ledger.lease.put_call(finished, self._number)
        self._ledger.budget.settle(finished)

