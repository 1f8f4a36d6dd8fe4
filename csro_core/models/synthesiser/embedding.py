"""Quotes an opponent's text inside a policy, so that the policy can ask a copy of the opponent what it would do.

The text is only indented: its names become local to a function. It is neither parsed nor run here; a quotation that
does not work fails in the jail, like any other policy.
"""

import re

MAX_QUOTED = 14_000
"""Characters; the quoting policy must stay below the guard's 32 KB and 6,000 syntax nodes."""

# Would change their meaning inside a function, or embed a third policy (depth one only).
_UNQUOTABLE = re.compile(r"^\s*(?:global|nonlocal)\s|^def rival\(|^from\s+\S+\s+import\s+\*", re.MULTILINE)
_HEAD = 'def rival():\n    """Returns the class of '
_TAIL = ', quoted as it is written."""\n'
_END = "\n\n    return Policy\n"
_FUTURE = re.compile(r"from\s+__future__\s+import\s")


def quotable(text: str) -> bool:
    """Returns True for a text that can be quoted: short, with its own class Policy, and no policy quoted in it."""
    if len(text) > MAX_QUOTED or re.search(r"^class Policy\b", text, re.MULTILINE) is None:
        return False
    return _UNQUOTABLE.search(text) is None


def quoted(text: str, name: str) -> str:
    """Returns `def rival(): ...`, a function that returns the class `Policy` of the text.

    Args:
        text: a `quotable` text.
        name: what people call the policy, in plain letters.
    """
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n") if not _FUTURE.match(line)]
    body = "\n".join(f"    {line}" if line else "" for line in lines).strip("\n")
    return f"{_HEAD}{name}{_TAIL}{body}{_END}"


def quotation_in(text: str) -> tuple[str, str] | None:
    """Returns the name and the text that a policy quotes in the way of `quoted`, or None where it quotes nothing."""
    start = text.find("\n" + _HEAD)
    end = text.find(_END, start)
    middle = text.find(_TAIL, start, end)
    if start < 0 or end < 0 or middle < 0:
        return None
    name = text[start + 1 + len(_HEAD) : middle]
    body = "\n".join(line[4:] for line in text[middle + len(_TAIL) : end].split("\n")) + "\n"
    return (name, body) if quotable(body) else None
