"""The experiment of `bench.allocation` as a figure: SVG, written by hand so that nothing has to be installed for it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csro_core.bench.allocation import Comparison, Curve

_WIDTH, _HEIGHT = 760, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 78, 24, 66, 62
_UNIFORM, _ADAPTIVE, _INK, _FAINT = "#B35C00", "#0072B2", "#1B2430", "#D5DBE2"
_FONT = "font-family='Segoe UI, Helvetica, Arial, sans-serif'"
_X_TICKS = (10_000, 20_000, 50_000, 100_000, 200_000, 400_000)
_Y_TICKS = (2, 3, 4, 6, 8, 12, 16, 24)
_INTERVAL = 1.96


@dataclass(frozen=True)
class _Axes:
    """Two logarithmic axes: value to pixel."""

    x_range: tuple[float, float]
    y_range: tuple[float, float]

    def x(self, value: float) -> float:
        low, high = np.log(self.x_range)
        return float(_LEFT + (np.log(value) - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT))

    def y(self, value: float) -> float:
        low, high = np.log(self.y_range)
        inside = np.log(min(max(value, self.y_range[0]), self.y_range[1]))
        return float(_HEIGHT - _BOTTOM - (inside - low) / (high - low) * (_HEIGHT - _TOP - _BOTTOM))


def figure(comparison: Comparison, target: float, seeds: int) -> str:
    """Returns the figure as the text of an SVG file.

    Args:
        comparison: what came out in one setting.
        target: the true NashConv at which the two ways are compared.
        seeds: how many runs were averaged.
    """
    both = (comparison.uniform, comparison.adaptive)
    lowest = min(float(curve.mean.min()) for curve in both)
    highest = max(float(curve.mean.max()) for curve in both)
    axes = _Axes(
        (float(min(curve.episodes[0] for curve in both)), float(max(curve.episodes[-1] for curve in both))),
        (lowest / 1.3, highest * 1.2),
    )
    title = "Episodes until the estimated equilibrium is good"
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_WIDTH} {_HEIGHT}' role='img' {_FONT}>",
        f"<title>{title}: uniform and adaptive allocation</title>",
        f"<rect width='{_WIDTH}' height='{_HEIGHT}' fill='#FFFFFF'/>",
        _text((_LEFT, 26), title, size=17, weight=600),
        _text((_LEFT, 47), f"43 RoShamBo bots, {comparison.setting.words}; mean of {seeds} seeds with 95 % intervals"),
        *_grid(axes),
        *_curve(axes, comparison.uniform, _UNIFORM),
        *_curve(axes, comparison.adaptive, _ADAPTIVE),
        *_names(axes, comparison),
        *_reached(axes, comparison, target),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _grid(axes: _Axes) -> list[str]:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    parts = []
    for tick in _X_TICKS:
        if axes.x_range[0] <= tick <= axes.x_range[1]:
            parts.append(_line((axes.x(tick), _TOP), (axes.x(tick), bottom), _FAINT))
            parts.append(_text((axes.x(tick), bottom + 20), f"{tick:,}", anchor="middle"))
    for tick in _Y_TICKS:
        if axes.y_range[0] <= tick <= axes.y_range[1]:
            parts.append(_line((_LEFT, axes.y(tick)), (right, axes.y(tick)), _FAINT))
            parts.append(_text((_LEFT - 8, axes.y(tick) + 4), f"{tick}", anchor="end"))
    parts.append(_text(((_LEFT + right) / 2, _HEIGHT - 16), "matches of all 903 pairs together", anchor="middle"))
    middle = (_TOP + bottom) / 2
    words = "true NashConv of the estimated sigma (net throws)"
    parts.append(
        f"<text transform='translate(24 {middle:.1f}) rotate(-90)' text-anchor='middle' font-size='13' "
        f"fill='{_INK}'>{words}</text>"
    )
    return parts


def _curve(axes: _Axes, curve: Curve, colour: str) -> list[str]:
    margin = _INTERVAL * np.nan_to_num(curve.stderr)
    upper = _points(axes, curve.episodes, curve.mean + margin)
    lower = _points(axes, curve.episodes[::-1], (curve.mean - margin)[::-1])
    line = _points(axes, curve.episodes, curve.mean)
    return [
        f"<polygon points='{upper} {lower}' fill='{colour}' fill-opacity='0.15'/>",
        f"<polyline points='{line}' fill='none' stroke='{colour}' stroke-width='2.5' stroke-linejoin='round'/>",
    ]


def _points(axes: _Axes, episodes: NDArray[np.float64], values: NDArray[np.float64]) -> str:
    return " ".join(f"{axes.x(x):.1f},{axes.y(y):.1f}" for x, y in zip(episodes, values, strict=True))


def _names(axes: _Axes, comparison: Comparison) -> list[str]:
    """Returns a label beside each curve, rather than a legend."""
    uniform, adaptive = comparison.uniform, comparison.adaptive
    place = uniform.mean.size // 3
    above = axes.x(float(uniform.episodes[place])), axes.y(float((uniform.mean + 2 * uniform.stderr)[place])) - 10
    beside = axes.x(float(adaptive.episodes[-1])) + 10, axes.y(float(adaptive.mean[-1])) + 4
    return [
        _text(above, "uniform: every pair alike", weight=600, colour=_UNIFORM),
        _text(beside, "adaptive: the cells that move sigma", weight=600, colour=_ADAPTIVE),
    ]


def _reached(axes: _Axes, comparison: Comparison, target: float) -> list[str]:
    uniform, adaptive = comparison.uniform.first_below(target), comparison.adaptive.stays_below(target)
    if uniform is None or adaptive is None:
        return []
    y = axes.y(target)
    marks = [
        _line((axes.x(adaptive), y), (axes.x(uniform), y), _INK, dashes="5 4"),
        f"<circle cx='{axes.x(adaptive):.1f}' cy='{y:.1f}' r='5' fill='{_ADAPTIVE}'/>",
        f"<circle cx='{axes.x(uniform):.1f}' cy='{y:.1f}' r='5' fill='{_UNIFORM}'/>",
    ]
    middle = (axes.x(adaptive) + axes.x(uniform)) / 2
    words = f"{uniform / adaptive:.1f} times fewer matches"
    return [*marks, _text((middle, y + 20), words, anchor="middle", size=14, weight=600)]


def _line(start: tuple[float, float], end: tuple[float, float], colour: str, dashes: str = "") -> str:
    dashed = f" stroke-dasharray='{dashes}'" if dashes else ""
    return (
        f"<line x1='{start[0]:.1f}' y1='{start[1]:.1f}' x2='{end[0]:.1f}' y2='{end[1]:.1f}' "
        f"stroke='{colour}' stroke-width='1'{dashed}/>"
    )


def _text(
    place: tuple[float, float], words: str, *, anchor: str = "start", size: int = 13, weight: int = 400,
    colour: str = _INK,
) -> str:  # fmt: skip
    return (
        f"<text x='{place[0]:.1f}' y='{place[1]:.1f}' text-anchor='{anchor}' font-size='{size}' font-weight='{weight}' "
        f"fill='{colour}'>{words}</text>"
    )
