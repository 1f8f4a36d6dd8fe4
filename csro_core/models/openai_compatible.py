"""Servers that speak OpenAI's chat API: Ollama, llama.cpp, vLLM, LM Studio, OpenRouter, OpenAI.

One endpoint is used, with what all of these know (platform.openai.com/docs/api-reference/chat); waiting, asking again
and the deadline are those of `retry`.
"""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx2
import orjson

from csro_core.models.base import OnText
from csro_core.models.chat import ChatAnswer, Prompt
from csro_core.models.client_words import key_of, one_line
from csro_core.models.lines import watch
from csro_core.models.names import is_loopback, usual_url
from csro_core.models.openai_outcomes import OpenAiReading, failure_of, names_offered, of_status
from csro_core.models.retry import FEW, FailedTry, Retry, Tell, within

Value = TypeVar("Value")

CONNECT_SECONDS = 20.0
MAX_BODY = 16_000_000
"""Bytes of an answer; nothing that a policy needs comes near."""

SECONDS_BETWEEN_TEXTS = 0.05


@dataclass(frozen=True)
class OpenAiSettings:
    """What is sent besides the messages.

    Attributes:
        max_tokens: bound of an answer; thoughts count inside it.
        temperature: None leaves it to the server.
    """

    max_tokens: int = 16_384
    temperature: float | None = None


