"""What a jailed process says, made harmless: somebody hostile wrote it until proven otherwise.

Wrong kinds become nothing, long texts are cut, letters that do not print become spaces; nothing raises.
"""

import base64
import re
from dataclasses import dataclass
from typing import Any

from csro_core.policies.source import Problem

# As the default `repr` of an object writes it. It differs from run to run, where results must be equal.
_OBJECT_ADDRESS = re.compile(r"\bat 0x[0-9A-Fa-f]+")


@dataclass(frozen=True)
class SlotFailure:
    """A policy failed in one episode, and its process lives on.

    Attributes:
        episode: index in the batch.
        status: "exception", "illegal-action" or "memory".
        message: one sentence without line, episode and step.
        line: line of the policy, where known.
    """

    episode: int
    status: str
    message: str
    line: int | None


def one_line(value: object, longest: int) -> str:
    """Returns a text of a worker as one harmless line."""
    text = "".join(letter if letter.isprintable() else " " for letter in str(value)[:longest])
    return " ".join(text.split())


def some_bytes(value: object) -> bytes:
    """Returns bytes that were sent as base64; none where they were not."""
    try:
        return base64.b64decode(value, validate=True) if isinstance(value, str) else b""
    except ValueError:
        return b""


def line_number(value: object) -> int | None:
    """Returns the number of a line of a text, None where it cannot be one."""
    return value if type(value) is int and 0 < value < 1_000_000 else None


def problems_of(value: object) -> tuple[Problem, ...]:
    """Returns the problems in a list of pairs [line, message]."""
    listed = value if isinstance(value, list) else []
    pairs = [one for one in listed if isinstance(one, list) and len(one) == 2]
    return tuple(Problem(line_number(line) or 0, one_line(message, 1_000)) for line, message in pairs)


def slot_failure(value: dict[str, Any]) -> SlotFailure:
    """Returns one described failure; its episode is -1 where it names none."""
    status = value.get("status")
    episode = value.get("episode")
    return SlotFailure(
        episode=episode if type(episode) is int else -1,
        status=status if status in {"exception", "illegal-action", "memory"} else "exception",
        message=_OBJECT_ADDRESS.sub("at 0x...", one_line(value.get("message"), 600)),
        line=line_number(value.get("line")),
    )
