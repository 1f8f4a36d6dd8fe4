"""What a call costs. The numbers are in `prices.json`, with their date and sources; an unknown price is never zero."""

from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

import orjson

from csro_core.models.chat import Usage
from csro_core.models.names import is_loopback, parse_name

_GOOGLE_HOST = "generativelanguage.googleapis.com"
_MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """Price in USD per million tokens.

    Attributes:
        input: of prompt tokens that are not in the provider's cache.
        cached: of prompt tokens that are.
        output: of answer tokens, thoughts included.
        above: prompts of more tokens than this are charged by `long`; 0 where there is no such price.
        long: the price of long prompts.
    """

    input: float
    cached: float
    output: float
    above: int = 0
    long: "Price | None" = None

    @property
    def is_free(self) -> bool:
        """True where a call costs nothing."""
        return self.input == self.cached == self.output == 0 and self.long is None


FREE = Price(0.0, 0.0, 0.0)


def price_of(name: str, today: date) -> Price | None:
    """Returns what a model costs on a day.

    Args:
        name: as on the command line: "gemini:MODEL", "openai:MODEL@BASE_URL", ….
        today: introductory prices end.

    Returns:
        The price; `FREE` for the synthesiser, recordings, and servers on this machine; None where it is not known.

    Raises:
        UsageError: the name has no known form.
    """
    parsed = parse_name(name, default_gemini())
    if parsed.kind in {"synthesiser", "recorded"}:
        return FREE
    if parsed.kind == "openai":
        if is_loopback(parsed.base_url):
            return FREE
        if urlsplit(parsed.base_url).hostname != _GOOGLE_HOST:
            return None
    listed: list[dict[str, Any]] = _data()["models"].get(parsed.model.removeprefix("models/"), {}).get("prices", [])
    for price in listed:
        if "until" not in price or today <= date.fromisoformat(price["until"]):
            return _price(price)
    return None


def _price(data: dict[str, Any]) -> Price:
    long: dict[str, Any] | None = data.get("long")
    return Price(
        data["input"], data["cached"], data["output"],
        above=long["above"] if long else 0, long=_price(long) if long else None,
    )  # fmt: skip


def cost(usage: Usage, price: Price | None) -> float | None:
    """Returns the USD that a call costs, None where the price is not known.

    Tokens of several tries are charged as if they were one prompt, which can only be too much.
    """
    if price is None:
        return None
    if price.long is not None and usage.prompt > price.above:
        return cost(usage, price.long)
    cached = min(usage.cached, usage.prompt)
    thoughts_and_text = usage.output + usage.thinking
    charged = (usage.prompt - cached) * price.input + cached * price.cached + thoughts_and_text * price.output
    return charged / _MILLION


def default_gemini() -> str:
    """Returns the Gemini model that "gemini" alone stands for."""
    return str(_data()["gemini"]["default"])


def gemini_models() -> tuple[str, ...]:
    """Returns the Gemini models worth offering while the server has not been asked, the default first."""
    return tuple(_data()["gemini"]["fallbacks"])


def prices_date() -> date:
    """Returns the day on which the prices were collected."""
    return date.fromisoformat(_data()["date"])


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    data: dict[str, Any] = orjson.loads(files("csro_core.models").joinpath("prices.json").read_bytes())
    return data
