"""What the charts and tables of the Compare page are made of, beside what the core has for reports as well."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from statistics import median
from typing import Any, Literal, TypeAlias, cast

import orjson

from app.formats import number
from csro_core.experiments.bands import cost_of, value_of
from csro_core.experiments.document import MEASURES, Comparison, Cost, Course, MeasureName
from csro_core.experiments.palette import variant_colours
from csro_core.store.records import RunSettings

Curve: TypeAlias = Literal["gap", "exploitability", "agg_score", "pop_return", "pop_expl", "oracle_gain"]

NO_DIFFERENCE = frozenset({"seed", "seed_scheme", "caps", "cluster", "benchmark", "eval_solver"})
"""Settings that make no other variant: they decide no policy, or are what a variant is repeated over."""

DASHES = {"code": "solid", "summary": "dash", "none": "dot"}
"""Context → dash of its lines."""

_GREY = "#7F8791"


@dataclass(frozen=True)
class Look:
    """How a variant is drawn.

    Attributes:
        colour: of its lines and bars.
        dash: of its lines.
    """

    colour: str
    dash: str


def looks(document: Comparison, planned: Sequence[str] = ()) -> dict[str, Look]:
    """Returns how each variant and each other owner of policies is drawn: the same everywhere on the page.

    Args:
        document: the comparison.
        planned: variants of the experiment, some of which may not have a run yet; their order decides.
    """
    palette = variant_colours(list(dict.fromkeys([*planned, *(line.name for line in document.variants)])))
    dashes = {line.name: DASHES.get(str(line.settings.get("context")), "solid") for line in document.variants}
    return {name: Look(colour, dashes.get(name, "solid")) for name, colour in palette.items()}


def colour_of(drawn: Mapping[str, Look], owner: str) -> str:
    """Returns the colour of a variant or another owner."""
    return drawn[owner].colour if owner in drawn else _GREY


def measures_in(document: Comparison) -> list[MeasureName]:
    """Returns the measures that the comparison has, the headline first."""
    told = {one.measure for one in document.summaries} | {one.measure for one in document.differences}
    return [name for name in MEASURES if name in told]


def curves_in(document: Comparison) -> list[MeasureName]:
    """Returns the measures that have a course over the iterations."""
    return [
        name
        for name in MEASURES
        if name != "versus"
        and any(value_of(point, name) is not None for course in document.courses for point in course.points)
    ]


def steps(course: Course, cost: Cost, curve: Curve) -> list[tuple[float, float]]:
    """Returns (amount used, value) of the points of a run until the compared one, as far as both are known."""
    pairs = [(cost_of(point, cost), value_of(point, measure(curve))) for point in course.points[: course.final + 1]]
    return [(x, y) for x, y in pairs if x is not None and y is not None]


def measure(curve: Curve) -> MeasureName:
    """Returns a curve by the name that the core asks for; the gain of the oracle is a number of points as well."""
    return cast(MeasureName, curve)


def calls_an_iteration(document: Comparison) -> dict[str, float]:
    """Returns the median model calls of an iteration of each variant, of those that have iterations."""
    found = {}
    for line in document.variants:
        spent = [
            later.calls - earlier.calls
            for course in document.courses
            if course.variant == line.name
            for earlier, later in zip(course.points, course.points[1:], strict=False)
        ]
        if spent:
            found[line.name] = float(median(spent))
    return found


def common_amount(document: Comparison) -> float | None:
    """Returns how much all runs have used at least, where they have used unequally much; else None."""
    used = [cost_of(course.points[-1], document.cost) for course in document.courses if course.points]
    known = [amount for amount in used if amount]
    return min(known) if known and len(known) == len(used) and min(known) < max(known) else None


def unequal_cost(document: Comparison) -> str:
    """Returns the note that stands beside iterations as an axis, "" where all variants cost the same."""
    calls = calls_an_iteration(document)
    if len(set(calls.values())) < 2:
        return ""
    amounts = " / ".join(number(amount) for amount in calls.values())
    return f"Unequal cost: median {amounts} calls an iteration ({' / '.join(calls)})."


def differing(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns the names of settings that differ within a list of them, in the order of `RunSettings`."""
    names = [field.name for field in fields(RunSettings)]
    return [
        name
        for name in names
        if name not in NO_DIFFERENCE and len({orjson.dumps(one.get(name)) for one in settings}) > 1
    ]


def shown_setting(value: object) -> str:
    """Returns a setting as people read it."""
    if isinstance(value, (list, tuple)):
        return ", ".join(str(part) for part in value) or "the default"
    if isinstance(value, Mapping):
        inner = ", ".join(f"{name}={part}" for name, part in value.items() if part is not None)
        return inner or "none"
    if value is None or value == "":
        return "none"
    return str(value)
