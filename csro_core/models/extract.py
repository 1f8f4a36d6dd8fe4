"""Takes the program out of a model's answer, or says in one sentence why there is none.

By text alone: a program is a text with a line that starts with `class Policy`. Whether it is valid Python is found
out in a jailed process, since parsers are attacked too. Every function takes time proportional to the answer.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from csro_core.models.answer_blocks import CLASS_LINE, Block, find_blocks, is_bare_program
from csro_core.models.answer_forms import (
    escaped_texts,
    plain_text,
    quoted_texts,
    without_entities,
    without_prefixes,
    without_tags,
)
from csro_core.models.answer_idea import idea_of

_ACT = re.compile(r"^[ \t]+(?:async[ \t]+)?def[ \t]+act\b|\bact[ \t]*=[ \t]*lambda\b", re.MULTILINE)
_EDIT_MARK = re.compile(r"^[ \t]*(?:<{5,}|>{5,})[ \t]*(?:SEARCH|REPLACE)", re.MULTILINE)
_OTHER_CLASS = re.compile(r"^[ \t]*class[ \t]+([A-Za-z_]\w{0,60})[ \t]*[(:]", re.MULTILINE)
_ACT_FUNCTION = re.compile(r"^def[ \t]+act\b", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*")
_DEFINED = re.compile(
    r"^(?:(?:class|def|async def)[ ]+(\w+)|([A-Z_][A-Z0-9_]*)[ ]*(?::[^=\n]{0,200})?=(?!=)|import[ ]([^\n#]+)"
    r"|from[ ][\w.]+[ ]import[ ](\([^)]{0,2000}\)|[^\n#]+))",
    re.MULTILINE,
)
_USES_POLICY = re.compile(r"\bPolicy\(\)")
_WORDS_OF_IMPORTS = {"as", "import"}
_IDEA_KEYS = ("idea", "strategy", "explanation", "description", "reasoning", "thought", "summary")
_MAX_JSON_VALUES = 10_000


@dataclass(frozen=True)
class Reading:
    """What an answer holds.

    Attributes:
        source: the text of the program, "" where there is none.
        idea: one sentence on what the program does, as the model or its docstring says; at most 200 characters.
        problem: why there is no program, in one sentence for the model and for people; "" where there is one.
    """

    source: str
    idea: str
    problem: str


def read_answer(text: str) -> Reading:
    """Reads an answer in any form that models are known to use.

    Args:
        text: the whole answer. A bare program is taken as it is; else the last block wins that defines class `Policy`,
            completed by the imports and helpers of other blocks that it uses.

    Returns:
        The program and its idea, or the problem.
    """
    answer, only_thoughts = plain_text(text)
    if not answer.strip():
        return Reading("", "", _NO_ANSWER if not only_thoughts else _ONLY_THOUGHTS)
    if is_bare_program(answer):
        return Reading(without_entities(_trimmed(answer)), idea_of([], answer), "")
    wrapped = _from_json(answer)
    if wrapped is not None:
        return wrapped
    answer = without_tags(answer)
    blocks, prose = _blocks_of_answer(answer)
    source = _program(blocks) or _program([form for block in blocks for form in _forms(block)])
    if not source:
        source, prose = _hidden_program(answer, prose)
    source = without_entities(source)
    return Reading(source, idea_of(prose, source), "" if source else _problem(answer, blocks))


def read_cut_answer(text: str) -> Reading:
    """Reads an answer that was cut off at the token limit.

    Args:
        text: what there is of it.

    Returns:
        What `read_answer` finds where that is a whole program: in a fenced block that was closed, in a JSON document
        that was, or as bare code with something after it. Else the problem.
    """
    reading = read_answer(text)
    return reading if reading.source and _is_whole(plain_text(text)[0]) else Reading("", "", _CUT_OFF)


def _is_whole(answer: str) -> bool:
    """Returns True where the program that `read_answer` finds ended before the end of the answer."""
    if _EDIT_MARK.search(answer):
        # Half of an edit must never be applied.
        return False
    try:
        orjson.loads(_document(answer))
    except ValueError:
        pass
    else:
        return True
    answer = without_tags(answer)
    blocks, _prose = _blocks_of_answer(answer)
    place = _place_of_program(blocks)
    if place is None or not _ACT.search(blocks[place].code):
        return False
    block = blocks[place]
    return block.closed if block.fenced else not answer.rstrip().endswith(block.code)


_CUT_OFF = "The answer was cut off before its program was whole: think less, and reply with one short Python file."
_NO_ANSWER = "The answer is empty: reply with one Python file that defines class Policy."
_ONLY_THOUGHTS = "The answer ended before the thoughts did: think less, and reply with one Python file."
_ONLY_EDITS = "The answer is an edit, not a program: reply with the whole Python file that defines class Policy."
_NO_CLASS = "The program has a function act but no class: make it the method act(self, obs) of a class named Policy."
_NO_CODE = "The answer holds no Python program: reply with one code block that defines class Policy."


def _problem(answer: str, blocks: list[Block]) -> str:
    if _EDIT_MARK.search(answer):
        return _ONLY_EDITS
    code = "\n".join(block.code for block in blocks)
    other = _OTHER_CLASS.search(code)
    if other:
        return f"The program defines class {other[1]}: the class must be named Policy and start at the left margin."
    return _NO_CLASS if _ACT_FUNCTION.search(code) else _NO_CODE


def _trimmed(code: str) -> str:
    """Returns code without blank lines around it, ended by one line break."""
    lines = code.split("\n")
    first = next((place for place, line in enumerate(lines) if line.strip()), len(lines))
    body = "\n".join(lines[first:]).rstrip()
    return f"{body}\n" if body else ""


def _blocks(text: str) -> tuple[list[Block], list[str]]:
    """Returns the blocks of a text, those inside a block of Markdown taken out of it, and the prose."""
    blocks, prose = find_blocks(text)
    flat: list[Block] = []
    for block in blocks:
        inner = find_blocks(block.code)[0] if block.label in {"markdown", "md", "text"} else []
        flat += inner if any(CLASS_LINE.search(one.code) for one in inner) else [block]
    return flat, prose


def _blocks_of_answer(answer: str) -> tuple[list[Block], list[str]]:
    """Returns the blocks of an answer and the prose; lines of an edit outside of fences are no program."""
    blocks, prose = _blocks(answer)
    if any(_EDIT_MARK.match(line) for line in prose):
        blocks = [block for block in blocks if block.fenced]
    return blocks, prose


def _forms(block: Block) -> Iterator[Block]:
    """Gives a block again without what stands in front of its lines."""
    for code in without_prefixes(block.code):
        yield Block(code, block.label, block.closed)


def _hidden_program(answer: str, prose: list[str]) -> tuple[str, list[str]]:
    """Looks for a program whose lines all have something in front of them, or that is written as one string.

    Returns:
        Its text, or "", and the prose around it.
    """
    for form in without_prefixes(answer):
        blocks, around = _blocks(form)
        source = _program(blocks)
        if source:
            return source, around
    for unwrapped in escaped_texts(answer):
        source = _program(_blocks(unwrapped)[0])
        if source:
            return source, prose
    return "", prose


def _place_of_program(blocks: list[Block]) -> int | None:
    """Returns the place of the last complete block that defines the class, None where none does."""
    programs = [
        (bool(_ACT.search(block.code)), block.closed, place)
        for place, block in enumerate(blocks)
        if CLASS_LINE.search(block.code) and not _EDIT_MARK.search(block.code)
    ]
    return max(programs)[2] if programs else None


def _program(blocks: list[Block]) -> str:
    """Returns the program that blocks make, "" where none defines the class."""
    chosen = _place_of_program(blocks)
    if chosen is None:
        return ""
    has_act = bool(_ACT.search(blocks[chosen].code))
    parts = {chosen: blocks[chosen].code}
    following = blocks[chosen + 1] if chosen + 1 < len(blocks) else None
    if not has_act and following and following.code.lstrip("\n")[:1] in {" ", "\t"} and _ACT.search(following.code):
        parts[chosen + 1] = following.code
    own = "\n".join(parts.values())
    needed = set(_WORD.findall(own)) - _names_defined(own)
    for place in (*range(chosen - 1, -1, -1), *range(chosen + 1, len(blocks))):
        if needed and _may_complete(blocks[place]):
            names = _names_defined(blocks[place].code)
            if names & needed:
                parts[place] = blocks[place].code
                needed -= names
    return _trimmed("\n\n".join(_trimmed(parts[place]).rstrip("\n") for place in sorted(parts)))


def _may_complete(block: Block) -> bool:
    """Returns True for a block that may hold imports or helpers of a program elsewhere: not itself one, nor its use."""
    return not (CLASS_LINE.search(block.code) or _USES_POLICY.search(block.code) or _EDIT_MARK.search(block.code))


def _names_defined(code: str) -> set[str]:
    """Returns the names that the statements at the left margin define: functions, classes, imports, CONSTANTS."""
    names: set[str] = set()
    for function, constant, imported, taken in _DEFINED.findall(code):
        names |= {function, constant} - {""}
        names |= set(_WORD.findall(imported or taken)) - _WORDS_OF_IMPORTS
    return names


def _from_json(answer: str) -> Reading | None:
    """Reads an answer that is a JSON document with the program in one string.

    Returns:
        None where it is none, bare or as the only fenced block, or holds no program.
    """
    document = _document(answer)
    try:
        data: Any = orjson.loads(document)
    except ValueError:
        data = list(quoted_texts(document)) if document.startswith("{") else None
    strings = list(_strings(data))
    for _key, value in strings:
        source = value if is_bare_program(value) else _program(_blocks(value)[0])
        if source:
            prose = [said for key in _IDEA_KEYS for name, said in strings if name == key]
            source = without_entities(_trimmed(source))
            return Reading(source, idea_of(prose, source), "")
    return None


def _document(answer: str) -> str:
    """Returns the JSON document that an answer is, or that its first block of that label holds; "" for none."""
    document = answer.strip()
    if document.startswith(("{", "[", '"')):
        return document
    blocks, _prose = find_blocks(answer)
    return next((block.code for block in blocks if block.label == "json"), "")


def _strings(data: Any) -> Iterator[tuple[str, str]]:
    """Gives the strings of a JSON document with the key that each stands under, in small letters."""
    waiting: list[tuple[str, Any]] = [("", data)]
    for _count in range(_MAX_JSON_VALUES):
        if not waiting:
            return
        key, value = waiting.pop()
        if isinstance(value, str):
            yield key, value.replace("\r\n", "\n")
        elif isinstance(value, dict):
            waiting += [(name.lower(), inner) for name, inner in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [(key, inner) for inner in reversed(value)]
