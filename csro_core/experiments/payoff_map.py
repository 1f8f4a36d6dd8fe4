"""A matrix of payoffs as an SVG figure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csro_core.experiments import svg
from csro_core.experiments.palette import diverging_at, ink_on

_MOST_NUMBERS = 25
_MOST_NAMES = 80
_LEFT, _TOP = 230, 150
_UNKNOWN = "#C9CFD6"


@dataclass(frozen=True)
class Heat:
    """What a heat-map shows.

    Attributes:
        title: of the figure.
        below: the line below it, with the unit.
        rows: names.
        columns: names.
        values: `[R, C]`, NaN = not known.
        texts: `[R][C]` what stands in the cells while there is room.
    """

    title: str
    below: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: NDArray[np.float64]
    texts: Sequence[Sequence[str]]


def heat_map(heat: Heat) -> str:
    """Returns the figure: orange is loss, blue is gain, zero in the middle, grey is not known."""
    most = max(len(heat.rows), len(heat.columns))
    longest = max((len(text) for row in heat.texts for text in row), default=1)
    numbers = most <= _MOST_NUMBERS
    width = max(8.0 * longest + 14, 40) if numbers else max(4.0, 640 / most)
    height = 34.0 if numbers else max(4.0, 640 / most)
    known = np.abs(heat.values[np.isfinite(heat.values)])
    scale = float(known.max()) if known.size and known.max() > 0 else 1.0
    marks = svg.heading(24, heat.title, heat.below)
    for row, name in enumerate(heat.rows):
        y = _TOP + height * row
        if most <= _MOST_NAMES:
            place = (_LEFT - 8, y + height / 2 + 4)
            marks.append(svg.text(place, svg.cut(name, 30), anchor="end", size=13 if numbers else 8))
        for column, other in enumerate(heat.columns):
            value = float(heat.values[row, column])
            colour = diverging_at(0.5 + value / (2 * scale)) if np.isfinite(value) else _UNKNOWN
            x = _LEFT + width * column
            said = heat.texts[row][column]
            marks.append(svg.box((x, y), (width - 0.5, height - 0.5), colour, f"{name} against {other}: {said}"))
            if numbers:
                middle = (x + width / 2, y + height / 2 + 4)
                marks.append(svg.text(middle, said, anchor="middle", size=12, colour=ink_on(colour)))
    if most <= _MOST_NAMES:
        marks += [_turned(_LEFT + width * (c + 0.5), n, 12 if numbers else 8) for c, n in enumerate(heat.columns)]
    whole = (_LEFT + width * len(heat.columns) + 130, _TOP + height * len(heat.rows) + 24)
    return svg.document(max(whole[0], 620), whole[1], heat.title, marks)


def _turned(x: float, name: str, size: int) -> str:
    return (
        f"<text class='ink' transform='translate({x:.1f} {_TOP - 8}) rotate(-38)' font-size='{size}' "
        f"fill='{svg.INK}'>{svg.words(svg.cut(name, 22))}</text>"
    )
