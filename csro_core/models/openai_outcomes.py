"""What an OpenAI-compatible server answered: a text, or a `FailedTry` with a named reason and a sentence of advice."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import orjson

from csro_core.models.answer_forms import without_thoughts
from csro_core.models.chat import Usage
from csro_core.models.client_words import one_line
from csro_core.models.retry import FEW, OFTEN, FailedTry

MAX_WAIT = 86_400.0
_USED_UP = re.compile(
    r"insufficient_quota|exceeded your current quota|billing|credits|per[ _-]day|daily|limit: 0\b", re.IGNORECASE
)
_TOO_LONG = re.compile(r"context[ _](size|length|window)", re.IGNORECASE)
"""Such as llama.cpp's "exceeds the available context size", or OpenAI's "context_length_exceeded"."""


class OpenAiReading:
    """An answer as it arrives: one document, or the chunks of a stream.

    Attributes:
        limit: of output tokens that was asked for.
        usage: tokens as the server counts them last.
        model: the name that the server gives itself, "" where it does not.
        done: True once the server has said that the answer is complete.
    """

    def __init__(self, limit: int) -> None:
        """Starts with nothing."""
        self.limit = limit
        self.usage = Usage()
        self.model = ""
        self.done = False
        self._pieces: list[str] = []
        self._finish = ""
        self._refusal = ""

    @property
    def text(self) -> str:
        """What the model wrote so far, thoughts left out."""
        # Halves of surrogate pairs come in chunks of their own; one that stays alone can neither be stored nor shown.
        whole = "".join(self._pieces).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return without_thoughts(whole)

    def add_whole(self, document: Any) -> None:
        """Takes in the document of an answer that is not streamed.

        Raises:
            FailedTry: it is none.
        """
        if self._add(document, "message") is None:
            raise self.failed("bad-response", f"The server sent no answer ({_shown(document)}): check the model.", FEW)
        self.done = True

    def add_chunk(self, document: Any) -> bool:
        """Takes in a chunk of a stream.

        Returns:
            Whether it brought text.

        Raises:
            FailedTry: it is an error.
        """
        return bool(self._add(document, "delta"))

    def _add(self, document: Any, part: str) -> str | None:
        """Takes in a document.

        Returns:
            Its text, None where it holds no choice.

        Raises:
            FailedTry: it is an error.
        """
        body = _as_dict(document)
        if body.get("error"):
            raise self._told(body["error"])
        self.model = _as_text(body.get("model")) or self.model
        if isinstance(body.get("usage"), dict):
            self.usage = usage_of(body["usage"])
        choices = body.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return None
        message = _as_dict(choice.get(part))
        text = _text_of(message.get("content")) or _as_text(choice.get("text"))
        self._pieces.append(text)
        self._finish = _as_text(choice.get("finish_reason")) or self._finish
        self._refusal += _as_text(message.get("refusal"))
        return text

    def _told(self, error: Any) -> FailedTry:
        """Returns the failure of an error that came with the status of a success."""
        said = one_line(_message_of(error))
        code = _as_dict(error).get("code")
        if code == 429:
            return self.failed("rate", f"The server gets more requests than it allows ({said}): resume later.", OFTEN)
        return self.failed("server", f"The server is in trouble ({said}): try again later.", FEW)

    def check(self) -> None:
        """Does nothing where this is a complete answer with text.

        Raises:
            FailedTry: it is not.
        """
        text = self.text
        if self._finish == "length":
            count = f"{self.usage.thinking + self.usage.output or 'its'} tokens"
            raise self.failed(
                "truncated",
                f"The answer was cut off after {count}: allow more than {self.limit} output tokens or a longer context "
                "(thinking counts among them), or take a model that thinks less.",
            )
        if self._finish == "content_filter" or (self._refusal and not text.strip()):
            said = one_line(self._refusal) or self._finish
            raise self.failed("blocked", f"The server refused to answer ({said}): change the prompt or the model.")
        if self._finish == "error":
            raise self.failed("server", "The server broke the answer off: try again later.", FEW)
        if not self._finish and not self.done:
            raise self.failed("bad-response", "The answer ended before the server said so: try again later.", FEW)
        if not text.strip():
            raise self.failed("empty", "The model answered without any text: try again, or take another model.", FEW)

    def failed(self, reason: str, message: str, worth: int = 1) -> FailedTry:
        """Returns a failure that carries what there is of this answer."""
        return FailedTry(reason, message, worth=worth, usage=self.usage, answer=self.text)


def usage_of(counts: Mapping[str, Any]) -> Usage:
    """Returns the tokens of an answer; `completion_tokens` counts the thoughts too."""
    output = _as_count(counts.get("completion_tokens"))
    thinking = min(output, _as_count(_as_dict(counts.get("completion_tokens_details")).get("reasoning_tokens")))
    cached = _as_count(_as_dict(counts.get("prompt_tokens_details")).get("cached_tokens"))
    prompt = _as_count(counts.get("prompt_tokens"))
    return Usage(prompt, min(cached, prompt), output - thinking, thinking)


def of_status(status: int, headers: Mapping[str, str], body: str, asked: str) -> FailedTry:
    """Returns what a status other than 200 means.

    Args:
        status: of HTTP.
        headers: of the answer.
        body: its text.
        asked: what was asked for, such as "model 'x' at http://…".
    """
    said = one_line(f"{status}: {_message_of(_parsed(body))}")
    delay = retry_after(headers)
    if status in {401, 403}:
        return FailedTry("wrong-key", f"The server refuses the key ({said}): check it.")
    if status == 404:
        return FailedTry(
            "no-model", f"The server has no {asked} ({said}): list what it offers, and check the base URL."
        )
    if status == 402 or (status == 429 and _USED_UP.search(body)):
        return FailedTry("quota", f"The account has nothing left ({said}): add credit, or take another model.")
    if status == 429:
        message = f"The server gets more requests than it allows ({said}): make fewer calls at once, or resume later."
        return FailedTry("rate", message, worth=OFTEN, delay=delay)
    if status in {408, 409, 425} or status >= 500:
        message = f"The server is in trouble ({said}): try again later, or take another model."
        return FailedTry("server", message, worth=OFTEN, delay=delay)
    advice = "check the base URL and the settings"
    if _TOO_LONG.search(body):
        advice = "show fewer opponents (--opponents 2, --context summary), or serve the model with a longer context"
    return FailedTry("bad-request", f"The server refuses the request ({said}): {advice}.")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Returns the seconds that the header Retry-After asks to wait (RFC 9110, 10.2.3), None where it does not."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value):
        return min(float(value), MAX_WAIT)
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return min(max(0.0, (until - datetime.now(UTC)).total_seconds()), MAX_WAIT)


def failure_of(error: Exception, url: str, local: bool) -> FailedTry:
    """Returns what an error of the HTTP library means.

    Args:
        error: as it was raised.
        url: that was asked.
        local: True where it is on this machine.
    """
    said = one_line(f"{type(error).__name__}: {error}")
    if isinstance(error, httpx2.ConnectTimeout | httpx2.ConnectError):
        advice = "start the server, or check its port" if local else "check the connection, the proxy and the base URL"
        # A server on this machine that is not there does not come by itself.
        return FailedTry("network", f"{url} was not reached ({said}): {advice}.", worth=2 if local else OFTEN)
    if isinstance(error, httpx2.TimeoutException):
        return FailedTry("timeout", f"{url} did not answer in time ({said}): allow more time.", worth=2)
    if isinstance(error, httpx2.LocalProtocolError | httpx2.UnsupportedProtocol | httpx2.InvalidURL):
        return FailedTry("bad-request", f"The request cannot be sent ({said}): check the base URL.")
    if isinstance(error, httpx2.TransportError):
        return FailedTry("network", f"The connection to {url} broke ({said}): try again later.", worth=OFTEN)
    if isinstance(error, ImportError):
        return FailedTry("network", f"The HTTP client cannot be made ({said}): check the proxy variables.")
    return FailedTry("bad-response", f"{url} sent what cannot be read ({said}): check the base URL.", worth=FEW)


def names_offered(document: Any) -> tuple[str, ...]:
    """Returns the names in a list of models.

    Raises:
        FailedTry: it is no such list.
    """
    listed = document if isinstance(document, list) else _as_dict(document).get("data")
    if not isinstance(listed, list):
        message = f"The server sent no list of models ({_shown(document)}): check the base URL."
        raise FailedTry("bad-response", message, worth=FEW)
    names = (one_line(_as_text(_as_dict(model).get("id"))) for model in listed)
    return tuple(sorted({name for name in names if name}))


def _parsed(body: str) -> Any:
    try:
        return orjson.loads(body)
    except ValueError:
        return body


def _message_of(data: Any) -> str:
    """Returns the words in an error, in any of the forms that servers give them."""
    if isinstance(data, list) and data:
        return _message_of(data[0])
    if not isinstance(data, dict):
        return _as_text(data)
    for name in ("message", "error", "detail", "msg"):
        if data.get(name):
            return _message_of(data[name])
    return _shown(data)


def _shown(document: Any) -> str:
    """Returns the beginning of a document of the server."""
    try:
        return one_line(orjson.dumps(document).decode())
    except TypeError:
        # orjson reads numbers and halves of characters that it does not write.
        return type(document).__name__


def _text_of(content: Any) -> str:
    """Returns the text of a message's content: a string, or a list of parts of which some are thoughts."""
    if isinstance(content, list):
        parts = [
            part for part in content if isinstance(part, dict) and part.get("type", "text") in {"text", "output_text"}
        ]
        return "".join(_as_text(part.get("text")) for part in parts)
    return _as_text(content)


def _as_dict(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _as_count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
