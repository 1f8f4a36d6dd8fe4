"""How figures and reports write numbers: rounded to their error; ± is always a 95 % interval."""

from math import floor, isfinite, log10

MINUS = "−"
_DUST = 1e-6
_LARGEST = 1e15


def number(value: float | None, half_width: float | None = None) -> str:
    """Returns a number rounded to its error, or to three figures where it has none; "–" where there is none.

    Args:
        value: the number.
        half_width: half of its 95 % interval.
    """
    if value is None or not isfinite(value):
        return "–"
    if abs(value) >= _LARGEST:
        return f"{value:.2e}".replace("-", MINUS)
    if abs(value) < _DUST:
        value = 0.0
    text = f"{value:,.{_places(value, half_width)}f}"
    if 0 < abs(value) < 0.01 and not any(digit in text for digit in "123456789") and half_width is None:
        text = f"{value:.1e}"
    return text.replace("-", MINUS)


def interval(value: float | None, half_width: float | None) -> str:
    """Returns "41 ± 12"; the number alone where there is no interval."""
    if value is None or not isfinite(value):
        return "–"
    if half_width is None or not isfinite(half_width):
        return number(value)
    return f"{number(value, half_width)} ± {number(half_width, half_width)}"


def decimals(half_width: float) -> int:
    """Returns how many decimals an interval leaves a number in a sentence or a table: two figures of the interval.

    Args:
        half_width: > 0.
    """
    return min(6, max(0, 1 - floor(log10(half_width))))


def _places(value: float, half_width: float | None) -> int:
    if half_width is None or not isfinite(half_width) or half_width < _DUST:
        return 0 if abs(value) >= 100 or value == int(value) else 1 if abs(value) >= 10 else 2
    exponent = floor(log10(half_width))
    return min(9, max(0, -exponent + (1 if half_width / 10.0**exponent < 1.95 else 0)))


def ticks(low: float, high: float, wanted: int = 5) -> tuple[float, ...]:
    """Returns round numbers from `low` to `high`, about as many as wanted.

    Args:
        low: finite.
        high: finite, above `low`.
        wanted: about how many.
    """
    rough = (high - low) / max(wanted, 1)
    power = 10.0 ** floor(log10(rough))
    step = next(step for step in (power, 2 * power, 2.5 * power, 5 * power, 10 * power) if step >= rough * 0.999)
    first = floor(low / step)
    found = [number_ * step for number_ in range(first, first + 4 * wanted + 4)]
    return tuple(round(tick, 12) for tick in found if low - step * 1e-9 <= tick <= high + step * 1e-9)


def tick_text(value: float) -> str:
    """Returns a tick for an axis."""
    return f"{value:,.10g}".replace("-", MINUS)
