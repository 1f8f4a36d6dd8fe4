"""Courses of several seeds as one: the mean at equal cost with its 95 % band."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from csro_core.experiments.document import Comparison, Cost, Course, MeasureName, Point
from csro_core.seeds import Seed

_MOST_PLACES = 200


@dataclass(frozen=True)
class Band:
    """A variant's course.

    Attributes:
        variant: its name.
        cost: `[X]` where its seeds are compared, rising.
        mean: `[X]` over the seeds that have got so far.
        half_width: `[X]` half of the 95 % interval (Student's t), NaN from a single seed.
        seeds: `[X]` how many.
    """

    variant: str
    cost: NDArray[np.float64]
    mean: NDArray[np.float64]
    half_width: NDArray[np.float64]
    seeds: NDArray[np.int64]


def cost_of(point: Point, cost: Cost) -> float | None:
    """Returns what a point had cost, None where that is not known."""
    value = point.iteration if cost == "iterations" else getattr(point, cost)
    return None if value is None else float(value)


def value_of(point: Point, measure: MeasureName) -> float | None:
    """Returns a measure of a point, None where it is not known or no number of points ("versus")."""
    value = getattr(point, measure, None)
    return value if isinstance(value, int | float) and isfinite(value) else None


def bands(comparison: Comparison, measure: MeasureName, cost: Cost) -> list[Band]:
    """Returns the courses of all variants that have the measure, in their order.

    A seed's value between two of its points is that of the earlier one: nothing better was known then. A place counts
    only where all seeds of the variant have a value, so that no step comes from a seed that joins or leaves.

    Args:
        comparison: the document.
        measure: which number.
        cost: at equal amounts of what.
    """
    found = []
    for line in comparison.variants:
        own = [course for course in comparison.courses if course.variant == line.name]
        steps = [(course.seed, _steps(course, measure, cost)) for course in own]
        known = [(seed, one) for seed, one in steps if one]
        if known:
            found.append(_band(line.name, known))
    return [band for band in found if band.cost.size]


def _steps(course: Course, measure: MeasureName, cost: Cost) -> list[tuple[float, float]]:
    pairs = [(cost_of(point, cost), value_of(point, measure)) for point in course.points[: course.final + 1]]
    return [(x, y) for x, y in pairs if x is not None and y is not None and isfinite(x)]


def _band(variant: str, steps: Sequence[tuple[Seed, Sequence[tuple[float, float]]]]) -> Band:
    start = max(one[0][0] for _, one in steps)
    places = sorted({x for _, one in steps for x, _ in one if x >= start})
    if len(places) > _MOST_PLACES:
        places = list(np.linspace(places[0], places[-1], _MOST_PLACES))
    cost = np.array(places)
    rows: dict[Seed, list[NDArray[np.float64]]] = {}
    for seed, one in steps:
        xs, ys = np.array([x for x, _ in one]), np.array([y for _, y in one])
        rows.setdefault(seed, []).append(ys[np.maximum(np.searchsorted(xs, cost, side="right") - 1, 0)])
    # Several runs of one seed are no independent ones: their mean is one.
    values = np.array([np.mean(of_seed, axis=0) for of_seed in rows.values()])
    count = len(rows)
    half = np.full(cost.size, np.nan)
    if count > 1:
        half = float(student.ppf(0.975, count - 1)) * values.std(axis=0, ddof=1) / np.sqrt(count)
    return Band(variant, cost, values.mean(axis=0), half, np.full(cost.size, count))
