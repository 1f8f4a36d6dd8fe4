"""Policies without comments and docstrings, for a reader who shall see what a text does and not what it says.

Comments of one policy would otherwise reach prompts about others. Nothing is parsed here: `ast` and, from Python 3.12
on, `tokenize` are the compiler's own C code, and compilers are attacked too (DESIGN, "The trust boundary"). One
regular expression splits the text instead: its repeats never give a character back, so it takes time in proportion to
the text, and it keeps no stack. It errs to the side of showing: what it cannot read is not stripped at all, so that no
text can pass code off as a comment. It is a courtesy to the reader, not a boundary: string literals in code stay, so
the reader still has to be told that the text is data.
"""

import re
from dataclasses import dataclass

MAX_READ = 64_000
"""Texts with more characters are not read; the contract of a policy allows about half of it."""

_TOKEN = re.compile(
    r"""
    (?P<comment>\#[^\n]*+)
    |(?P<string>[rRbBuUfFtT]{0,2}(?:
        '''(?:[^'\\]|\\.|'(?!''))*+'''
        |\"\"\"(?:[^"\\]|\\.|"(?!""))*+\"\"\"
        |'(?!'')(?:[^'\\\n]|\\.)*+'
        |"(?!"")(?:[^"\\\n]|\\.)*+"
    ))
    |(?P<newline>\n)
    |(?P<joint>\\\n)
    |(?P<space>[ \t\f]++)
    |(?P<word>\w++)
    |(?P<sign>.)
    """,
    re.VERBOSE | re.DOTALL,
)

_PLAIN_FIELDS = re.compile(r"(?:[^{}]|\{\{|\}\}|\{[^{}'\"\#\\\n]++\})*+")
"""The inside of a formatted string whose fields hold no quotes: from Python 3.12 on, a field may hold the very quote
that seems to end the string, and what follows would be misread."""

_QUOTED = re.compile(r"[rRbBuUfFtT]*(?P<quote>'''|\"\"\"|'|\")(?P<text>.*)(?P=quote)", re.DOTALL)


@dataclass(frozen=True)
class _Token:
    """A piece of a text: its kind (a group of `_TOKEN`) and its characters."""

    kind: str
    text: str


@dataclass(frozen=True)
class _Line:
    """A logical line without its comments.

    Attributes:
        tokens: its pieces; newlines only inside brackets.
        commented: True where a comment was taken out.
    """

    tokens: tuple[_Token, ...]
    commented: bool

    @property
    def indent(self) -> str:
        """The white space that it begins with."""
        return self.tokens[0].text if self.tokens and self.tokens[0].kind == "space" else ""

    @property
    def strings(self) -> tuple[str, ...]:
        """The string literals of a statement that does nothing else: a docstring, or a comment in disguise."""
        told = [token for token in self.tokens if token.kind not in {"space", "joint", "newline"}]
        strings = tuple(token.text for token in told if token.kind == "string")
        silent = all(token.kind == "string" or token.text in "()" for token in told)
        return strings if silent and not any(map(_is_formatted, strings)) else ()

    def text(self) -> str:
        """Returns what is left to show; "" for a blank line."""
        shown: list[str] = []
        for token in (*self.tokens, _Token("newline", "\n")):
            if token.kind == "newline":
                while shown and not shown[-1].strip(" \t\f\n"):
                    shown.pop()
            shown.append(token.text)
        return "".join(shown).rstrip("\n")


def without_comments(text: str) -> str | None:
    """Returns a policy without comments, docstrings and other statements that are nothing but a string.

    Args:
        text: the text of a policy, hostile or broken for all that is known.

    Returns:
        A text with the same syntax tree, docstrings apart, where it is a Python program; None where the text cannot be
        read for certain.
    """
    lines = _logical_lines(text)
    if lines is None:
        return None
    kept: list[str] = []
    header, placeholder = -1, ""
    for line in lines:
        shown = line.text()
        if line.strings:
            placeholder = placeholder or f"{line.indent}pass"
            continue
        if not shown:
            if not line.commented and kept and kept[-1] and not placeholder:
                kept.append("")
            continue
        if placeholder and header >= _width(line.indent):
            kept.append(placeholder)
        placeholder = ""
        kept.append(shown)
        header = _width(line.indent) if shown.endswith(":") else -1
    if placeholder and header >= 0:
        kept.append(placeholder)
    return "\n".join(kept).rstrip("\n") + "\n"


def docstring_of(text: str) -> str:
    """Returns the docstring of class `Policy`, else of the text as a whole, as it is written; "" where there is none.

    Escapes are not resolved: it is for reading.
    """
    lines = [line for line in _logical_lines(text) or () if line.text()]
    for before, line in zip(lines, lines[1:], strict=False):
        if re.match(r"class\s+Policy\b", before.text()) and line.strings and line.indent:
            return _read(line.strings)
    return _read(lines[0].strings) if lines and lines[0].strings else ""


def first_paragraph(text: str) -> str:
    """Returns the first paragraph of a policy's docstring on one line, "" where it has none."""
    return " ".join(re.split(r"\n[ \t]*\n", docstring_of(text).strip(), maxsplit=1)[0].split())


def _logical_lines(text: str) -> list[_Line] | None:
    """Returns the logical lines of a text; None where a string or a bracket does not end where it seems to."""
    if len(text) > MAX_READ:
        return None
    lines: list[_Line] = []
    tokens: list[_Token] = []
    depth, commented = 0, False
    # To Python a lone carriage return ends a line, and so a comment.
    for match in _TOKEN.finditer(text.replace("\r\n", "\n").replace("\r", "\n") + "\n"):
        token = _Token(str(match.lastgroup), match[0])
        if token.kind == "sign":
            depth += (token.text in "([{") - (token.text in ")]}")
        if depth < 0 or token.text in {"'", '"'} or (token.kind == "string" and _is_doubtful(token.text)):
            return None
        if token.kind == "comment":
            commented = True
        elif token.kind == "newline" and depth == 0:
            lines.append(_Line(tuple(tokens), commented))
            tokens, commented = [], False
        else:
            tokens.append(token)
    return lines if depth == 0 else None


def _is_formatted(string: str) -> bool:
    return bool(set(re.match(r"\w*", string)[0].lower()) & {"f", "t"})  # type: ignore[index]  # it matches anything


def _is_doubtful(string: str) -> bool:
    if not _is_formatted(string):
        return False
    quoted = _QUOTED.fullmatch(string)
    return quoted is None or not _PLAIN_FIELDS.fullmatch(quoted["text"])


def _read(strings: tuple[str, ...]) -> str:
    parts = [match["text"] for match in map(_QUOTED.fullmatch, strings) if match]
    return "\n".join(line.strip() for line in "".join(parts).splitlines()).strip()


def _width(indent: str) -> int:
    return len(indent.expandtabs(8))
