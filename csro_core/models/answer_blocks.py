"""Finds the pieces of code in a model's answer, line by line and by their looks alone.

Nothing here parses Python: the text is hostile until a jailed process has inspected it. Every function takes time
proportional to the length of the text.
"""

import re
from dataclasses import dataclass, field

MAX_LINE = 5000
"""Longer lines are never taken for the start of anything; it bounds what a pattern can cost."""

CLASS_LINE = re.compile(r"^class[ \t]+Policy[ \t]*(?:\([^\n]*\)[ \t]*)?:", re.MULTILINE)
"""The line that makes a text a program."""

_FENCE = re.compile(r"^[ \t]*(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+)?(`{3,}|~{3,})[ \t]*([^`]*)$")
_FENCE_AFTER_PROSE = re.compile(r"^[^`]*(`{3,})(?:python3?|py)[ \t]*$", re.IGNORECASE)
_CODE_AFTER_LABEL = re.compile(r"^(?:python3?|py)[ \t]+((?:class|import|from)[ \t].*)$", re.IGNORECASE)
_CODE_START = re.compile(
    r"""(?: import[ ]+[\w.]+(?:[ ]+as[ ]+\w+)?(?:[ ]*,[ ]*[\w.]+(?:[ ]+as[ ]+\w+)?)*[ ;]*(?:\#.*)?$
      | from[ ]+[\w.]+[ ]+import\b
      | (?:class|def|async[ ]+def)[ ]+\w+[ ]*[(:\[]
      | (?:if|elif|while|with|except|match)\b.*:[ ]*(?:\#.*)?$ | (?:else|try|finally)[ ]*:
      | for\b.*\bin\b.*:[ ]*(?:\#.*)?$
      | (?:assert|del|pass|raise)\b
      | [#@)\]}] | [rRbBuU]?\"\"\" | [rRbBuU]?'''
      | [A-Za-z_][\w.]*(?:\(|\[|[ ]*(?:[-+*/%|&^]|//|\*\*)?=(?!=))
      | [A-Za-z_]\w*[ ]*:[ ]*[\w.\[\], |"']+[ ]*=(?!=)
      | [A-Za-z_]\w*(?:[ ]*,[ ]*\w+)+[ ]*=(?!=)
    )""",
    re.VERBOSE,
)
_TOKEN = re.compile(
    r"""\#.*|\"\"\"|'''|"(?:[^"\\]|\\.)*+(?:"|$)|'(?:[^'\\]|\\.)*+(?:'|$)|[()\[\]{}]""",
    re.VERBOSE,
)
_INSIDE = {'"""': re.compile(r'\\.|"""'), "'''": re.compile(r"\\.|'''")}
_NEW_STATEMENT = re.compile(r"(?:class|def|import|from)[ \t]+\w")


@dataclass(frozen=True)
class Block:
    """A piece of an answer that looks like code.

    Attributes:
        code: its lines, without fences.
        label: language of its fence in small letters; "" where the fence names none or there is no fence.
        closed: False where its fence was never closed.
        fenced: False for code that stands in the answer without a fence.
    """

    code: str
    label: str = ""
    closed: bool = True
    fenced: bool = True


@dataclass
class CodeState:
    """Where in a program a line ends: inside a triple-quoted string, or inside brackets.

    Attributes:
        quote: the delimiter of the string that is open, "" outside strings.
        depth: brackets that are open.
        commented: True where the line ended in a comment.
    """

    quote: str = ""
    depth: int = 0
    commented: bool = False

    def feed(self, line: str) -> None:
        """Reads one line."""
        self.commented = False
        place = 0
        while place < len(line):
            if self.quote:
                place = self._inside_string(line, place)
                continue
            token = _TOKEN.search(line, place)
            if token is None:
                return
            place = token.end()
            self._outside(token[0])

    def _inside_string(self, line: str, place: int) -> int:
        for token in _INSIDE[self.quote].finditer(line, place):
            if token[0] == self.quote:
                self.quote = ""
                return token.end()
        return len(line)

    def _outside(self, token: str) -> None:
        if token in _INSIDE:
            self.quote = token
        elif token in "([{":
            self.depth += 1
        elif token in ")]}":
            self.depth = max(0, self.depth - 1)
        elif token.startswith("#"):
            self.commented = True


def looks_like_code(line: str) -> bool:
    """Returns True where a line without indentation can start a statement of a program."""
    return len(line) <= MAX_LINE and _CODE_START.match(line) is not None


