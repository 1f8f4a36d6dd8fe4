"""Texts of others inside a prompt: framed so that they cannot get out of the frame.

A program, a name or an error message may say "ignore your instructions" or try to close the block that it stands in.
Here a block is closed by more backticks than its text has in a row, a short text stands in quotes on one line, and
nothing that is shown has a character that a reader could not see or would take for the end of a line.
"""

import re
from collections.abc import Iterator

_BACKTICKS = re.compile("`+")
_LINE_END = re.compile(r"\r\n?")
_SHORTEST = 3


def fenced(text: str, label: str, limit: int) -> str:
    """Returns a text as a fenced block that nothing in it can close.

    Args:
        text: what to show; of anybody.
        label: language of the block.
        limit: characters that are shown, >= 1; a longer text is cut at the end of a line, and a note says so.
    """
    shown, note = cleaned(text).strip("\n"), ""
    if len(shown) > limit:
        note = f"\n(cut: the block shows the beginning of {len(shown):,} characters)"
        shown = shown[: (shown.rfind("\n", 0, limit) + 1) or limit].rstrip("\n")
    longest = max((len(run) for run in _BACKTICKS.findall(shown)), default=0)
    fence = "`" * max(_SHORTEST, longest + 1)
    return f"{fence}{label}\n{shown}\n{fence}{note}"


def quoted(text: str, limit: int) -> str:
    """Returns a text in double quotes on one line: a name, or the message of a failure.

    Args:
        text: what to show; of anybody.
        limit: characters that are shown, >= 1.
    """
    line = " ".join(cleaned(text).split())
    if len(line) > limit:
        line = f"{line[:limit].rstrip()}…"
    # Inside quotes neither a quote nor a backtick may be taken for the end of anything.
    return '"' + line.replace('"', "'").replace("`", "'") + '"'


def cleaned(text: str) -> str:
    r"""Returns a text in which everything can be seen: `\n` ends a line, and other unprintable characters are escaped.

    Among these are other line ends, control characters, marks that turn the direction of writing, and halves of
    surrogate pairs, which no prompt could be sent with.
    """
    return "".join(_visible(_LINE_END.sub("\n", text)))


def _visible(text: str) -> Iterator[str]:
    for character in text:
        if character in "\n\t" or character.isprintable():
            yield character
        else:
            yield ascii(character)[1:-1]
