"""How numbers, names and times look. Every ± is a 95 % interval; numbers are rounded to their error."""

import re
from html import escape
from math import floor, isfinite, log10
from textwrap import wrap

from csro_core.estimates import Estimate

MINUS = "−"

DUST = 1e-6
"""Anything smaller is rounding of the computer, not of the game: it is shown as 0."""

MODEL_TITLES = {
    "synthesiser": "synthesiser (hand-written grammar, not an LLM)",
    "synthesiser:equilibrium": "synthesiser (hand-written grammar with a solved table, not an LLM)",
}
"""Names of models that do not speak for themselves."""


def decimals(half_width: float) -> int:
    """Returns how many decimals a number with this half width deserves: one digit of error, two below 2."""
    if not isfinite(half_width) or half_width < DUST:
        return 0
    exponent = floor(log10(half_width))
    leading = half_width / 10**exponent
    return max(0, -exponent + (1 if leading < 1.95 else 0))


def number(value: float, half_width: float | None = None, signed: bool = False) -> str:
    """Returns a number rounded to its error, or to three figures where it has none.

    Args:
        value: the number.
        half_width: half of its 95 % interval; None, 0 or NaN where there is none.
        signed: True: a positive number gets a plus.
    """
    if not isfinite(value):
        return "–"
    if abs(value) < DUST:
        value = 0.0
    if half_width is None or not isfinite(half_width) or half_width < DUST:
        places = 0 if abs(value) >= 100 or value == int(value) else 1 if abs(value) >= 10 else 2
        if 0 < abs(value) < 0.01:
            return f"{value:.1e}".replace("-", MINUS)
    else:
        places = decimals(half_width)
    text = f"{value:+,.{places}f}" if signed else f"{value:,.{places}f}"
    if not any(digit in text for digit in "123456789"):
        text = text.lstrip("+-")
    return text.replace("-", MINUS)


def interval(value: Estimate, signed: bool = True) -> str:
    """Returns "+14 ± 6", "+14 (exact)" or "+14 (1 episode, error unknown)"."""
    half = value.half_width
    if not isfinite(half):
        return f"{number(value.mean, signed=signed)} (1 episode, error unknown)"
    if half < DUST:
        return f"{number(value.mean, signed=signed)} (exact)"
    return f"{number(value.mean, half, signed)} ± {number(half, half)}"


def interval_text(value: float, half_width: float | None, signed: bool = False) -> str:
    """Returns "14 ± 6", or the number alone where nothing is known of its error.

    Args:
        value: the number.
        half_width: half of its 95 % interval, None where there is none.
        signed: True: a positive number gets a plus.
    """
    if half_width is None or not isfinite(half_width):
        return number(value, signed=signed)
    return f"{number(value, half_width, signed)} ± {number(half_width, half_width)}"


def weight(share: float) -> str:
    """Returns a probability with two decimals; "0" where it is 0, "<0.01" where it is tiny."""
    if share <= 0:
        return "0"
    if share < 0.005:
        return "<0.01"
    return f"{share:.2f}"


def duration(seconds: float) -> str:
    """Returns "<0.01 s", "7.5 s", "14 s", "2 min 10 s" or "1 h 5 min"."""
    if seconds < 0.01:
        return "<0.01 s"
    if seconds < 10:
        return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def money(usd: float | None) -> str:
    """Returns an amount with enough decimals for the price of one call, or "unpriced" where nobody knows it."""
    if usd is None:
        return "unpriced"
    return "$0.00" if usd == 0 else f"${usd:.2f}" if usd >= 1 else f"${usd:.4f}" if usd >= 0.0001 else "<$0.0001"


def short(text: str, length: int = 18) -> str:
    """Returns the text, cut with an ellipsis where it is longer than `length`."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def wrapped(text: str, length: int = 24) -> str:
    """Returns a title of a chart, safe and in lines of at most about `length` letters."""
    return "<br>".join(safe(line) for line in wrap(text, length))


def safe(text: str) -> str:
    """Returns generated text for HTML and for Plotly, which reads tags in labels, too."""
    return escape(text, quote=True)


_ADDRESS = re.compile(r":(?=//)|www(?=\.)|@", re.IGNORECASE)


def plain(text: str) -> str:
    """Returns generated text for Markdown (labels of widgets), so that it is shown letter by letter.

    What looks like an address would become a link even so: an invisible joiner within keeps it text.
    """
    text = _ADDRESS.sub(lambda found: found[0] + "\u2060", text)
    return "".join(f"\\{letter}" if letter in r"\`*_{}[]()#+-.!|<>~$:^=&" else letter for letter in text)


def file_name(name: str, ending: str) -> str:
    """Returns a name of a file, in letters that every system and every header can hold."""
    kept = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-_") else "_" for letter in name)
    return f"{kept[:60] or 'csro'}{ending}"


def first_line(docstring: str) -> str:
    """Returns the first paragraph of a docstring in one line."""
    paragraph = docstring.strip().split("\n\n", maxsplit=1)[0]
    return " ".join(paragraph.split())


def model_title(name: str) -> str:
    """Returns the name of a model for people."""
    return MODEL_TITLES.get(name, name)


def target_title(mix: float) -> str:
    """Returns what a run trains against: "sigma", or the mixture with the warning."""
    if mix == 0:
        return "sigma"
    return f"{1 - mix:.0%} sigma + {mix:.0%} uniform, not plain PSRO".replace("%", " %")
