"""One palette for all pages: the same thing has the same colour everywhere."""

from colorsys import hls_to_rgb

OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#B8A900")
"""Colours that people with any colour vision can tell apart (Okabe and Ito 2008; the yellow is darkened)."""

GAIN, GAP, EXACT, ACCENT = "#0072B2", "#E69F00", "#009E73", "#4C8DD6"
WON, DRAWN, LOST = "#0072B2", "#9AA4B0", "#D55E00"
QUIET = "rgba(127, 135, 145, 0.55)"
UNKNOWN = "rgba(127, 135, 145, 0.22)"

ACTIONS = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#0072B2", "#D55E00", "#B8A900")
"""Actions of a game, by number."""

NO_ACTION = "rgba(127, 135, 145, 0.25)"

_DIVERGING_LIGHT = ("#9A4A00", "#D5813A", "#EFC39A", "#F7F7F5", "#A6CDE6", "#4A96C9", "#0A5A94")
_DIVERGING_DARK = ("#E58B3C", "#A9602A", "#5F4230", "#232A33", "#2B4A63", "#3A7CAD", "#6BB6E8")


def policy_colour(index: int) -> str:
    """Returns the colour of the policy at this place of its population, which is append-only."""
    if index < len(OKABE_ITO):
        return OKABE_ITO[index]
    # Golden-angle steps round the colour circle: neighbours in age differ, and no place ever changes its colour.
    hue = (0.07 + 0.381966 * index) % 1.0
    lightness = (0.5, 0.64, 0.57)[index % 3]
    red, green, blue = hls_to_rgb(hue, lightness, 0.5)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"


def diverging(dark: bool) -> list[list[float | str]]:
    """Returns a colour-blind-safe scale from loss (orange) over the page's own colour to gain (blue)."""
    stops = _DIVERGING_DARK if dark else _DIVERGING_LIGHT
    return [[place / (len(stops) - 1), colour] for place, colour in enumerate(stops)]
