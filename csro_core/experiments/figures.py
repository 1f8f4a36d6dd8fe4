"""Figures of a comparison as SVG: a measure over cost, cross-play, and shares of the joint equilibrium."""

from collections.abc import Mapping
from math import isfinite

import numpy as np

from csro_core.experiments import svg
from csro_core.experiments.bands import Band, bands
from csro_core.experiments.document import COSTS, MEASURES, Comparison, Cost, MeasureName
from csro_core.experiments.numbers import interval, number
from csro_core.experiments.palette import NOBODY_COLOURS, variant_colours, variant_dashes
from csro_core.experiments.payoff_map import Heat, heat_map

_WIDTH, _HEIGHT = 860, 420
_LEFT, _TOP, _RIGHT, _BOTTOM = 84, 64, 590, 360


def comparison_figures(comparison: Comparison) -> dict[str, str]:
    """Returns every figure of a comparison: name of the file without its ending → text of the SVG file."""
    found = {
        f"{measure.replace('_', '-')}-over-{comparison.cost}": figure
        for measure in MEASURES
        if (figure := course_figure(comparison, measure, comparison.cost))
    }
    if len(comparison.cross_play.variants) > 1:
        found["cross-play"] = cross_play_figure(comparison)
    if comparison.joint.shares:
        found["joint-shares"] = shares_figure(comparison)
    return found


def course_figure(comparison: Comparison, measure: MeasureName, cost: Cost) -> str:
    """Returns a measure over cost, the mean of each variant's seeds with its 95 % band.

    Args:
        comparison: the document.
        measure: which number.
        cost: what runs to the right.

    Returns:
        Text of an SVG file; "" where no run has the measure.
    """
    known = bands(comparison, measure, cost)
    if not known:
        return ""
    about = MEASURES[measure]
    colours = variant_colours([line.name for line in comparison.variants])
    dashes = variant_dashes(comparison)
    frame = svg.Frame(_LEFT, _TOP, _RIGHT, _BOTTOM, *_ranges(known))
    marks = svg.heading(24, about.title[:1].upper() + about.title[1:], _below(comparison, known, about.better))
    marks += svg.axes(frame, COSTS[cost], f"{about.title} ({comparison.unit})", whole=cost != "usd")
    for band in known:
        marks += _band(frame, band, colours[band.variant], dashes[band.variant])
    marks += svg.legend((_RIGHT + 24, _TOP + 12), [(b.variant, colours[b.variant], dashes[b.variant]) for b in known])
    title = f"{about.title} over {COSTS[cost]}: {comparison.title}"
    height = max(_HEIGHT, _TOP + 20 * len(known) + 30)
    return svg.document(_WIDTH, height, title, marks)


def cross_play_figure(comparison: Comparison) -> str:
    """Returns the final mixtures of all variants against each other."""
    played = comparison.cross_play
    texts = [
        [interval(mean, half) for mean, half in zip(means, halves, strict=True)]
        for means, halves in zip(played.mean, played.half_width, strict=True)
    ]
    return heat_map(
        Heat(
            "Cross-play of the final mixtures",
            f"payoff to the row's mixture, {comparison.unit}; ± 95 % over seeds",
            played.variants, played.variants, np.array(played.mean, dtype=float), texts,
        )
    )  # fmt: skip


def shares_figure(comparison: Comparison) -> str:
    """Returns the shares of the joint equilibrium by owner, as bars."""
    shares: Mapping[str, float] = comparison.joint.shares
    colours = variant_colours([line.name for line in comparison.variants])
    left, width, top, step = 250, 480, 70, 30
    solver = comparison.joint.solver
    below = f"{solver} over all compared populations and the held-out responders"
    marks = svg.heading(24, "Shares of the joint equilibrium", below)
    for row, (owner, share) in enumerate(shares.items()):
        y = top + step * row
        colour = colours.get(owner, next(iter(NOBODY_COLOURS.values())))
        marks.append(svg.text((left - 10, y + 15), svg.cut(owner, 34), anchor="end"))
        marks.append(svg.box((left, y), (width * min(max(share, 0.0), 1.0), 20), colour, f"{owner}: {share:.3f}"))
        marks.append(svg.text((left + width * min(max(share, 0.0), 1.0) + 8, y + 15), f"{100 * share:.1f} %"))
    return svg.document(_WIDTH, top + step * len(shares) + 24, "Shares of the joint equilibrium", marks)


def _ranges(known: list[Band]) -> tuple[tuple[float, float], tuple[float, float]]:
    lows = [float(v) for b in known for v in np.where(np.isfinite(b.half_width), b.mean - b.half_width, b.mean)]
    highs = [float(v) for b in known for v in np.where(np.isfinite(b.half_width), b.mean + b.half_width, b.mean)]
    last = max(float(band.cost[-1]) for band in known)
    return (0.0, last * 1.02 if last > 0 else 1.0), svg.span([*lows, *highs])


def _band(frame: svg.Frame, band: Band, colour: str, dashes: str) -> list[str]:
    if not isfinite(float(band.half_width[0])):
        upper = lower = band.mean
    else:
        upper, lower = band.mean + band.half_width, band.mean - band.half_width
    xs = [float(x) for x in band.cost]
    there = frame.points(*_stairs(xs, [float(y) for y in upper]))
    back_x, back_y = _stairs(xs, [float(y) for y in lower])
    back = frame.points(back_x[::-1], back_y[::-1])
    mean = frame.points(*_stairs(xs, [float(y) for y in band.mean]))
    end = frame.x(xs[-1]), frame.y(float(band.mean[-1]))
    dot = f"<circle cx='{end[0]:.1f}' cy='{end[1]:.1f}' r='3.5' fill='{colour}'/>"
    return [svg.area(f"{there} {back}", colour, 0.14), svg.polyline(mean, colour, dashes), dot]


def _stairs(xs: list[float], ys: list[float]) -> tuple[list[float], list[float]]:
    """Returns a line that stays at a value until the next one is known."""
    along = [xs[0], *(x for x in xs[1:] for _ in range(2))]
    up = [*(y for y in ys[:-1] for _ in range(2)), ys[-1]]
    return along, up


def _below(comparison: Comparison, known: list[Band], better: str) -> str:
    seeds = sorted({int(band.seeds[0]) for band in known})
    many = f"{seeds[0]}" if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"
    budget = "" if comparison.budget is None else f", budget {number(comparison.budget)} {COSTS[comparison.cost]}"
    return f"{comparison.title}; mean of {many} seeds with 95 % bands; {better} is better{budget}"
