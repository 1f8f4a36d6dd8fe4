"""What a language model is asked and what it answers: the seam `ChatClient`, below the code models that use one.

A prompt has labelled parts, the constant ones first, so that a provider's prefix cache serves every call of a run and a
page can show which part is what. It is built from a structured request by a pure function (`RenderPrompt`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import orjson

from csro_core.models.base import OnText, Request


@dataclass(frozen=True)
class PromptPart:
    """A labelled part of a message: "rules", "opponents", "task", …."""

    name: str
    text: str


@dataclass(frozen=True)
class Prompt:
    """What is sent.

    Attributes:
        system: role and contract of the answer.
        parts: the message, in order, the parts that never change in a run first.
        version: of the prompt files; part of an answer's identity.
    """

    system: str
    parts: tuple[PromptPart, ...]
    version: str

    @property
    def user(self) -> str:
        """The message as one text."""
        return "\n\n".join(part.text for part in self.parts)

    def to_text(self) -> str:
        """Returns the prompt as a JSON text for the store."""
        parts = [[part.name, part.text] for part in self.parts]
        return orjson.dumps({"version": self.version, "system": self.system, "parts": parts}).decode()

    @classmethod
    def from_text(cls, text: str) -> "Prompt":
        """Returns the prompt that `to_text` wrote.

        Raises:
            ValueError: it is not one.
        """
        data: Any = orjson.loads(text)
        try:
            parts = tuple(PromptPart(str(name), str(body)) for name, body in data["parts"])
            return cls(str(data["system"]), parts, str(data["version"]))
        except (KeyError, TypeError) as error:
            raise ValueError("this is not the text of a prompt") from error


RenderPrompt: TypeAlias = Callable[[Request], Prompt]
"""Turns a structured request into a prompt; pure."""

@dataclass(frozen=True)
class Usage:
    """Tokens of a call as the server counts them; 0 where it does not say.

    Attributes:
        prompt: tokens sent, the cached ones included.
        cached: those of them that the provider had in its cache.
        output: tokens of the visible answer.
        thinking: tokens of thought; billed like output.
    """

    prompt: int = 0
    cached: int = 0
    output: int = 0
    thinking: int = 0


@dataclass(frozen=True)
class ChatAnswer:
    """A complete answer.

    Attributes:
        text: what the model wrote, thoughts left out; never empty.
        usage: tokens, failed tries included.
        model: the name that the server gives itself, "" where it does not.
        tries: how often it was asked until it answered, >= 1.
        seconds: wall time, waits included.
    """

    text: str
    usage: Usage
    model: str = ""
    tries: int = 1
    seconds: float = 0.0


class ChatClient(Protocol):
    """One model of one provider. Safe to use from several threads."""

    @property
    def name(self) -> str:
        """The name on the command line, such as "gemini:gemini-3.8-flash"."""
        ...

    @property
    def title(self) -> str:
        """The name for people."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What is sent besides the messages (temperature, thinking, token limit); part of an answer's identity."""
        ...

    def chat(self, prompt: Prompt, sample: int, on_text: OnText | None = None) -> ChatAnswer:
        """Asks once; retries what is worth it, within its deadline.

        Args:
            prompt: what to send.
            sample: number of the sample, sent as a seed where the provider takes one.
            on_text: hears of the text so far, where the provider streams.

        Raises:
            ModelError: no answer, with a reason of `errors.ModelError` and advice; never with a key in it.
        """
        ...

    def offered(self) -> tuple[str, ...]:
        """Returns the names of the models that the server offers for this key.

        Raises:
            ModelError: it does not say.
        """
        ...
