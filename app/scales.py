"""Vertical scales of charts: linear, or a signed logarithm for values of very different size round 0."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import asinh, ceil, floor, isfinite, log10
from statistics import median

from app.formats import DUST, MINUS, number

_SPREAD = 12.0
"""A largest value this many times the median one would squash the others on a linear scale."""

_FEW_TICKS = 5


@dataclass(frozen=True)
class Scale:
    """How a value becomes a height.

    Attributes:
        linear_to: 0: linear; else the size up to which it is about linear, and beyond which each factor of ten takes
            the same room: asinh(value / linear_to). It keeps the sign and shows 0.
    """

    linear_to: float = 0.0

    def height(self, value: float) -> float:
        """Returns the height of a value."""
        return asinh(value / self.linear_to) if self.linear_to else value

    def bars(self, values: Sequence[float], halves: Sequence[float]) -> tuple[list[float], list[float]]:
        """Returns how far error bars of these half widths reach up and down from the heights of the values."""
        pairs = [(value, half if isfinite(half) else 0.0) for value, half in zip(values, halves, strict=True)]
        up = [self.height(value + half) - self.height(value) for value, half in pairs]
        down = [self.height(value) - self.height(value - half) for value, half in pairs]
        return up, down

    def ticks(self, low: float, high: float) -> dict[str, object]:
        """Returns the ticks of an axis from `low` to `high`: round values, written as they are."""
        if not self.linear_to:
            return {}
        largest = max(abs(low), abs(high), self.linear_to)
        powers = [10.0**power for power in range(ceil(log10(self.linear_to)), floor(log10(largest)) + 1)]
        if len(powers) < _FEW_TICKS:
            powers = sorted({*powers, *(3 * power for power in powers if 3 * power <= largest)})
        values = [-value for value in reversed(powers) if -value >= low]
        values += [0.0, *(value for value in powers if value <= high)]
        return {"tickvals": [self.height(value) for value in values], "ticktext": [_label(value) for value in values]}


def _label(value: float) -> str:
    return number(value) if value == 0 or abs(value) >= 1 else f"{value:g}".replace("-", MINUS)


def is_wide(values: Sequence[float]) -> bool:
    """Returns whether the largest of the values would squash the others on a linear scale."""
    # Zeros lie on the axis on any scale; only small values that are not 0 need help to be seen.
    sizes = [abs(value) for value in values if isfinite(value) and abs(value) > DUST]
    return len(sizes) > 2 and max(sizes) > _SPREAD * median(sizes)


def signed_log(values: Sequence[float], halves: Sequence[float]) -> Scale:
    """Returns a logarithmic scale that is linear within the noise.

    Args:
        values: what will be drawn.
        halves: half widths of their intervals; may be empty, 0 or NaN.
    """
    largest = max((abs(value) for value in values if isfinite(value)), default=0.0)
    if largest == 0:
        return Scale()
    noise = [half for half in halves if isfinite(half) and half > 0]
    return Scale(min(max(median(noise) if noise else 0.0, largest / 1000), largest))
