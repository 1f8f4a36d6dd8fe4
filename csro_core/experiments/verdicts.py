"""What seeds say together: means with intervals, paired differences, and the sentences that tell them."""

from collections.abc import Mapping, Sequence
from math import isfinite, isnan
from typing import Literal

import numpy as np

from csro_core.evaluation.crossplay import OverSeeds, over_seeds
from csro_core.experiments.document import COSTS, MEASURES, Cost, Difference, MeasureName, Summary
from csro_core.experiments.numbers import decimals
from csro_core.seeds import Seed

Values = Mapping[str, Mapping[Seed, float]]
"""Variant → seed → the number of its run."""


def summaries(measure: MeasureName, values: Values) -> list[Summary]:
    """Returns the mean of each variant over its seeds, with its interval.

    Args:
        measure: which number.
        values: of every run.
    """
    found = []
    for variant, by_seed in values.items():
        if by_seed:
            one = over_seeds(np.array([by_seed[seed] for seed in sorted(by_seed)]))
            found.append(Summary(variant, measure, one.mean, _width(one), one.seeds))
    return found


def differences(
    measure: MeasureName, values: Values, baseline: str, at: tuple[Cost, float | None], unit: str
) -> list[Difference]:
    """Returns what each variant has more than the baseline, paired by seed.

    Args:
        measure: which number.
        values: of every run; of "versus" the payoffs against the baseline, which are differences already.
        baseline: name of the variant that the others are compared with.
        at: at equal amounts of what, and how much of it.
        unit: of payoffs.
    """
    found = []
    for variant, by_seed in values.items():
        seeds = [seed for seed in sorted(by_seed) if measure == "versus" or seed in values.get(baseline, {})]
        if variant == baseline or not seeds:
            continue
        gained = np.array([by_seed[seed] - (0.0 if measure == "versus" else values[baseline][seed]) for seed in seeds])
        one = over_seeds(gained)
        sign = -1.0 if MEASURES[measure].better == "lower" else 1.0
        verdict = _verdict(one, sign)
        found.append(
            Difference(
                variant, measure, one.mean, _width(one), one.seeds, int((sign * gained > 0).sum()), verdict,
                sentence(measure, (variant, baseline), one, at, unit),
            )
        )  # fmt: skip
    return found


def _verdict(one: OverSeeds, sign: float) -> Literal["ahead", "behind", "undecided"]:
    if isnan(one.half_width) or abs(one.mean) <= one.half_width:
        return "undecided"
    return "ahead" if sign * one.mean > 0 else "behind"


def sentence(
    measure: MeasureName, names: tuple[str, str], one: OverSeeds, at: tuple[Cost, float | None], unit: str
) -> str:
    """Returns a difference in plain words.

    Args:
        measure: which number.
        names: (variant, baseline).
        one: variant minus baseline over seeds.
        at: at equal amounts of what, and how much of it.
        unit: of payoffs.
    """
    variant, baseline = names
    cost, budget = at
    level = f"at equal {COSTS[cost]} ({budget:g})" if budget is not None else "with all that each has used"
    how_many = f"{one.seeds} seed{'' if one.seeds == 1 else 's'}"
    if isnan(one.half_width):
        return f"{variant} against {baseline} {level}: one pair of runs proves nothing; add seeds."
    amount = f"{_rounded(abs(one.mean), one.half_width)} ± {_rounded(one.half_width, one.half_width)} {unit}"
    lower = MEASURES[measure].better == "lower"
    better = (one.mean < 0) == lower
    if abs(one.mean) <= one.half_width:
        side = "ahead" if better else "behind"
        return (
            f"{variant} and {baseline} cannot be told apart {level}: {variant} is {side} by {amount} "
            f"({_thing(measure)}, {how_many})."
        )
    side = "ahead of" if better else "behind"
    return f"{variant} is {side} {baseline} by {amount} {level} ({_thing(measure)}, {how_many})."


def _thing(measure: MeasureName) -> str:
    return "mixture against mixture" if measure == "versus" else MEASURES[measure].title


def _rounded(value: float, error: float) -> str:
    """Returns a number with as many digits as its error leaves it."""
    if not (isfinite(error) and error > 0):
        return f"{value:.3g}"
    return f"{value:.{decimals(error)}f}"


def _width(one: OverSeeds) -> float | None:
    return None if isnan(one.half_width) else one.half_width


def pairwise(
    variants: Sequence[str], payoffs: Mapping[tuple[str, str], Mapping[Seed, float]]
) -> tuple[
    tuple[tuple[float, ...], ...], tuple[tuple[float | None, ...], ...], tuple[tuple[int, ...], ...]
]:  # fmt: skip
    """Returns mean, half width and seeds of every pair of variants.

    Args:
        variants: `V` names.
        payoffs: (row, column) → seed → payoff of the row's mixture against the column's.

    Returns:
        `[V][V]` each; NaN, None and 0 where two variants have no seed in common.
    """
    means, widths, counts = [], [], []
    for row in variants:
        found = [payoffs.get((row, column), {}) for column in variants]
        cells = [over_seeds(np.array([one[seed] for seed in sorted(one)])) if one else None for one in found]
        means.append(tuple(float("nan") if cell is None else cell.mean for cell in cells))
        widths.append(tuple(None if cell is None else _width(cell) for cell in cells))
        counts.append(tuple(0 if cell is None else cell.seeds for cell in cells))
    return tuple(means), tuple(widths), tuple(counts)