class OpenAiClient:
    """One model of one server. Safe to use from several threads: every call has a connection of its own."""

    def __init__(
        self,
        model: str,
        base_url: str,
        key: str | None = None,
        settings: OpenAiSettings = OpenAiSettings(),
        *,
        retry: Retry = Retry(),  # noqa: B008 frozen
    ) -> None:
        """Opens no connection and reads no key from the environment.

        Args:
            model: as the server names it.
            base_url: up to and with "/v1".
            key: of the server; one on this machine, or one without encryption, may do without.
            settings: of the request.
            retry: when to ask again, and the deadline.

        Raises:
            UsageError: the URL is none.
        """
        self.model = model
        self._url = usual_url(base_url)
        self._local = is_loopback(self._url)
        self._key = key_of(key)
        self._settings = settings
        self._retry = retry
        self._takes_seed = True

    def __repr__(self) -> str:
        """Returns a text without the key."""
        return f"OpenAiClient({self.model!r}, {self._url!r})"

    @property
    def name(self) -> str:
        """The name on the command line."""
        return f"openai:{self.model}@{self._url}"

    @property
    def title(self) -> str:
        """The name for people."""
        return f"{self.model} at {urlsplit(self._url).netloc}"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What is sent besides the messages."""
        # OpenAI renamed the bound for its newer models, which refuse the old name; other servers know the old one.
        bound = "max_completion_tokens" if urlsplit(self._url).hostname == "api.openai.com" else "max_tokens"
        sent: dict[str, Any] = {bound: self._settings.max_tokens}
        if self._settings.temperature is not None:
            sent["temperature"] = self._settings.temperature
        return sent

    def chat(self, prompt: Prompt, sample: int, on_text: OnText | None = None) -> ChatAnswer:
        """Asks once; retries what is worth it, within its deadline.

        Args:
            prompt: what to send.
            sample: number of the sample, sent as a seed.
            on_text: hears of the text so far; the answer is streamed where it is given.

        Returns:
            The answer.

        Raises:
            ModelError: no answer, with a named reason and advice.
        """

        def once(seconds: float) -> OpenAiReading:
            reading = OpenAiReading(self._settings.max_tokens)
            # Servers take seeds of 32 bits at least, with a sign or without.
            document = self._document(prompt, sample % 2**31, stream=on_text is not None)

            def ask(tell: Tell) -> OpenAiReading:
                with self._response("POST", "chat/completions", seconds, document) as response:
                    if "text/event-stream" in response.headers.get("content-type", ""):
                        self._listen(response, reading, tell)
                    else:
                        reading.add_whole(_json(_body(response, MAX_BODY)))
                reading.check()
                if on_text is not None:
                    tell(self._key.hidden_in(reading.text))
                return reading

            return self._call(seconds, ask, reading, on_text)

        return self._key.answer(self._retry.run(once))

    def offered(self) -> tuple[str, ...]:
        """Returns the names of the models that the server offers for this key.

        Raises:
            ModelError: it does not say.
        """

        def once(seconds: float) -> tuple[str, ...]:
            def ask(_: Tell) -> tuple[str, ...]:
                with self._response("GET", "models", seconds) as response:
                    return names_offered(_json(_body(response, MAX_BODY)))

            return self._call(seconds, ask, OpenAiReading(0), None)

        return tuple(self._key.hidden_in(name) for name in self._retry.run(once).value)

    def _document(self, prompt: Prompt, seed: int, *, stream: bool) -> dict[str, Any]:
        """Returns the body of a request."""
        # Half a surrogate pair, possible in a policy's text, is no Unicode and cannot be sent.
        texts = {"system": prompt.system, "user": prompt.user}
        messages = [
            {"role": role, "content": text.encode("utf-8", "replace").decode("utf-8")}
            for role, text in texts.items()
            if text
        ]
        document: dict[str, Any] = {"model": self.model, "messages": messages, **self.parameters}
        if self._takes_seed:
            document["seed"] = seed
        if stream:
            document |= {"stream": True, "stream_options": {"include_usage": True}}
        return document

    @contextmanager
    def _response(
        self, method: str, path: str, seconds: float, document: dict[str, Any] | None = None
    ) -> Iterator[httpx2.Response]:
        """Sends a request and opens the answer.

        Raises:
            FailedTry: its status is not 200.
        """
        # Uncompressed, so that `MAX_BODY` bounds what a small answer can grow to.
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key.value}"
        client = httpx2.Client(
            timeout=httpx2.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
            # Loopback must not go through a proxy. A redirect to another host would take the key along.
            trust_env=not self._local,
            follow_redirects=False,
        )
        body = None if document is None else orjson.dumps(document)
        url = f"{self._url}/{path}"
        with client, client.stream(
            method, url, headers=headers, content=body, extensions={"trace": watch}
        ) as response:
            if response.status_code != 200:
                said = _body(response, 20_000).decode("utf-8", "replace")
                raise self._refusal(of_status(response.status_code, response.headers, said, self._about(path)))
            yield response

    def _about(self, path: str) -> str:
        """Returns what was asked for, in words of a message."""
        return f"model {self.model!r} at {self._url}" if path != "models" else f"list of models at {self._url}"

    def _refusal(self, failure: FailedTry) -> FailedTry:
        """Returns the failure, worth another try where leaving the seed out may mend it."""
        if failure.reason == "wrong-key" and not self._key:
            return FailedTry("needs-key", f"The server at {self._url} needs a key: give one, or take another model.")
        if self._takes_seed and failure.reason == "bad-request" and re.search(r"\bseed\b", failure.message):
            self._takes_seed = False
            failure.worth = 2
        return failure

    def _listen(self, response: httpx2.Response, reading: OpenAiReading, tell: Tell) -> None:
        """Reads a stream of server-sent events."""
        told = 0.0
        for event in _events(response):
            if event == b"[DONE]":
                reading.done = True
                return
            if reading.add_chunk(_json(event)) and time.monotonic() - told > SECONDS_BETWEEN_TEXTS:
                tell(self._key.hidden_in(reading.text))
                told = time.monotonic()

    def _call(
        self, seconds: float, ask: Callable[[Tell], Value], reading: OpenAiReading, on_text: OnText | None
    ) -> Value:
        """Returns what `ask` does, within `seconds`; a failure holds no key.

        Raises:
            FailedTry: no answer.
        """
        if not self._key and not self._local and self._url.startswith("https:"):
            raise FailedTry("needs-key", f"The server at {self._url} needs a key: give one, or take another model.")
        if self._key and not self._key.can_be_sent:
            raise FailedTry("wrong-key", "The key holds characters that no key has: copy it again.")

        def work(tell: Tell) -> Value:
            try:
                return ask(tell)
            except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, ImportError, ValueError) as error:
                failure = failure_of(error, self._url, self._local)
            # Outside of the handler, so that no error of the library, which holds the request, hangs on this one.
            raise failure

        try:
            return within(seconds, work, on_text)
        except TimeoutError:
            advice = "allow more time, take a faster model, or resume later."
            failure = FailedTry("timeout", f"The server did not answer within {seconds:.0f} s: {advice}", worth=2)
        except FailedTry as error:
            failure = error
        failure.usage = failure.usage if failure.usage.prompt else reading.usage
        failure.answer = reading.text
        raise self._key.failure(failure)


def _body(response: httpx2.Response, most: int) -> bytes:
    """Returns the body of an answer, cut off where it is longer than `most` bytes."""
    pieces: list[bytes] = []
    size = 0
    for piece in response.iter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > most:
            break
    return b"".join(pieces)[:most]


def _events(response: httpx2.Response) -> Iterator[bytes]:
    """Gives the data of the events of a stream (html.spec.whatwg.org/multipage/server-sent-events.html).

    Raises:
        ValueError: there is no end of it.
    """
    rest, size = b"", 0
    for piece in response.iter_bytes():
        size += len(piece)
        if size > MAX_BODY:
            raise ValueError(f"a stream of more than {MAX_BODY} bytes")
        *lines, rest = (rest + piece).replace(b"\r\n", b"\n").split(b"\n")
        yield from (line[5:].strip() for line in lines if line.startswith(b"data:") and line[5:].strip())
    if rest.startswith(b"data:"):
        yield rest[5:].strip()


def _json(data: bytes) -> Any:
    """Returns a document of the server.

    Raises:
        FailedTry: it is not JSON.
    """
    try:
        return orjson.loads(data)
    except ValueError:
        pass
    try:
        # orjson refuses halves of surrogate pairs, which proxies make when they cut a stream between them.
        return json.loads(data)
    except (ValueError, RecursionError):
        said = one_line(data[:2000].decode("utf-8", "replace")) or "nothing"
        message = f"The server sent what is no answer of OpenAI's chat API ({said}): check the base URL."
        raise FailedTry("bad-response", message, worth=FEW) from None
