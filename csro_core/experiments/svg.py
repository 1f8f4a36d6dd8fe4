"""Figures as SVG text: marks, axes and frames, written by hand so that nothing has to be installed for it.

Every mark has a colour for a page of its own, and a class by which a report can give it the colours of its theme: a
rule of a style sheet wins over an attribute. All words are escaped here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite

from csro_core.experiments.numbers import tick_text, ticks

INK, FAINT, GROUND, QUIET = "#1B2430", "#D5DBE2", "#FFFFFF", "#5F6B78"
_FONT = "font-family='Segoe UI, Helvetica, Arial, sans-serif'"
_LONGEST = 44

Place = tuple[float, float]


@dataclass(frozen=True)
class Frame:
    """The area of a chart and its two linear axes: value to pixel.

    Attributes:
        left: pixel of the left edge of the area.
        top: pixel of its upper edge.
        right: pixel of its right edge.
        bottom: pixel of its lower edge.
        x_range: values at the left and right edge.
        y_range: values at the lower and upper edge.
    """

    left: float
    top: float
    right: float
    bottom: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    def x(self, value: float) -> float:
        """Returns the pixel of a value."""
        low, high = self.x_range
        return self.left + (value - low) / (high - low) * (self.right - self.left)

    def y(self, value: float) -> float:
        """Returns the pixel of a value."""
        low, high = self.y_range
        return self.bottom - (value - low) / (high - low) * (self.bottom - self.top)

    def points(self, xs: Sequence[float], ys: Sequence[float]) -> str:
        """Returns the pixels of a line."""
        return " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in zip(xs, ys, strict=True))


def document(width: float, height: float, title: str, marks: Sequence[str]) -> str:
    """Returns a whole SVG file.

    Args:
        width: of the figure.
        height: of the figure.
        title: what it shows, also for those who do not see it.
        marks: its parts.
    """
    opening = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:.0f} {height:.0f}' width='{width:.0f}' "
        f"height='{height:.0f}' role='img' {_FONT}>"
    )
    ground = f"<rect class='ground' width='{width:.0f}' height='{height:.0f}' fill='{GROUND}'/>"
    return "\n".join([opening, f"<title>{words(title)}</title>", ground, *marks, "</svg>"]) + "\n"


def words(text: str) -> str:
    """Returns a text for the inside of an element: escaped, and without what XML forbids."""
    return escape("".join(sign if sign.isprintable() else "\ufffd" for sign in text))


def cut(text: str, most: int = _LONGEST) -> str:
    """Returns a text with at most so many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def text(place: Place, said: str, *, anchor: str = "start", size: int = 13, weight: int = 400, colour: str = "") -> str:
    """Returns words at a place; without a colour they have the ink of the page."""
    look = f"fill='{colour}'" if colour else f"class='ink' fill='{INK}'"
    return (
        f"<text x='{place[0]:.1f}' y='{place[1]:.1f}' text-anchor='{anchor}' font-size='{size}' "
        f"font-weight='{weight}' {look}>{words(said)}</text>"
    )


def line(start: Place, end: Place, colour: str = "", dashes: str = "", width: float = 1.0) -> str:
    """Returns a straight line; without a colour it is a faint one."""
    look = f"stroke='{colour}'" if colour else f"class='faint' stroke='{FAINT}'"
    dashed = f" stroke-dasharray='{dashes}'" if dashes else ""
    return (
        f"<line x1='{start[0]:.1f}' y1='{start[1]:.1f}' x2='{end[0]:.1f}' y2='{end[1]:.1f}' {look} "
        f"stroke-width='{width:g}'{dashed}/>"
    )


def polyline(points: str, colour: str, dashes: str = "") -> str:
    """Returns a line through points."""
    dashed = f" stroke-dasharray='{dashes}'" if dashes else ""
    look = f"fill='none' stroke='{colour}' stroke-width='2.5' stroke-linejoin='round'"
    return f"<polyline points='{points}' {look}{dashed}/>"


def area(points: str, colour: str, opacity: float) -> str:
    """Returns a filled area."""
    return f"<polygon points='{points}' fill='{colour}' fill-opacity='{opacity:g}'/>"


def box(place: Place, size: Place, colour: str, title: str = "") -> str:
    """Returns a filled rectangle; the title is what a pointer over it tells."""
    inside = f"<title>{words(title)}</title>" if title else ""
    return (
        f"<rect x='{place[0]:.1f}' y='{place[1]:.1f}' width='{max(size[0], 0):.1f}' height='{max(size[1], 0):.1f}' "
        f"fill='{colour}'>{inside}</rect>"
    )


def heading(left: float, title: str, below: str) -> list[str]:
    """Returns the title of a figure and a line below it."""
    return [text((left, 26), cut(title, 90), size=17, weight=600), text((left, 47), cut(below, 120))]


def axes(frame: Frame, x_title: str, y_title: str, whole: bool = False) -> list[str]:
    """Returns grid, ticks and titles of a chart.

    Args:
        frame: its area.
        x_title: what runs to the right, with its unit.
        y_title: what runs up, with its unit.
        whole: True: to the right there are whole numbers only.
    """
    parts = []
    for tick in ticks(*frame.x_range):
        if not whole or tick == int(tick):
            parts.append(line((frame.x(tick), frame.top), (frame.x(tick), frame.bottom)))
            parts.append(text((frame.x(tick), frame.bottom + 20), tick_text(tick), anchor="middle"))
    for tick in ticks(*frame.y_range):
        parts.append(line((frame.left, frame.y(tick)), (frame.right, frame.y(tick))))
        parts.append(text((frame.left - 8, frame.y(tick) + 4), tick_text(tick), anchor="end"))
    if frame.y_range[0] < 0 < frame.y_range[1]:
        parts.append(line((frame.left, frame.y(0)), (frame.right, frame.y(0)), QUIET))
    parts.append(text(((frame.left + frame.right) / 2, frame.bottom + 44), x_title, anchor="middle"))
    middle = (frame.top + frame.bottom) / 2
    parts.append(
        f"<text class='ink' transform='translate(20 {middle:.1f}) rotate(-90)' text-anchor='middle' font-size='13' "
        f"fill='{INK}'>{words(cut(y_title, 60))}</text>"
    )
    return parts


def legend(place: Place, names: Sequence[tuple[str, str, str]]) -> list[str]:
    """Returns one line a name, below each other.

    Args:
        place: of the first.
        names: (name, colour, dashes).
    """
    parts = []
    for row, (name, colour, dashes) in enumerate(names):
        y = place[1] + 20 * row
        parts.append(line((place[0], y - 4), (place[0] + 24, y - 4), colour, dashes, 3))
        parts.append(text((place[0] + 32, y), cut(name, 32)))
    return parts


def span(values: Sequence[float], with_zero: bool = False) -> tuple[float, float]:
    """Returns the range of an axis that shows these values with some air; not finite ones are left out."""
    known = [value for value in values if isfinite(value)] + ([0.0] if with_zero else [])
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    air = (high - low) * 0.06 or abs(high) * 0.1 or 1.0
    return (0.0 if with_zero and low == 0.0 else low - air), high + air
