"""The registry of code models: a new model is one new file and one line here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from types import MappingProxyType
from urllib.parse import urlsplit

from csro_core.errors import UsageError
from csro_core.models.base import AnswerBook, CodeModel, Request
from csro_core.models.chat import ChatClient, Prompt, RenderPrompt
from csro_core.models.language import LanguageModel
from csro_core.models.names import FORMS, ModelName, is_loopback, parse_name
from csro_core.models.prices import default_gemini, price_of
from csro_core.models.recorded import RecordedModel
from csro_core.models.retry import Retry
from csro_core.models.synthesiser import Synthesiser

MODELS: Mapping[str, Callable[[], CodeModel]] = MappingProxyType(
    {"synthesiser": Synthesiser, "synthesiser:equilibrium": partial(Synthesiser, equilibrium=True)}
)
"""Name of a model that needs nothing from outside → what builds it."""

GEMINI_KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
OPENAI_KEYS: Mapping[str, str] = MappingProxyType(
    {"api.openai.com": "OPENAI_API_KEY", "openrouter.ai": "OPENROUTER_API_KEY"}
)
"""Host → the variable whose key is meant for it."""

ON_THIS_MACHINE = Retry(deadline=1_800.0, longest_try=1_800.0)
"""For a server on loopback. It is slow without being dead: without a graphics card, a model reads 30 to 100 tokens a
second and writes 2 to 20; and it mostly answers one call after the other, so that a call waits for those before it."""


def _no_words(_: Request) -> Prompt:
    raise ValueError("a language model was asked, but ModelTools.render was not given")


class _NoAnswers:
    def find(self, request_key: str) -> str | None:
        raise ValueError(f"a recording was asked for {request_key}, but ModelTools.answers was not given")


@dataclass(frozen=True)
class ModelTools:
    """What models are built with; the names of models can be checked without any of it.

    Attributes:
        render: puts requests into words for language models.
        prompt_version: of what `render` writes.
        key: of the provider, such as a user has typed; None: look into `environment`.
        answers: opens the answers of a stored run by its id.
        retry: when clients ask again, and how long a call may take; None: what suits the server.
        environment: where keys and `GOOGLE_GEMINI_BASE_URL` are looked for; empty unless it is given.
    """

    render: RenderPrompt = _no_words
    prompt_version: str = ""
    key: str | None = field(default=None, repr=False)
    answers: Callable[[str], AnswerBook] | None = None
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    retry: Retry | None = None


def make_model(name: str, tools: ModelTools = ModelTools()) -> CodeModel:
    """Returns the model with this name. Nothing is sent, and no key is needed before the first call.

    Args:
        name: see `known_models`.
        tools: what language models and recordings need.

    Raises:
        UsageError: the name has no known form; the message lists the known ones. Or the recorded run is not there.
    """
    parsed = parse_name(name, default_gemini())
    if parsed.kind == "synthesiser":
        return MODELS[str(parsed)]()
    if parsed.kind == "recorded":
        book = _NoAnswers() if tools.answers is None else tools.answers(parsed.model)
        return RecordedModel(str(parsed), f"answers recorded in run {parsed.model}", book)
    price = price_of(str(parsed), datetime.now(UTC).date())
    return LanguageModel(_client(parsed, tools), tools.render, price, tools.prompt_version)


def make_client(name: str, tools: ModelTools = ModelTools()) -> ChatClient:
    """Returns the client of a language model, to test a connection or to ask which models a server offers.

    Raises:
        UsageError: the name has no known form, or is none of a language model.
    """
    parsed = parse_name(name, default_gemini())
    if parsed.kind in {"gemini", "openai"}:
        return _client(parsed, tools)
    raise UsageError(f"{name!r} is not a language model on a server; known are gemini:MODEL and openai:MODEL@BASE_URL")


def _client(parsed: ModelName, tools: ModelTools) -> ChatClient:
    key = key_for(parsed, tools)
    # Late, since google-genai takes 0.6 s to import and httpx2 0.2 s, which every command would pay.
    if parsed.kind == "openai":
        # Late, as said above.
        from csro_core.models.openai_compatible import OpenAiClient

        usual = ON_THIS_MACHINE if is_loopback(parsed.base_url) else Retry()
        return OpenAiClient(parsed.model, parsed.base_url, key, retry=tools.retry or usual)
    # Late, as said above.
    from csro_core.models.gemini import GeminiClient

    base_url = tools.environment.get("GOOGLE_GEMINI_BASE_URL") or None
    return GeminiClient(parsed.model, key, base_url=base_url, retry=tools.retry or Retry())


def key_for(parsed: ModelName, tools: ModelTools) -> str | None:
    """Returns the key for a model: the one that was given, else the one of the environment; None where there is none.

    A key of the environment goes to the server that it was made for and to no other: the name of a model, with its
    server, may come from a run that somebody else has sent.
    """
    if tools.key:
        return tools.key
    if parsed.kind == "gemini":
        found = (tools.environment.get(name) for name in GEMINI_KEYS)
        return next((key for key in found if key), None)
    if parsed.kind == "openai" and parsed.base_url.startswith("https:"):
        variable = OPENAI_KEYS.get(urlsplit(parsed.base_url).hostname or "")
        return tools.environment.get(variable) or None if variable else None
    return None


def known_models() -> Mapping[str, str]:
    """Returns the forms of names and what each stands for, for the help of the command line."""
    return FORMS
