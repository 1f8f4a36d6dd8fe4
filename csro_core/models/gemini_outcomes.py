"""What the Gemini API answered, told as an answer or as a `FailedTry` with a named reason and one sentence of advice.

The table of codes and reasons: ai.google.dev/gemini-api/docs/troubleshooting, and what google-genai 3.6 was seen to do
with each of them.
"""

import re
from collections.abc import Mapping
from typing import Any

from google.genai import errors, types

from csro_core.models.chat import Usage
from csro_core.models.client_words import one_line
from csro_core.models.retry import FEW, OFTEN, FailedTry

BROKEN_OFF = {"OTHER", "MALFORMED_RESPONSE", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"}
STOPPED = {"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"}

NEW_KEY = "https://aistudio.google.com/apikey"


class Reading:
    """An answer as it arrives: one response, or the responses of a stream.

    Attributes:
        text: so far, thoughts left out.
        limit: of output tokens that was asked for, thoughts included.
        usage: tokens as the last response counts them.
        model: the name that the server gives itself, "" where it does not.
    """

    def __init__(self, limit: int) -> None:
        """Starts with nothing."""
        self.text = ""
        self.usage = Usage()
        self.model = ""
        self.limit = limit
        self._finish = ""
        self._block = ""

    def add(self, response: types.GenerateContentResponse) -> bool:
        """Takes in a response.

        Returns:
            Whether it brought text.
        """
        self.model = response.model_version or self.model
        if response.usage_metadata is not None:
            self.usage = usage_of(response.usage_metadata)
        if response.prompt_feedback is not None and response.prompt_feedback.block_reason is not None:
            self._block = response.prompt_feedback.block_reason.value
        before = len(self.text)
        for candidate in (response.candidates or [])[:1]:
            if candidate.finish_reason is not None:
                self._finish = candidate.finish_reason.value
            parts = candidate.content.parts if candidate.content is not None else None
            self.text += "".join(part.text or "" for part in parts or [] if not part.thought)
        return len(self.text) > before

    def check(self) -> None:
        """Does nothing where this is a complete answer with text.

        Raises:
            FailedTry: it is not.
        """
        if self._block:
            raise self.failed(
                "blocked", f"The server refused the prompt ({self._block}): change what it says, or take another model."
            )
        if self._finish in {"", "FINISH_REASON_UNSPECIFIED"}:
            # google-genai takes an empty body, "[]" and a stream that just ends for success.
            raise self.failed("bad-response", "The answer ended without a finish reason: try again later.", FEW)
        if self._finish == "MAX_TOKENS":
            raise self.failed("truncated", self._truncation())
        if self._finish != "STOP":
            raise self._stopped()
        if not self.text.strip():
            raise self.failed("empty", "The model answered without any text: try again, or take another model.", FEW)

    def failed(self, reason: str, message: str, worth: int = 1) -> FailedTry:
        """Returns a failure that carries what there is of this answer."""
        return FailedTry(reason, message, worth=worth, usage=self.usage, answer=self.text)

    def _truncation(self) -> str:
        count = f"{self.usage.thinking} of thinking and {self.usage.output} of text"
        advice = f"allow more than the {self.limit} output tokens (thinking counts among them), or let it think less."
        if self.text.strip():
            return f"The answer was cut off after {count}: {advice}"
        return f"The token limit was reached before any text, after {count}: {advice}"

    def _stopped(self) -> FailedTry:
        """Returns the failure of a finish reason that is neither STOP nor MAX_TOKENS."""
        if self._finish in BROKEN_OFF:
            return self.failed("bad-response", f"The model broke off ({self._finish}): try again later.", FEW)
        if self._finish in STOPPED:
            message = f"The server stopped the answer ({self._finish}): change the prompt, or take another model."
            return self.failed("blocked", message)
        # A reason of a newer API. Asking again would be billed and mostly end the same way.
        message = f"The model stopped for a reason that this version does not know ({one_line(self._finish)}): "
        return self.failed("bad-response", message + "update google-genai, or take another model.")


def usage_of(counts: types.GenerateContentResponseUsageMetadata) -> Usage:
    """Returns the tokens of an answer; the SDK has None where the API leaves a zero out."""
    return Usage(
        counts.prompt_token_count or 0,
        counts.cached_content_token_count or 0,
        counts.candidates_token_count or 0,
        counts.thoughts_token_count or 0,
    )


def failure_of(error: errors.APIError, model: str) -> FailedTry:
    """Returns what an error of the API means.

    Args:
        error: as google-genai raises it.
        model: that was asked for, "" where none was.
    """
    code = error.code if isinstance(error.code, int) else 0
    details = details_of(error)
    said = one_line(f"{code} {error.status or ''}: {error.message or ''}")
    if any(detail.get("reason") == "API_KEY_INVALID" for detail in details) or code in {401, 403}:
        return FailedTry("wrong-key", f"The server refuses the API key ({said}): check it at {NEW_KEY}.")
    if code == 404 and model:
        return FailedTry(
            "no-model",
            f"The server has no model {model!r} for this key ({said}): list the models that it offers, and take one.",
        )
    if code == 429:
        return _too_many(error, details, model, said)
    if code == 408 or code >= 500:
        return FailedTry(
            "server", f"The server is in trouble ({said}): try again later, or take another model.",
            worth=OFTEN, delay=retry_after(error, details),
        )
    return FailedTry("bad-request", f"The server refuses the request ({said}): change the setting that it names.")


def _too_many(error: errors.APIError, details: list[Mapping[str, Any]], model: str, said: str) -> FailedTry:
    """Returns the failure of a 429: of the day, where waiting a minute does not help, or of the minute."""
    violations = [violation for detail in details for violation in as_list(detail.get("violations"))]
    quotas = " ".join(str(violation.get("quotaId")) for violation in violations if isinstance(violation, dict))
    # "limit: 0" is the quota of a model that the free tier does not have; "credits" are those of a prepaid account.
    if "PerDay" in quotas or re.search(r"limit: 0\b|credits|spend(ing)? cap", str(error.message)):
        return FailedTry(
            "quota",
            f"The quota of {model or 'this key'} is used up ({said}): resume after midnight Pacific time, turn on "
            "billing, or take another model (each has its own; the flash-lite ones have the largest without billing).",
        )
    return FailedTry(
        "rate", f"The server gets more requests than it allows ({said}): make fewer calls at once, or resume later.",
        worth=OFTEN, delay=retry_after(error, details),
    )


def retry_after(error: errors.APIError, details: list[Mapping[str, Any]]) -> float | None:
    """Returns the seconds that the server asks to wait: in RetryInfo, in the header, or in words."""
    headers = getattr(error.response, "headers", None) or {}
    candidates = [
        *(re.fullmatch(r"(\d+(?:\.\d+)?)s", str(detail.get("retryDelay"))) for detail in details),
        re.fullmatch(r"(\d+)", str(headers.get("retry-after"))),
        re.search(r"retry in (\d+(?:\.\d+)?)s", str(error.message), re.IGNORECASE),
    ]
    return next((float(match[1]) for match in candidates if match is not None), None)


def details_of(error: errors.APIError) -> list[Mapping[str, Any]]:
    """Returns the details of an error as Google's APIs write them; none where it is no such error."""
    body = error.details
    inner = body.get("error", body) if isinstance(body, dict) else None
    found = inner.get("details") if isinstance(inner, dict) else None
    return [detail for detail in as_list(found) if isinstance(detail, dict)]


def as_list(value: Any) -> list[Any]:
    """Returns the value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []
