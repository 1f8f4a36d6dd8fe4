"""The part of the guard that looks at single letters: what a reader cannot see must not be in a policy.

Bidirectional controls show a line in another order than it runs; other invisible letters hide a difference between two
names or texts. A byte order mark as the very first letter is an editor's, and means nothing.
"""

import re
import unicodedata
from collections.abc import Iterator

from csro_core.policies.source import Problem

BYTE_ORDER_MARK = "\ufeff"

_LINE_END = re.compile(r"\r\n|\r|\n")
# A null byte has a sentence of its own. Form feeds are blank to Python, and some editors write them.
_CONTROLS_ALLOWED = frozenset("\t\f\0")
_BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# Letters by their category, and yet blank.
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0")
_BREAKS = frozenset({"Zl", "Zp"})


def letter_problems(text: str) -> Iterator[Problem]:
    """Yields a problem for every kind of invisible letter in every line."""
    for number, line in enumerate(_LINE_END.split(text.removeprefix(BYTE_ORDER_MARK)), 1):
        if line.isascii() and line.isprintable():
            continue
        for letter in sorted(set(line)):
            said = _what_is_wrong(letter)
            if said:
                yield Problem(number, said)


def _what_is_wrong(letter: str) -> str:
    code = f"U+{ord(letter):04X}"
    if letter in _BIDIRECTIONAL:
        return f"the bidirectional control {code} is not allowed in a policy: the line would not read as it runs"
    category = unicodedata.category(letter)
    if category == "Cf" or letter in _FILLERS:
        return f"the invisible character {code} is not allowed in a policy: a reader could not see it"
    if category in _BREAKS:
        return f"the line separator {code} is not allowed in a policy: Python does not end a line there"
    if category == "Cc" and letter not in _CONTROLS_ALLOWED:
        return f"the control character {code} is not allowed in a policy: a reader could not see it"
    return ""
