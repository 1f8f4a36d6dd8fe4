"""The one sentence that an answer says about its program."""

import re
import unicodedata
from collections.abc import Iterable

from csro_core.models.answer_blocks import CLASS_LINE

MAX_IDEA = 200
"""Characters of an idea."""

_SCANNED = 4000
_DOCSTRING = re.compile(r"[ \t\n]*[rRuU]?(\"\"\"|'''|\"|')")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n[ \t]*\n")
_MARKS = re.compile(r"^[ \t]*(?:[#>*+-]+[ \t]+|\d{1,3}[.)][ \t]+)+")
_LABEL = re.compile(
    r"^(?:idea|strategy|approach|plan|explanation|policy|summary|name|description|final answer|answer|thoughts?)"
    r"[ ]*[:\u2013\u2014-][ ]*",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"^(?:sure|certainly|of course|okay|ok|absolutely|great|here(?:'s|\u2019s| is| are)|below is|i(?:'ll| will| can)\b"
    r"|let me|let's|this is the (?:final|code)|final answer|thank)",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]{0,100}>")


def idea_of(prose: Iterable[str], source: str) -> str:
    """Returns what a program does, in one clean sentence of at most `MAX_IDEA` characters; "" where nothing says it.

    Args:
        prose: lines or texts that stand around the program.
        source: the program; the docstring of its class, or of its file, is the second choice.
    """
    for paragraph in _paragraphs(prose):
        for sentence in _sentences(paragraph):
            if not _COURTESY.match(sentence) and not sentence.endswith(":") and sentence.count(" ") >= 2:
                return _shortened(sentence)
    found = CLASS_LINE.search(source)
    docstrings = (_docstring(source, found.end()) if found else "", _docstring(source, 0))
    return next((_shortened(one) for text in docstrings for one in _sentences(text)), "")


def _paragraphs(prose: Iterable[str]) -> list[str]:
    """Returns the first paragraphs; a heading or an item of a list is one of its own."""
    paragraphs: list[str] = [""]
    size = 0
    for line in prose:
        text = line[:_SCANNED].strip()
        if not text or _MARKS.match(line[:_SCANNED]):
            paragraphs.append("")
        paragraphs[-1] += f" {text}"
        size += len(text)
        if size > _SCANNED:
            break
    return paragraphs


def _sentences(text: str) -> list[str]:
    """Returns the sentences of a text in clean form, empty ones left out."""
    text = text.strip()[:_SCANNED]
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    spans = zip([0, *ends], [*ends, len(text)], strict=True)
    cleaned = (_clean(text[start:end]) for start, end in spans)
    return [one for one in cleaned if any(letter.isalnum() for letter in one)]


def _clean(text: str) -> str:
    """Returns a text as one line, without marks of Markdown, labels, tags and invisible characters."""
    text = _TAG.sub("", _MARKS.sub("", text)).replace("`", "").replace("**", "").replace("__", "")
    visible = "".join(letter if unicodedata.category(letter)[0] != "C" else " " for letter in text)
    return _LABEL.sub("", " ".join(visible.split()).strip("*_ "))


def _docstring(source: str, place: int) -> str:
    """Returns the string that stands at a place of a program, "" where there is none."""
    opening = _DOCSTRING.match(source, place)
    if opening is None:
        return ""
    end = source.find(opening[1], opening.end())
    return source[opening.end() : end if end >= 0 else opening.end() + _SCANNED]


def _shortened(sentence: str) -> str:
    return sentence if len(sentence) <= MAX_IDEA else f"{sentence[: MAX_IDEA - 1].rstrip()}\u2026"
