"""Undoes what models, chat templates and copies put around or in front of the lines of a program.

Thoughts, special tokens, quotation marks of mails, line numbers, diff and prompt marks, HTML, escaped line breaks.
"""

import re
from collections.abc import Iterator

import orjson

from csro_core.models.answer_blocks import CLASS_LINE, MAX_LINE, indentation

_THOUGHTS = re.compile(r"\s*<(think|thinking|thought|thoughts|reasoning|reflection)>", re.IGNORECASE)
_END_OF_THOUGHTS = re.compile(r"</(?:think|thinking|thought|thoughts|reasoning|reflection)>", re.IGNORECASE)
_SPECIAL_TOKENS = (
    "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end|>", "<|end_of_text|>", "<end_of_turn>", "<eos>", "</s>",
    "[/INST]",
)  # fmt: skip
_TAGS = r"(?:code|pre|python|policy|program|answer|solution|source)"
_OPENING_TAG = re.compile(
    rf"^[ \t]*(?:<{_TAGS}(?:[ \t][^<>\n]{{0,200}})?>[ \t]*)+|^[ \t]*\[PYTHON\][ \t]*", re.MULTILINE | re.IGNORECASE
)
_CLOSING_TAG = re.compile(rf"(?:</{_TAGS}>[ \t]*)+$|\[/PYTHON\][ \t]*$", re.MULTILINE | re.IGNORECASE)
_NUMBER = re.compile(r"^[ \t]*\d{1,5}(?:[ ]?\|[ ]?|[ ]?:[ ]?|\.[ ]?|\)[ ]?|\t|[ ]|$)")
_QUOTED = re.compile(r"^[ \t]{0,3}>[ ]?")
_PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.)(?:[ ]|$)|^[ \t]*In \[\d{1,4}\]:[ ]?")
_DIFF_HEADER = ("@@", "+++", "---", "diff ", "index ", "\\")
_INDENTED_CLASS = re.compile(r"^([ \t]+)class[ \t]+Policy\b", re.MULTILINE)
_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)(?:"|\Z)', re.DOTALL)
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#34;": '"', "&#39;": "'", "&#x27;": "'", "&apos;": "'"}
_ODD_SPACES = re.compile(r"^[ \t]*[\u00a0\u2007\u202f\u3000][ \t\u00a0\u2007\u202f\u3000]*", re.MULTILINE)
_ODD_SPACE = re.compile(r"[\u00a0\u2007\u202f\u3000]")


def plain_text(text: str) -> tuple[str, bool]:
    """Takes away the thoughts and the special tokens of local models, and what no program may contain.

    Args:
        text: the answer as it came.

    Returns:
        The answer with plain line breaks; and whether it was nothing but thoughts.
    """
    # Half a surrogate pair, possible in JSON, can neither be stored nor hashed everywhere.
    answer = text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    answer = answer.lstrip("\ufeff").replace("\u200b", "")
    had_thoughts = bool(_THOUGHTS.match(answer))
    answer = _without_tokens(without_thoughts(answer))
    answer = _ODD_SPACES.sub(lambda found: _ODD_SPACE.sub(" ", found[0]), answer)
    return answer, had_thoughts and not answer.strip()


def without_thoughts(answer: str) -> str:
    """Returns an answer without the thoughts in front of it; "" where they never end."""
    place = 0
    while opening := _THOUGHTS.match(answer, place):
        closing = _END_OF_THOUGHTS.search(answer, opening.end())
        if closing is None:
            return ""
        place = closing.end()
    answer = answer[place:]
    # Some chat templates write the opening tag themselves, so that only the closing one is in the answer.
    if "</" not in answer or CLASS_LINE.search(answer) is None:
        return answer
    ends = [found.end() for found in _END_OF_THOUGHTS.finditer(answer)]
    rest = answer[ends[-1] :] if ends else answer
    return rest if CLASS_LINE.search(rest) else answer


def _without_tokens(answer: str) -> str:
    end = len(answer.rstrip())
    while token := next((one for one in _SPECIAL_TOKENS if answer.endswith(one, 0, end)), ""):
        end -= len(token)
        while end and answer[end - 1].isspace():
            end -= 1
    answer = answer if end == len(answer.rstrip()) else answer[:end]
    return answer.removeprefix("<|python_tag|>")


def without_entities(source: str) -> str:
    """Returns a program with its HTML entities replaced, where they stand for characters that it has nowhere else."""
    if "&" not in source:
        return source
    present = {raw for raw in "<>\"'" if raw in source}
    if present & set("<>"):
        present |= set("<>")
    changed = source
    for entity, raw in _ENTITIES.items():
        if raw not in present:
            changed = changed.replace(entity, raw)
    # An escaper that leaves quotation marks alone still escapes the ampersand.
    return changed.replace("&amp;", "&") if changed != source or "&" not in source.replace("&amp;", "") else source


def without_tags(answer: str) -> str:
    """Returns an answer without the tags that stand for fences in it; one with fences stays as it is."""
    opening = _OPENING_TAG.search(answer)
    if opening is None or "```" in answer or opening.start() > answer.find("class Policy") >= 0:
        return answer
    return _CLOSING_TAG.sub("", _OPENING_TAG.sub("", answer))


def without_prefixes(text: str) -> Iterator[str]:
    """Gives a text again without what may stand in front of its lines, one form at a time, likely ones first."""
    lines = text.split("\n")
    if _INDENTED_CLASS.search(text):
        yield _dedented(text, lines)
    if any(line.startswith(("+class", "+ class")) for line in lines) or any(line.startswith("@@") for line in lines):
        yield "\n".join(line[1:] if line[:1] in {"+", " "} else line for line in lines if not _is_removed(line))
    for pattern in (_NUMBER, _QUOTED):
        if any(pattern.match(line) and CLASS_LINE.match(pattern.sub("", line, 1)) for line in lines):
            yield "\n".join(pattern.sub("", line, 1) if len(line) <= MAX_LINE else line for line in lines)
    if any(line.lstrip(" \t").startswith((">>>", "In [")) for line in lines):
        # Everything without a prompt is output.
        yield "\n".join(_PROMPT.sub("", line, 1) for line in lines if _PROMPT.match(line))


def _dedented(text: str, lines: list[str]) -> str:
    found = _INDENTED_CLASS.search(text)
    margin = found[1] if found else ""
    return "\n".join(
        line[len(margin) :] if line.startswith(margin) else line.removeprefix(indentation(line)) for line in lines
    )


def _is_removed(line: str) -> bool:
    return line.startswith(("-", *_DIFF_HEADER))


def quoted_texts(text: str) -> Iterator[str]:
    """Gives the strings of broken JSON that may hold a program, unescaped."""
    for found in _STRING.finditer(text):
        if "class Policy" in found[1]:
            body = found[1].replace("\n", "\\n").replace("\t", "\\t")
            try:
                yield str(orjson.loads(f'"{body}"'))
            except ValueError:
                continue


def escaped_texts(text: str) -> Iterator[str]:
    r"""Gives the texts that are written in one line, with `\n` for a line break: strings of broken JSON, or bare."""
    if "\\nclass Policy" in text or '"class Policy' in text:
        yield from quoted_texts(text)
        yield text.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"').replace("\\'", "'")
