"""Gemini over its REST API with google-genai: `GeminiClient`.

The SDK is used for the wire format only: waiting, asking again and the deadline are ours (`retry`).
"""

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar

import httpx2
from google import genai
from google.genai import errors, types
from google.genai.models import Models

from csro_core.errors import UsageError
from csro_core.models.base import OnText
from csro_core.models.chat import ChatAnswer, Prompt
from csro_core.models.client_words import key_of, one_line
from csro_core.models.gemini_outcomes import NEW_KEY, Reading, failure_of
from csro_core.models.gemini_sdk import build, http_options, split_version
from csro_core.models.retry import FEW, OFTEN, FailedTry, Retry, Tell, within

Value = TypeVar("Value")

Thinking: TypeAlias = Literal["low", "medium", "high", "default"]

GOOGLE = "https://generativelanguage.googleapis.com"
API_VERSION = "v1"

BUDGETS = {"low": 1024, "medium": 8192, "high": 24576}
"""Gemini 2.5 thinks by a number of tokens. Every 2.5 model takes these (ai.google.dev/gemini-api/docs/thinking)."""

LEVELS = {
    "low": types.ThinkingLevel.LOW,
    "medium": types.ThinkingLevel.MEDIUM,
    "high": types.ThinkingLevel.HIGH,
}

BROKEN = (ValueError, TypeError, AttributeError, LookupError)
"""What google-genai raises over a body that is not JSON or not of its schema; none of it is an `APIError`."""


@dataclass(frozen=True)
class GeminiSettings:
    """What is sent besides the messages.

    Attributes:
        thinking: how much the model thinks; "default" leaves it to the model. Models before 2.5 are not told.
        max_output_tokens: bound of an answer. Thinking counts inside it, so it is far above the length of a policy.
        temperature: sent to models before Gemini 3 only; from there on it is deprecated. None leaves it to the model.
    """

    thinking: Thinking = "default"
    max_output_tokens: int = 32_768
    temperature: float | None = None


