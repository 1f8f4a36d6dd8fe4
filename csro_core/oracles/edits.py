r"""SEARCH/REPLACE edits: how a language model changes a few lines of a program without writing all of it again.

A block is::

    <<<<<<< SEARCH
    the lines as they are
    =======
    the lines as they shall be
    >>>>>>> REPLACE

Blocks apply in order and all or none; a block that does not match exactly one place is an error that says what was
looked for and what came nearest, never an unchanged program. Pure functions of text: nothing is parsed or run.
"""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

NEAR = 0.7
"""Similarity from which a stretch of the program is quoted as what was probably meant."""

_TABS = re.compile(r"^[ \t]+")
_SEARCH = re.compile(r"^\s*<{5,9} ?SEARCH\s*$")
_DIVIDER = re.compile(r"^\s*={5,9}\s*$")
_REPLACE = re.compile(r"^\s*>{5,9} ?REPLACE\s*$")


@dataclass(frozen=True)
class Block:
    """One replacement.

    Attributes:
        search: the lines to be found, without line ends.
        replacement: the lines to stand in their place; none to delete them.
    """

    search: tuple[str, ...]
    replacement: tuple[str, ...]


@dataclass(frozen=True)
class Edited:
    r"""The outcome of an edit: exactly one of the two is not "".

    Attributes:
        source: the changed program, with `\n` line ends.
        problem: why there is none, in one sentence for the model and people.
    """

    source: str
    problem: str


def has_blocks(answer: str) -> bool:
    """Returns True where a model's answer holds the beginning of a block."""
    return any(_SEARCH.match(line) for line in _lines(answer))


def read_blocks(answer: str) -> tuple[tuple[Block, ...], str]:
    """Returns the blocks of an answer in order, and "" or what is wrong with them in one sentence."""
    blocks: list[Block] = []
    lines = iter(_lines(answer))
    for line in lines:
        if not _SEARCH.match(line):
            continue
        place = f"block {len(blocks) + 1}"
        search, end = _until(lines, _DIVIDER)
        if end is None:
            return (), f"{place} has no line of ======= between SEARCH and REPLACE"
        replacement, end = _until(lines, _REPLACE)
        if end is None:
            return (), f"{place} has no line of >>>>>>> REPLACE after its ======="
        blocks.append(Block(tuple(search), tuple(replacement)))
    return tuple(blocks), "" if blocks else "the answer holds no SEARCH/REPLACE block"


def apply_edits(source: str, answer: str) -> Edited:
    """Applies the blocks of an answer to a program, all or none.

    A block matches the lines that equal its own; else those that do so apart from trailing blanks and from an indent
    that all its lines share (the replacement is then moved by that indent).

    Args:
        source: the program; any line ends.
        answer: what the model wrote.

    Returns:
        The changed program, or what is wrong: no block, a block that matches nothing or several places, no change.
    """
    blocks, problem = read_blocks(answer)
    if problem:
        return Edited("", problem)
    before = _lines(source)
    lines = before
    for number, block in enumerate(blocks, start=1):
        changed, problem = _apply(lines, block)
        if problem:
            return Edited("", f"block {number} of {len(blocks)}: {problem}; nothing was changed")
        lines = changed
    if not _said(lines):
        return Edited("", "the blocks leave nothing of the program")
    if _said(lines) == _said(before):
        return Edited("", "the blocks leave the program as it is: an edit must change something")
    return Edited("\n".join(lines).strip("\n") + "\n", "")


def _lines(text: str) -> list[str]:
    """Returns the lines of a text; a tab at the beginning of one counts as four blanks."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [_TABS.sub(lambda tabs: tabs[0].expandtabs(4), line) for line in lines]


def _until(lines: Iterator[str], end: re.Pattern[str]) -> tuple[list[str], str | None]:
    """Returns the lines before one that matches `end`, and that line; None where another mark comes first."""
    found: list[str] = []
    for line in lines:
        if end.match(line):
            return found, line
        if _SEARCH.match(line) or _REPLACE.match(line):
            break
        found.append(line)
    return found, None


def _apply(lines: list[str], block: Block) -> tuple[list[str], str]:
    """Returns the lines after one block, and "" or what is wrong with it."""
    wanted = _trimmed(block.search)
    if not wanted:
        return [], "SEARCH is empty; quote the lines to be replaced"
    replacement = _trimmed_alike(block)
    starts = [i for i in _starts(lines, wanted) if lines[i : i + len(wanted)] == wanted]
    if not starts:
        shape = _dedented(wanted)
        starts = [i for i in _starts(lines, wanted) if _dedented(lines[i : i + len(wanted)]) == shape]
        if len(starts) == 1:
            found = lines[starts[0] : starts[0] + len(wanted)]
            replacement = _shifted(replacement, _indent(found) - _indent(wanted))
    if len(starts) > 1:
        places = ", ".join(str(start + 1) for start in starts)
        return [], f"SEARCH matches {len(starts)} places (lines {places}); quote more lines around it"
    if not starts:
        return [], f"SEARCH matches no place{_nearest(lines, wanted)}"
    return lines[: starts[0]] + replacement + lines[starts[0] + len(wanted) :], ""


def _said(lines: list[str]) -> list[str]:
    return [line.rstrip() for line in lines if line.strip()]


def _starts(lines: list[str], wanted: list[str]) -> range:
    return range(len(lines) - len(wanted) + 1)


def _trimmed(lines: tuple[str, ...]) -> list[str]:
    """Returns the lines without blank ones at either end."""
    full = [place for place, line in enumerate(lines) if line.strip()]
    return list(lines[full[0] : full[-1] + 1]) if full else []


def _trimmed_alike(block: Block) -> list[str]:
    """Returns the replacement without as many blank lines at either end as `_trimmed` takes from what is searched."""
    lines = list(block.replacement)
    full = [place for place, line in enumerate(block.search) if line.strip()]
    head, tail = full[0], len(block.search) - 1 - full[-1]
    while head and lines and not lines[0].strip():
        lines, head = lines[1:], head - 1
    while tail and lines and not lines[-1].strip():
        lines, tail = lines[:-1], tail - 1
    return lines


def _indent(lines: list[str]) -> int:
    return min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)


def _dedented(lines: list[str]) -> list[str]:
    """Returns the lines without their common indent and without blanks at their ends."""
    indent = _indent(lines)
    return [line[indent:].rstrip() for line in lines]


def _shifted(lines: list[str], shift: int) -> list[str]:
    """Returns the lines with `shift` more blanks in front, or fewer where it is negative."""
    if shift >= 0:
        return [" " * shift + line if line.strip() else "" for line in lines]
    return [line[min(-shift, len(line) - len(line.lstrip())) :] for line in lines]


def _nearest(lines: list[str], wanted: list[str]) -> str:
    """Returns a clause that quotes the most similar stretch of the program, "" where nothing is similar."""
    text = "\n".join(line.strip() for line in wanted)
    best, place = 0.0, 0
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(text)
    for start in _starts(lines, wanted):
        matcher.set_seq1("\n".join(line.strip() for line in lines[start : start + len(wanted)]))
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and matcher.ratio() > best:
            best, place = matcher.ratio(), start
    if best < NEAR:
        return "; copy the lines from the program exactly"
    found = lines[place : place + len(wanted)]
    off = next((i for i, (one, other) in enumerate(zip(found, wanted, strict=True)) if one.strip() != other.strip()), 0)
    return (
        f"; the nearest is lines {place + 1}-{place + len(wanted)}, where line {place + off + 1} is "
        f"{found[off].strip()!r} and not {wanted[off].strip()!r}"
    )
