"""The catalogue of OpenSpiel's games: every short name of the installed version, and why it cannot serve."""

from typing import NamedTuple

from csro_core.games.openspiel_fitness import catalogue_reason
from csro_core.games.openspiel_names import registered_types


class CatalogueEntry(NamedTuple):
    """A game of OpenSpiel.

    Attributes:
        name: short name.
        title: name for people.
        reason: why it cannot serve with its default parameters; "" where it can.
    """

    name: str
    title: str
    reason: str


def openspiel_catalogue() -> tuple[CatalogueEntry, ...]:
    """Returns every game of the installed OpenSpiel, by name; empty where there is none. Loads no game."""
    return tuple(
        CatalogueEntry(name, kind.long_name.rstrip("."), catalogue_reason(name))
        for name, kind in sorted(registered_types().items())
    )