def indentation(line: str) -> str:
    """Returns the white space in front of a line."""
    return line[: len(line) - len(line.lstrip(" \t"))]


@dataclass
class _Scan:
    """One pass over the lines of an answer.

    Attributes:
        lines: the answer.
        mind_strings: False once a string was never closed: from there on, fences count wherever they stand. It is
            switched off once for the whole text, which keeps the pass linear.
        blocks: what was found.
        prose: the lines that belong to no block.
    """

    lines: list[str]
    mind_strings: bool = True
    blocks: list[Block] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)

    def run(self) -> None:
        place = 0
        while place < len(self.lines):
            line = self.lines[place]
            opening = _opening(line)
            if opening is not None:
                place = self._fenced(place, *opening)
            elif looks_like_code(line):
                place = self._bare(place)
            else:
                self.prose.append(line)
                place += 1

    def _fenced(self, start: int, fence: str, label: str) -> int:
        """Reads the block that opens at line `start`.

        Returns:
            The line after it.
        """
        shared_line = _CODE_AFTER_LABEL.match(label)
        body = [shared_line[1]] if shared_line else []
        label = (label.split() or [""])[0].strip("{}.").lower()
        while True:
            end, last = self._closing(start + 1, fence)
            if last is not None or not self.mind_strings:
                break
            self.mind_strings = False
        body += self.lines[start + 1 : end]
        if last:
            body.append(last)
        self.blocks.append(Block("\n".join(body), label, closed=last is not None))
        return end + 1

    def _closing(self, start: int, fence: str) -> tuple[int, str | None]:
        """Finds the line that closes a fence.

        Returns:
            Its place, and the code in front of the fence on that line; the number of lines and None where none does.
        """
        state = CodeState()
        for place in range(start, len(self.lines)):
            line = self.lines[place]
            bare = line.strip()
            if not state.quote and bare.startswith(fence) and not bare.strip(fence[0]):
                return place, ""
            state.feed(line)
            if not self.mind_strings:
                state.quote = ""
            if bare.endswith(fence) and not state.quote and not state.commented and fence[0] == "`":
                return place, line.rstrip().rstrip("`")
        return len(self.lines), None

    def _bare(self, start: int) -> int:
        """Reads code outside fences.

        Returns:
            The line after it.
        """
        while True:
            end, whole = self._end_of_bare(start)
            if whole or not self.mind_strings:
                break
            self.mind_strings = False
        self.blocks.append(Block("\n".join(self.lines[start:end]).rstrip(), fenced=False))
        return end

    def _end_of_bare(self, start: int) -> tuple[int, bool]:
        """Finds the first line that does not belong to the program that starts at line `start`.

        Returns:
            Its place, and whether every string was closed before it.
        """
        state = CodeState()
        for place in range(start, len(self.lines)):
            line = self.lines[place]
            if not state.quote:
                if _NEW_STATEMENT.match(line):
                    state.depth = 0
                if _opening(line) is not None or (not state.depth and not _continues(line)):
                    return place, True
            state.feed(line)
            if not self.mind_strings:
                state.quote = ""
        return len(self.lines), not state.quote


def _opening(line: str) -> tuple[str, str] | None:
    """Returns the fence and the label of a line that opens a block, None for any other line."""
    if len(line) > MAX_LINE or ("```" not in line and "~~~" not in line):
        return None
    found = _FENCE.match(line)
    if found:
        return found[1], found[2].strip()
    after_prose = None if line.lstrip().startswith("#") else _FENCE_AFTER_PROSE.match(line)
    return (after_prose[1], "python") if after_prose else None


def _continues(line: str) -> bool:
    return not line.strip() or line[0] in " \t" or looks_like_code(line)


def find_blocks(text: str) -> tuple[list[Block], list[str]]:
    r"""Takes an answer apart.

    A fence inside a triple-quoted string of a program does not end the program's block.

    Args:
        text: the answer, lines ended by `\n`.

    Returns:
        The blocks that look like code, fenced or not, in order; and the lines of everything else.
    """
    scan = _Scan(text.split("\n"))
    scan.run()
    return scan.blocks, scan.prose


def is_bare_program(text: str) -> bool:
    """Returns True where a text is a program from its first line to its last, with nothing around it."""
    if not CLASS_LINE.search(text) or not looks_like_code(text.lstrip("\n").partition("\n")[0]):
        return False
    blocks, prose = find_blocks(text)
    return len(blocks) == 1 and not any(line.strip() for line in prose) and blocks[0].code == text.strip("\n").rstrip()