class GeminiClient:
    """One Gemini model. Safe to use from several threads."""

    def __init__(
        self,
        model: str,
        key: str | None,
        settings: GeminiSettings = GeminiSettings(),
        *,
        base_url: str | None = None,
        api_version: str | None = None,
        retry: Retry = Retry(),  # noqa: B008 frozen
    ) -> None:
        """Opens no connection and reads no key from the environment.

        Args:
            model: such as "gemini-3.8-flash".
            key: of the API; without one, every call is the `ModelError` "needs-key".
            settings: of the request.
            base_url: of a server that speaks the Gemini API; a version at its end, as people paste it, is taken as
                `api_version`.
            api_version: path segment before "models", "v1" where nobody says otherwise.
            retry: when to ask again, and the deadline.

        Raises:
            UsageError: the URL is none of http or https, or there is no model.
        """
        self.model = model.removeprefix("models/").strip()
        if not self.model:
            raise UsageError("a Gemini model needs a name, such as gemini:gemini-3.8-flash; got none")
        address, version = split_version(base_url or GOOGLE)
        self._address = address
        self._version = api_version or version or API_VERSION
        self._key = key_of(key)
        self._settings = settings
        self._retry = retry
        self._generation = generation(self.model)
        self._takes_seed = self._generation is not None
        self._lock = threading.Lock()
        self._client: genai.Client | None = None

    def __repr__(self) -> str:
        """Returns the name of the model, and no key."""
        return f"GeminiClient({self.model!r})"

    @property
    def name(self) -> str:
        """The name on the command line."""
        return f"gemini:{self.model}"

    @property
    def title(self) -> str:
        """The name for people."""
        return f"{self.model} (Gemini API)"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What is sent besides the messages."""
        sent: dict[str, Any] = {"max_output_tokens": self._settings.max_output_tokens}
        since = self._generation or 0.0
        thinking = self._settings.thinking
        if thinking != "default" and since >= 3:
            sent["thinking_level"] = thinking
        elif thinking != "default" and since >= 2.5:
            sent["thinking_budget"] = BUDGETS[thinking]
        if self._settings.temperature is not None and since < 3:
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

        def once(seconds: float) -> Reading:
            reading = Reading(self._settings.max_output_tokens)
            config = self._config(prompt, sample, seconds)

            def ask(models: Models, tell: Tell) -> None:
                if on_text is None:
                    reading.add(models.generate_content(model=self.model, contents=prompt.user, config=config))
                else:
                    stream = models.generate_content_stream(model=self.model, contents=prompt.user, config=config)
                    for response in stream:
                        if reading.add(response):
                            tell(self._key.hidden_in(reading.text))
                reading.check()

            self._call(seconds, ask, reading, self.model, on_text)
            return reading

        return self._key.answer(self._retry.run(once))

    def offered(self) -> tuple[str, ...]:
        """Returns the names of the models that the server offers for this key and that write text.

        Raises:
            ModelError: it does not say.
        """

        def once(seconds: float) -> tuple[str, ...]:
            config = types.ListModelsConfig(http_options=http_options(seconds))

            def ask(models: Models, _: Tell) -> tuple[str, ...]:
                listed = [(model.name or "", model.supported_actions or []) for model in models.list(config=config)]
                return tuple(name.removeprefix("models/") for name, verbs in listed if "generateContent" in verbs)

            return self._call(seconds, ask, Reading(0), "", None)

        return tuple(self._key.hidden_in(name) for name in self._retry.run(once).value)

    def _config(self, prompt: Prompt, sample: int, seconds: float) -> types.GenerateContentConfig:
        """Returns the SDK's form of the parameters for one try."""
        sent = self.parameters
        thinking = None
        if "thinking_level" in sent:
            thinking = types.ThinkingConfig(thinking_level=LEVELS[sent["thinking_level"]])
        elif "thinking_budget" in sent:
            thinking = types.ThinkingConfig(thinking_budget=sent["thinking_budget"])
        return types.GenerateContentConfig(
            system_instruction=prompt.system or None,
            max_output_tokens=sent["max_output_tokens"],
            temperature=sent.get("temperature"),
            seed=sample % 2**31 if self._takes_seed else None,  # the API's seed is a signed number of 32 bits
            thinking_config=thinking,
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
            http_options=http_options(seconds),
        )

    def _call(
        self, seconds: float, ask: Callable[[Models, Tell], Value], reading: Reading, model: str, on_text: OnText | None
    ) -> Value:
        """Returns what `ask` does, within `seconds`; a failure holds no key.

        Args:
            seconds: for the try.
            ask: uses the SDK, and tells of the text so far.
            reading: of the answer, as far as it comes.
            model: that is asked for, "" where none is.
            on_text: hears of the text.

        Raises:
            FailedTry: no answer.
        """

        def work(tell: Tell) -> Value:
            try:
                return ask(client.models, tell)
            except (errors.APIError, httpx2.HTTPError, httpx2.InvalidURL, *BROKEN) as error:
                failure = self._failure(error, reading, model)
            # Outside of the handler, so that no error of the SDK, which holds the response, hangs on this one.
            raise failure

        try:
            client = self._sdk()
            return within(seconds, work, on_text)
        except TimeoutError:
            failure = late(reading, seconds)
        except FailedTry as error:
            failure = error
        raise self._key.failure(failure)

    def _failure(self, error: Exception, reading: Reading, model: str) -> FailedTry:
        """Returns what an error of the SDK or of its HTTP client means."""
        if isinstance(error, errors.APIError):
            failure = failure_of(error, model)
            if failure.reason == "bad-request" and re.search(r"\bseed\b", failure.message):
                # Sampling parameters disappear model by model; a seed is not worth a call.
                self._takes_seed = False
                failure.worth = 2
        elif isinstance(error, httpx2.TimeoutException):
            return late(reading, None)
        elif isinstance(error, httpx2.LocalProtocolError | httpx2.UnsupportedProtocol | httpx2.InvalidURL):
            failure = FailedTry("bad-request", f"The request cannot be sent ({described(error)}): check the base URL.")
        elif isinstance(error, httpx2.TransportError):
            advice = "check the connection, the proxy and the base URL, or resume later."
            message = f"{self._address} was not reached ({described(error)}): {advice}"
            failure = FailedTry("network", message, worth=OFTEN)
        else:
            message = f"The server sent what is no answer of the Gemini API ({described(error)}): check the base URL."
            failure = FailedTry("bad-response", message, worth=FEW)
        failure.usage, failure.answer = reading.usage, reading.text
        return failure

    def _sdk(self) -> genai.Client:
        """Returns the SDK's client, which lives as long as this one.

        Raises:
            FailedTry: there is no key, or none that could be sent; or the proxy of the environment cannot be used.
        """
        if not self._key:
            advice = f"set GEMINI_API_KEY or enter one ({NEW_KEY} gives them out)."
            raise FailedTry("needs-key", f"A Gemini model needs an API key: {advice}")
        if not self._key.can_be_sent or self._key.value.startswith("auth_tokens/"):
            raise FailedTry("wrong-key", f"The API key holds characters that no key has: copy it again from {NEW_KEY}.")
        with self._lock:
            if self._client is None:
                try:
                    self._client = build(self._key.value, self._address, self._version)
                except (ImportError, ValueError) as error:
                    # A proxy of the environment: one that is no URL, or SOCKS without the package for it.
                    message = f"The HTTP client cannot be made ({described(error)}): check the proxy variables."
                    raise FailedTry("network", message) from None
            return self._client


def late(reading: Reading, seconds: float | None) -> FailedTry:
    """Returns the failure of a try that was out of time; it may be billed, so it is repeated once at most."""
    time = "in time" if seconds is None else f"within {seconds:.0f} s"
    advice = "let the model think less, allow more time, or resume later."
    return reading.failed("timeout", f"The server did not answer {time}: {advice}", worth=2)


def described(error: Exception) -> str:
    """Returns an error of a library in one line."""
    return one_line(f"{type(error).__name__}: {error}")


def generation(model: str) -> float | None:
    """Returns the number of a Gemini generation, such as 3.8; None where the name holds none."""
    match = re.match(r"gemini-(\d+(?:\.\d+)?)", model)
    return None if match is None else float(match[1])
