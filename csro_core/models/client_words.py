"""What the clients of language models share about words: keys that must not be in them, and lines of bounded length."""

import re
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import quote

from csro_core.models.chat import ChatAnswer, Usage
from csro_core.models.retry import FailedTry, Tried, add_usage

SHORTEST_SECRET = 6
"""Keys of servers that want none, such as "none", are words and stay in messages."""


class Reading(Protocol):
    """An answer as a client has read it."""

    @property
    def text(self) -> str:
        """What the model wrote, thoughts left out."""
        ...

    @property
    def usage(self) -> Usage:
        """Tokens as the server counts them."""
        ...

    @property
    def model(self) -> str:
        """The name that the server gives itself, "" where it does not."""
        ...


@dataclass(frozen=True)
class Key:
    """A key, or none. Its `repr` tells nothing.

    Attributes:
        value: what is sent, "" for none.
    """

    value: str = field(repr=False)

    def __bool__(self) -> bool:
        """Returns whether there is one."""
        return bool(self.value)

    @property
    def can_be_sent(self) -> bool:
        """False where it holds what no header can: the HTTP library would quote it in its error."""
        return re.fullmatch(r"[!-~]+", self.value) is not None

    def hidden_in(self, text: str) -> str:
        """Returns words of a server or a library without the key."""
        if len(self.value) < SHORTEST_SECRET:
            return text
        return text.replace(self.value, "[key]").replace(quote(self.value, safe=""), "[key]")

    def answer(self, tried: Tried[Reading]) -> ChatAnswer:
        """Returns what came of a call, without the key."""
        return ChatAnswer(
            text=self.hidden_in(tried.value.text),
            usage=add_usage(tried.wasted, tried.value.usage),
            model=self.hidden_in(tried.value.model),
            tries=tried.tries,
            seconds=tried.seconds,
        )

    def failure(self, failure: FailedTry) -> FailedTry:
        """Returns a new failure like this one without the key; the old one may hang on an error that holds it."""
        return FailedTry(
            failure.reason,
            self.hidden_in(failure.message),
            worth=failure.worth,
            delay=failure.delay,
            usage=failure.usage,
            answer=self.hidden_in(failure.answer),
        )


def key_of(text: str | None) -> Key:
    """Returns what somebody has given as a key."""
    return Key((text or "").strip())


def one_line(text: str) -> str:
    """Returns words of a server, such as a page of HTML, as one line of bounded length."""
    line = " ".join(text[:2000].encode("utf-8", "replace").decode("utf-8").split())
    return line if len(line) <= 300 else f"{line[:299]}\u2026"
