"""One line of the table: a figure of ours beside one that was measured in the same minute."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from csro_core.bench.timing import ratio_of


@dataclass(frozen=True)
class Target:
    """What a figure must not exceed.

    Attributes:
        of: which figure: "ratio", or "ours" in the row's unit.
        limit: the largest that is good enough.
    """

    of: Literal["ratio", "ours"]
    limit: float


@dataclass(frozen=True)
class Row:
    """One figure.

    Attributes:
        name: what was measured.
        unit: of `ours` and `baseline`.
        ours: median; None where this system does not tell.
        against: what it is compared with.
        baseline: median of that.
        ratio: median of ours / baseline over repetitions that ran side by side.
        low: least ratio.
        high: largest ratio.
        target: what must not be exceeded, None where there is no target.
        target_of: "ratio" or "ours", None where there is no target.
        met: True where it is not exceeded; None where there is no target or no figure.
    """

    name: str
    unit: str
    ours: float | None
    against: str
    baseline: float | None
    ratio: float | None
    low: float | None
    high: float | None
    target: float | None
    target_of: Literal["ratio", "ours"] | None
    met: bool | None


@dataclass(frozen=True)
class Label:
    """The words of a row.

    Attributes:
        name: what was measured.
        against: what it is compared with.
        unit: of both figures.
    """

    name: str
    against: str
    unit: str


def row_of(label: Label, ours: Sequence[float], baseline: Sequence[float], target: Target | None = None) -> Row:
    """Returns the row of two series whose members ran side by side.

    Args:
        label: the words.
        ours: > 0, one value a repetition, in the unit.
        baseline: > 0, as many.
        target: what must not be exceeded.
    """
    found = ratio_of(ours, baseline)
    met = None
    if target is not None:
        met = (found.ratio if target.of == "ratio" else found.ours) <= target.limit
    return Row(
        name=label.name,
        unit=label.unit,
        ours=found.ours,
        against=label.against,
        baseline=found.baseline,
        ratio=found.ratio,
        low=found.low,
        high=found.high,
        target=target.limit if target else None,
        target_of=target.of if target else None,
        met=met,
    )


def unknown_row(label: Label) -> Row:
    """Returns a row without figures, for what this system does not tell."""
    return Row(label.name, label.unit, None, label.against, None, None, None, None, None, None, None)
