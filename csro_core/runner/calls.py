"""Model calls, booked: the row is written before the call is sent, and completed when the answer is there."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import asdict, replace

import orjson

from csro_core.errors import ModelError
from csro_core.models.base import CodeModel, Completion, Request
from csro_core.progress import Monitor
from csro_core.store.records import CallRecord


def call_key(model: str, request: Request) -> str:
    """Returns the identity of a call: the model and everything it is told, the sample number among it."""
    told = orjson.dumps({"model": model, "request": asdict(request)}, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(told).hexdigest()


class BookedModel:
    """An `AskModel` that books every call of one iteration."""

    def __init__(
        self, model: CodeModel, book: Callable[[CallRecord], None], monitor: Monitor, iteration: int, budget: int
    ) -> None:
        """Keeps its collaborators.

        Args:
            model: who answers.
            book: writes the row of a call (insert or replace by key).
            monitor: hears of each attempt.
            iteration: the oracle step the calls belong to.
            budget: attempts of the iteration, for the progress line.
        """
        self._model = model
        self._book = book
        self._monitor = monitor
        self._iteration = iteration
        self._budget = budget
        self._attempt = 0

    def __call__(self, request: Request) -> Completion:
        """Asks the model.

        Returns:
            Its answer.

        Raises:
            ModelError: the model gave none; the call is booked as failed.
        """
        attempt, self._attempt = self._attempt, self._attempt + 1
        self._monitor.stage("ask", f"attempt {attempt + 1}/{self._budget}")
        began = time.monotonic()
        call = CallRecord(
            key=call_key(self._model.name, request), iteration=self._iteration, attempt=attempt,
            model=self._model.name, status="sent", prompt="", answer="", tokens_in=0, tokens_out=0,
            usd=0.0 if self._model.free else None,
            seconds=0.0,
        )  # fmt: skip
        self._book(call)
        try:
            completion = self._model.write(request)
        except ModelError as error:
            self._book(replace(call, status="failed", answer=str(error), seconds=time.monotonic() - began))
            raise
        self._book(
            replace(
                call, status="answered", prompt=completion.prompt, answer=completion.answer, usd=completion.usd,
                tokens_in=completion.tokens_in, tokens_out=completion.tokens_out, seconds=time.monotonic() - began,
            )
        )  # fmt: skip
        return completion
