"""One palette for all pages: the same thing has the same colour everywhere."""

from collections.abc import Sequence
from colorsys import hls_to_rgb
from functools import lru_cache

STRONG = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9",
    "#BBCC7B", "#C6263B", "#2B3EED", "#AA1F77", "#D57E47", "#3971EB",
)  # fmt: skip
"""Colours of policies that joined later. The first six are Okabe and Ito's (2008), which people with any colour vision
can tell apart; the others were chosen to lie far from all before them, also as seen with protanopia and deuteranopia
(Machado et al. 2009)."""

TINTS = (
    "#B5C8DF", "#E7BCB8", "#BCB88D", "#886F4F", "#6DAEC4", "#8D7582",
    "#AC9F9B", "#736F96", "#CBABBB", "#7F9A84", "#D9CDBE", "#9DB0A8",
)  # fmt: skip
"""Colours of seeds: muted, so that what was found later stands out; chosen in the same way."""

GAP, EXACT, ACCENT = "#E69F00", "#009E73", "#4C8DD6"
WON, DRAWN, LOST = "#0072B2", "#9AA4B0", "#D55E00"
QUIET = "rgba(127, 135, 145, 0.55)"
UNKNOWN = "rgba(127, 135, 145, 0.22)"
HATCH = "rgba(127, 135, 145, 0.75)"

ACTIONS = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#0072B2", "#D55E00", "#B8A900")
"""Actions of a game, by number."""

INFORMED, OWN = "#CC79A7", "#0072B2"
"""Of a benchmark: what the synthesiser wrote, and what else is the user's own."""

NO_ACTION = "rgba(127, 135, 145, 0.25)"

READABLE = 4.5
"""The least contrast of small text on its ground (WCAG 2.2, success criterion 1.4.3)."""

_DIVERGING_LIGHT = ("#9A4A00", "#D5813A", "#EFC39A", "#F7F7F5", "#A6CDE6", "#4A96C9", "#0A5A94")
_DIVERGING_DARK = ("#E58B3C", "#A9602A", "#5F4230", "#232A33", "#2B4A63", "#3A7CAD", "#6BB6E8")
_INK = {False: "#1B2430", True: "#DFE5EC"}


def gain(dark: bool) -> str:
    """Returns the colour of gains, light enough for a hollow marker on a dark page."""
    return "#5AAEEB" if dark else "#0072B2"


def page(dark: bool) -> str:
    """Returns the colour of the page, which fills what is drawn hollow."""
    return "#12161C" if dark else "#FFFFFF"


def policy_colours(seeds: Sequence[bool]) -> tuple[str, ...]:
    """Returns the colours of a population, which is append-only, so that no policy ever changes its colour.

    Args:
        seeds: for each policy by age, whether it is one of the initial population.
    """
    counts = {True: 0, False: 0}
    colours = []
    for seed in seeds:
        known = TINTS if seed else STRONG
        place = counts[seed]
        counts[seed] += 1
        colours.append(known[place] if place < len(known) else _further(place - len(known), seed))
    return tuple(colours)


@lru_cache(maxsize=1024)
def _further(place: int, muted: bool) -> str:
    """Golden-angle steps round the colour circle: neighbours in age differ."""
    hue = (0.07 + 0.381966 * place) % 1.0
    lightness = (0.5, 0.64, 0.57)[place % 3]
    return _hex(*(255 * part for part in hls_to_rgb(hue, lightness, 0.2 if muted else 0.55)))


def diverging(dark: bool) -> list[list[float | str]]:
    """Returns a colour-blind-safe scale from loss (orange) over the page's own colour to gain (blue)."""
    stops = _DIVERGING_DARK if dark else _DIVERGING_LIGHT
    return [[place / (len(stops) - 1), colour] for place, colour in enumerate(stops)]


def sequential(dark: bool) -> list[list[float | str]]:
    """Returns the half of `diverging` from the page's own colour (nothing) to blue (all)."""
    stops = (_DIVERGING_DARK if dark else _DIVERGING_LIGHT)[3:]
    return [[place / (len(stops) - 1), colour] for place, colour in enumerate(stops)]


def diverging_at(share: float, dark: bool) -> str:
    """Returns the colour of `diverging` at a place of it, as the chart mixes it.

    Args:
        share: 0 (loss) to 1 (gain).
        dark: the theme.
    """
    stops = _DIVERGING_DARK if dark else _DIVERGING_LIGHT
    along = min(max(share, 0.0), 1.0) * (len(stops) - 1)
    place = min(int(along), len(stops) - 2)
    parts = zip(_channels(stops[place]), _channels(stops[place + 1]), strict=True)
    return _hex(*(low + (high - low) * (along - place) for low, high in parts))


@lru_cache(maxsize=4096)
def text_on(ground: str, dark: bool) -> str:
    """Returns a text colour that can be read on a ground: the page's own where it can, else black or white."""
    if contrast(_INK[dark], ground) >= READABLE:
        return _INK[dark]
    return max(("#000000", "#FFFFFF"), key=lambda ink: contrast(ink, ground))


def contrast(first: str, second: str) -> float:
    """Returns the contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    darker, lighter = sorted((_luminance(first), _luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    shares = [channel / 255 for channel in _channels(colour)]
    red, green, blue = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _hex(red: float, green: float, blue: float) -> str:
    return f"#{round(red):02x}{round(green):02x}{round(blue):02x}"
