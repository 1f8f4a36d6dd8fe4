"""The names of models on the command line, taken apart and checked for their shape: no network, no key, no import."""

import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from csro_core.errors import UsageError

Kind: TypeAlias = Literal["synthesiser", "gemini", "openai", "recorded"]

FORMS: Mapping[str, str] = MappingProxyType({
    "synthesiser": "the built-in grammar, free, no key",
    "synthesiser:equilibrium": "the same; it may also write a solved table (CFR+) into policies for repeated_leduc",
    "gemini:MODEL": "a model of the Gemini API; the key is in GEMINI_API_KEY or GOOGLE_API_KEY",
    "openai:MODEL@BASE_URL": "a server that speaks OpenAI's API, such as Ollama at http://127.0.0.1:11434/v1; "
    "a key is in OPENAI_API_KEY (api.openai.com), in OPENROUTER_API_KEY (openrouter.ai), or is given by hand (the "
    "page's key field, or --key-on-stdin)",
    "recorded:RUN": "the answers of a stored run, free, no key",
})
"""Form of a name → what it stands for, in words."""

_MODEL = re.compile(r"[A-Za-z0-9][\w.:/+-]{0,127}")
_OPENAI_MODEL = re.compile(r"[\w@][\w.:/+@-]{0,127}", re.ASCII)
_RUN = re.compile(r"[^\s](?:[^\n\r\t]{0,198}[^\s])?")


@dataclass(frozen=True)
class ModelName:
    """A name, taken apart.

    Attributes:
        kind: which of `FORMS`.
        model: name of the model at its provider, or of the run; "" or "equilibrium" for the synthesiser.
        base_url: of an OpenAI-compatible server, without a slash at its end; "" for the others.
    """

    kind: Kind
    model: str = ""
    base_url: str = ""

    def __str__(self) -> str:
        """Returns the whole name in its usual form."""
        if self.base_url:
            return f"{self.kind}:{self.model}@{self.base_url}"
        return f"{self.kind}:{self.model}" if self.model else self.kind


def parse_name(name: str, default_gemini: str) -> ModelName:
    """Takes a name apart.

    Args:
        name: such as "openai:qwen2.5-coder@http://127.0.0.1:11434/v1".
        default_gemini: the model that "gemini" alone stands for.

    Returns:
        Its parts in their usual form.

    Raises:
        UsageError: it has none of the known forms; the message lists them.
    """
    if name in {"synthesiser", "synthesiser:equilibrium"}:
        return ModelName("synthesiser", name.partition(":")[2])
    if name == "gemini":
        return ModelName("gemini", default_gemini)
    kind, colon, rest = name.partition(":")
    if not colon or kind not in _PARSERS:
        raise UsageError(f"unknown model {name!r}; known models: {', '.join(FORMS)}")
    return _PARSERS[kind](rest)


def _gemini(model: str) -> ModelName:
    model = model.removeprefix("models/")
    if not _MODEL.fullmatch(model):
        raise UsageError(f"gemini:MODEL needs the name of a model, such as gemini-3.8-flash; got {model!r}")
    return ModelName("gemini", model)


def _openai(rest: str) -> ModelName:
    # The last "@" before a scheme: names of models may hold one too.
    found = re.fullmatch(r"(.*)@(https?://.*)", rest)
    if found is None or not _OPENAI_MODEL.fullmatch(found[1]) or "://" in found[1]:
        raise UsageError(
            "openai:MODEL@BASE_URL needs a model and a URL, such as openai:qwen2.5-coder@http://127.0.0.1:11434/v1; "
            f"got openai:{_without_secrets(rest)}"
        )
    return ModelName("openai", found[1], usual_url(found[2]))


def _recorded(run: str) -> ModelName:
    if not _RUN.fullmatch(run):
        raise UsageError(
            f"recorded:RUN needs the id or name of a stored run (`python -m csro_core runs` lists them); got {run!r}"
        )
    return ModelName("recorded", run)


_PARSERS: Mapping[str, Callable[[str], ModelName]] = MappingProxyType({
    "gemini": _gemini,
    "openai": _openai,
    "recorded": _recorded,
})


def usual_url(url: str) -> str:
    """Returns a base URL in its usual form: no slash or "/chat/completions" at the end, "/v1" where it has no path.

    Raises:
        UsageError: it is no http(s) URL of a host, or holds a user name, a password or a query: a name of a model is
            stored and shown, so no secret may be in it.
    """
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        host = None
    if host is None or not re.fullmatch(r"https?://[\w.:\[\]/~%@?=&+#-]+", url, re.ASCII):
        raise UsageError(
            f"a base URL must be http(s)://HOST[:PORT][/PATH], such as http://127.0.0.1:11434/v1; "
            f"got {_without_secrets(url)!r}"
        )
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise UsageError(
            "a base URL must hold no user name, password or query, since it is stored: give the key by hand "
            f"(key field of the page, or --key-on-stdin); got {_without_secrets(url)!r}"
        )
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    return f"{parts.scheme}://{parts.netloc.lower()}{path or '/v1'}"


def _without_secrets(text: str) -> str:
    """Returns a text with a URL in it without what may be a password or a key."""
    return re.sub(r"(?<=://)[^/\s]*@", "[hidden]@", re.sub(r"[?#].*", "?[hidden]", text))


def provider_of(name: ModelName) -> str:
    """Returns whose key a model takes: "gemini", or the base URL of its server; "" where it asks nobody."""
    return name.base_url if name.kind == "openai" else "gemini" if name.kind == "gemini" else ""


def is_loopback(url: str) -> bool:
    """Returns True where a URL names this machine."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
