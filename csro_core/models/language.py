"""A language model as a code model: the request in words, the answer, the program in it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from csro_core.errors import ModelError
from csro_core.models.base import Completion, OnText, Request
from csro_core.models.chat import ChatClient, Prompt, RenderPrompt, Usage
from csro_core.models.extract import Reading, read_answer, read_cut_answer
from csro_core.models.prices import Price, cost


class LanguageModel:
    """A `CodeModel` that asks a `ChatClient`. As safe to use from several threads as that is."""

    def __init__(self, client: ChatClient, render: RenderPrompt, price: Price | None, prompt_version: str = "") -> None:
        """Keeps its collaborators.

        Args:
            client: who answers.
            render: puts a request into words.
            price: of the client's tokens, None where it is not known.
            prompt_version: of what `render` writes, since it decides the answers too.
        """
        self.client = client
        self.price = price
        self._render = render
        self._prompt_version = prompt_version

    @property
    def name(self) -> str:
        """The name on the command line."""
        return self.client.name

    @property
    def title(self) -> str:
        """The name for people."""
        return self.client.title

    @property
    def free(self) -> bool:
        """True where the price is known to be zero."""
        return self.price is not None and self.price.is_free

    @property
    def identity(self) -> str:
        """The name with its parameters and the version of the prompts, as JSON."""
        parameters: Mapping[str, Any] = self.client.parameters
        known = {"model": self.name, "parameters": dict(parameters), "prompt": self._prompt_version}
        return orjson.dumps(known, option=orjson.OPT_SORT_KEYS).decode()

    def write(self, request: Request, on_text: OnText | None = None) -> Completion:
        """Asks the client.

        Returns:
            Its answer. It has a problem where it holds no program; that it costs all the same.

        Raises:
            ModelError: there is no answer, or it was cut off before it held a whole program.
        """
        prompt = self._render(request)
        try:
            answer = self.client.chat(prompt, request.sample, on_text)
        except ModelError as error:
            if error.reason != "truncated" or request.task == "summarise":
                raise
            reading = read_cut_answer(error.answer)
            if not reading.source:
                raise
            usage = Usage(error.tokens_in, 0, error.tokens_out - error.tokens_thinking, error.tokens_thinking)
            return replace(self._completion(prompt, error.answer, reading, usage), cut_off=True)
        return self._completion(prompt, answer.text, reading_of(request, answer.text), answer.usage)

    def _completion(self, prompt: Prompt, answer: str, reading: Reading, usage: Usage) -> Completion:
        return Completion(
            source=reading.source,
            idea=reading.idea,
            answer=answer,
            prompt=prompt.to_text(),
            tokens_in=usage.prompt,
            tokens_out=usage.output + usage.thinking,
            usd=cost(usage, self.price),
            problem=reading.problem,
            tokens_cached=usage.cached,
            tokens_thinking=usage.thinking,
        )


def reading_of(request: Request, answer: str) -> Reading:
    """Returns what an answer holds, given what was asked: a summary is prose and has no program to miss."""
    return Reading("", "", "") if request.task == "summarise" else read_answer(answer)
