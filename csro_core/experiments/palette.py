"""Colours and dashes of what is compared: the same variant looks the same in every chart, table and report."""

from collections.abc import Sequence

from csro_core.experiments.document import HELD_OUT, SHARED, Comparison

VARIANT_COLOURS = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9",
    "#BBCC7B", "#C6263B", "#2B3EED", "#AA1F77", "#D57E47", "#3971EB",
)  # fmt: skip
"""By place of the variant. The first six are Okabe and Ito's (2008); the pages have the same list for policies."""

SEED_TINTS = (
    "#B5C8DF", "#E7BCB8", "#BCB88D", "#886F4F", "#6DAEC4", "#8D7582",
    "#AC9F9B", "#736F96", "#CBABBB", "#7F9A84", "#D9CDBE", "#9DB0A8",
)  # fmt: skip
"""Of the initial policies of a run: muted, so that what was found later stands out; the pages have the same ones."""

NOBODY_COLOURS = {SHARED: "#9AA4B0", HELD_OUT: "#5F6B78"}
"""Of policies that are no single variant's."""

DASHES = {"code": "", "summary": "7 4", "none": "2 3"}
"""Context of a variant → the dashes of its line in an SVG file."""

DIVERGING = ("#9A4A00", "#D5813A", "#EFC39A", "#F7F7F5", "#A6CDE6", "#4A96C9", "#0A5A94")
"""From loss (orange) over nothing to gain (blue); safe for colour-blind eyes."""


def variant_colours(variants: Sequence[str]) -> dict[str, str]:
    """Returns name → colour, by place, and those of policies that are no single variant's.

    Args:
        variants: names, in the order of the comparison.
    """
    return {name: VARIANT_COLOURS[place % len(VARIANT_COLOURS)] for place, name in enumerate(variants)} | NOBODY_COLOURS


def policy_colours(seeds: Sequence[bool]) -> list[str]:
    """Returns the colours of a population by age: for each policy it is told whether it is an initial one."""
    counts = {True: 0, False: 0}
    colours = []
    for seed in seeds:
        known = SEED_TINTS if seed else VARIANT_COLOURS
        colours.append(known[counts[seed] % len(known)])
        counts[seed] += 1
    return colours


def variant_dashes(comparison: Comparison) -> dict[str, str]:
    """Returns name → dashes of its line, by its context."""
    return {line.name: DASHES.get(str(line.settings.get("context")), "") for line in comparison.variants}


def diverging_at(share: float) -> str:
    """Returns the colour of `DIVERGING` at a place from 0 (loss) to 1 (gain)."""
    along = min(max(share, 0.0), 1.0) * (len(DIVERGING) - 1)
    place = min(int(along), len(DIVERGING) - 2)
    low, high = _channels(DIVERGING[place]), _channels(DIVERGING[place + 1])
    mixed = [round(a + (b - a) * (along - place)) for a, b in zip(low, high, strict=True)]
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def ink_on(ground: str) -> str:
    """Returns black or white, whichever is read better on a ground."""
    shares = [channel / 255 for channel in _channels(ground)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) else "#FFFFFF"


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
