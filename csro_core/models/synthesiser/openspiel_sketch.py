"""What passes between the parts of the generic grammar: what is looked for, and a policy before it is written."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from csro_core.games.base import GameSpec
from csro_core.models.synthesiser.openspiel_genome import Genome, Situation
from csro_core.models.synthesiser.openspiel_reading import Reading


@dataclass(frozen=True)
class Task:
    """What is looked for.

    Attributes:
        game: the game.
        seats: the seat; both where one population serves both.
        readings: the opponents, weights summing to 1.
        rng: the randomness.
        base: name and genome of a policy to build on, or None.
        mate: of another one to join it with, or None.
        fresh: True where a new policy is wanted rather than a variation of `base`.
    """

    game: GameSpec
    seats: tuple[int, ...]
    readings: tuple[Reading, ...]
    rng: np.random.Generator
    base: tuple[str, Genome] | None = None
    mate: tuple[str, Genome] | None = None
    fresh: bool = False

    @property
    def read_share(self) -> float:
        """The share of the opponents whose texts were understood."""
        return sum(reading.weight for reading in self.readings if reading.known)


@dataclass(frozen=True)
class Sketch:
    """A policy before it is written.

    Attributes:
        genome: how it plays, `tidied`.
        words: a sentence for its docstring, without the full stop.
        idea: one sentence for the attempts table.
        names: action → what it is called.
    """

    genome: Genome
    words: str
    idea: str
    names: Mapping[int, str]


def names_in(situations: Iterable[Situation]) -> dict[int, str]:
    """Returns what actions are called where they are met first."""
    names: dict[int, str] = {}
    for situation in situations:
        for action, name in zip(situation.legal, situation.names, strict=True):
            names.setdefault(action, name)
    return names
