"""Python source as HTML: coloured by pygments, one linkable row a line, side-by-side differences.

Every character of a policy's text passes `html.escape`. Colours use CSS `light-dark()`: Streamlit sets
`color-scheme` on the page, so they follow a change of theme without a rerun.
"""

import difflib
from collections.abc import Mapping
from functools import lru_cache
from html import escape

from pygments import lex
from pygments.lexers import PythonLexer
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES

_LIGHT, _DARK = "default", "github-dark"
_CONTEXT = 3
MOST_CHARACTERS, MOST_LINES = 120_000, 4_000
"""More of a text is not drawn: a page with a million letters in colour is of no use to anybody."""

_GAP = '<tr class="gap"><td class="number">⋯</td><td></td><td class="number">⋯</td><td></td></tr>'


@lru_cache(maxsize=1)
def stylesheet() -> str:
    """Returns the `<style>` element that every view needs once a page."""
    light, dark = _token_colours(_LIGHT), _token_colours(_DARK)
    rules = [
        # Darker than the style has it: comments must be read on the grounds of added and removed lines too.
        f".csro-code .{name} {{ color: light-dark(color-mix(in srgb, {light[name]} 78%, black), {dark[name]}) }}"
        for name in sorted(light.keys() & dark.keys())
    ]
    return f"<style>{_LAYOUT}{''.join(rules)}</style>"


def code_html(source: str, notes: Mapping[int, str] | None = None, height: int = 560) -> str:
    """Returns a policy's text with line numbers.

    Args:
        source: the text; it need not parse.
        notes: line → what is wrong there; the line is underlined, the note is its tooltip.
        height: pixels above which the view scrolls.
    """
    rows = []
    source, left_out = _shown(source)
    for number, line in enumerate(_html_lines(source), start=1):
        note = (notes or {}).get(number, "")
        attributes = f' class="wrong" title="{escape(note, quote=True)}"' if note else ""
        rows.append(
            f'<tr id="L{number}"{attributes}><td class="number"><a href="#L{number}">{number}</a></td>'
            f'<td class="text">{line or " "}</td></tr>'
        )
    if left_out:
        rows.append(_left_out(left_out, 1))
    return (
        f'<div class="csro-code" style="max-height:{height}px" role="region" aria-label="source code" tabindex="0">'
        f"<table>{''.join(rows)}</table></div>"
    )


def diff_html(before: str, after: str, title_before: str, title_after: str, height: int = 560) -> str:
    """Returns two texts side by side; equal stretches longer than a few lines are left out.

    Args:
        before: the left text.
        after: the right text.
        title_before: what the left text is called.
        title_after: what the right text is called.
        height: pixels above which the view scrolls.
    """
    before, before_left_out = _shown(before)
    after, after_left_out = _shown(after)
    # Lines that occur very often are no seeds of a match (autojunk): thousands of blank ones would take minutes.
    matcher = difflib.SequenceMatcher(None, before.split("\n"), after.split("\n"))
    left, right = _html_lines(before), _html_lines(after)
    rows = []
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        if group[0][1] > 0 or group[0][3] > 0:
            rows.append(_GAP)
        for tag, left_start, left_end, right_start, right_end in group:
            for offset in range(max(left_end - left_start, right_end - right_start)):
                changed = tag != "equal"
                rows.append(
                    f"<tr>{_side(left, left_start + offset, left_end, 'removed' if changed else '')}"
                    f"{_side(right, right_start + offset, right_end, 'added' if changed else '')}</tr>"
                )
    if not rows:
        rows.append('<tr><td></td><td class="text">The two texts are equal.</td><td></td><td></td></tr>')
    if before_left_out or after_left_out:
        rows.append(_left_out(max(before_left_out, after_left_out), 3))
    head = (
        f'<tr class="head"><td></td><td>{escape(title_before)}</td><td></td><td>{escape(title_after)}</td></tr>'
    )
    return (
        f'<div class="csro-code diff" style="max-height:{height}px" role="region" aria-label="differences" '
        f'tabindex="0"><table><colgroup><col class="narrow"><col><col class="narrow"><col></colgroup>'
        f"{head}{''.join(rows)}</table></div>"
    )


def _shown(source: str) -> tuple[str, int]:
    """Returns what is drawn of a text, and how many characters are left out."""
    shown = "\n".join(source[:MOST_CHARACTERS].split("\n", MOST_LINES)[:MOST_LINES])
    return shown, len(source) - len(shown)


def _left_out(characters: int, columns: int) -> str:
    note = f"… {characters:,} more characters are not shown; the download has them all"
    return f'<tr class="gap"><td class="number">⋯</td><td class="text" colspan="{columns}">{note}</td></tr>'


def _side(lines: tuple[str, ...], index: int, end: int, mark: str) -> str:
    if index >= end:
        return '<td class="number"></td><td class="text void"></td>'
    return f'<td class="number">{index + 1}</td><td class="text {mark}">{lines[index] or " "}</td>'


@lru_cache(maxsize=256)
def _html_lines(source: str) -> tuple[str, ...]:
    """Returns one piece of HTML per line; a token that spans lines is cut at their ends."""
    lines: list[str] = []
    current: list[str] = []
    # The lexer would turn \r and other line ends into \n and shift the numbers, so it never sees the whole text's.
    for token, value in lex(source.replace("\r", " "), PythonLexer(stripnl=False, ensurenl=False)):
        while token not in STANDARD_TYPES:
            token = token.parent
        name = STANDARD_TYPES[token]
        for place, part in enumerate(value.split("\n")):
            if place:
                lines.append("".join(current))
                current = []
            if part:
                text = escape(part, quote=True)
                current.append(f'<span class="{name}">{text}</span>' if name else text)
    lines.append("".join(current))
    return tuple(lines)


def _token_colours(style: str) -> dict[str, str]:
    """Returns the colour of each token class in a pygments style."""
    colours = {}
    for token, look in get_style_by_name(style):
        name = STANDARD_TYPES.get(token)
        if name and look["color"]:
            colours[name] = f"#{look['color']}"
    return colours


_LAYOUT = """
.csro-code { overflow: auto; border: 1px solid color-mix(in srgb, currentColor 16%, transparent); border-radius: 6px;
  font: 13px/1.5 'Source Code Pro', ui-monospace, monospace; }
.csro-code table { border-collapse: collapse; margin: 0; width: 100%; }
.csro-code td { border: 0; padding: 0 .6rem; vertical-align: top; white-space: pre; }
.csro-code td.number { opacity: .72; text-align: right; user-select: none; width: 1%; }
.csro-code td.number a { color: inherit; text-decoration: none; }
.csro-code tr.wrong td.text { text-decoration: underline wavy #d64545; text-underline-offset: 3px; }
.csro-code tr:target td { background: rgb(230 159 0 / .22); }
.csro-code.diff table { table-layout: fixed; }
.csro-code.diff col.narrow { width: 3.2rem; }
.csro-code.diff td.text { overflow-wrap: anywhere; white-space: pre-wrap; }
.csro-code td.removed { background: rgb(213 94 0 / .16); }
.csro-code td.added { background: rgb(0 114 178 / .16); }
.csro-code td.void { background: rgb(127 127 127 / .07); }
.csro-code tr.gap td { opacity: .72; }
.csro-code tr.head td { font-weight: 600; padding-bottom: .25rem; padding-top: .25rem; position: sticky; top: 0;
  backdrop-filter: blur(6px); }
"""
