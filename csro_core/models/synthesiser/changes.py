"""Changes of genomes, whatever the game: what each one says for itself, and several of them one after the other."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from csro_core.models.synthesiser.grammar import pick

G = TypeVar("G")


@dataclass(frozen=True)
class Change(Generic[G]):
    """A changed genome and a clause such as "two signals were borrowed from #4"."""

    genome: G
    clause: str


def changed_often(
    genome: G, propose: Callable[[G, int], Change[G] | None], tidied: Callable[[G], G], rng: np.random.Generator
) -> Change[G]:
    """Returns a child that differs from the genome by one to three changes.

    Args:
        genome: the parent.
        propose: (child so far, changes so far) → a change, None where the one that was drawn does not apply.
        tidied: returns a genome without what has no effect.
        rng: the randomness.
    """
    while True:
        wanted = pick(rng, (1, 2, 3), (1, 2, 1))
        child = genome
        clauses: list[str] = []
        while len(clauses) < wanted:
            change = propose(child, len(clauses))
            if change is not None:
                child = tidied(change.genome)
                clauses.append(change.clause)
        if child != tidied(genome):
            return Change(child, "; ".join(dict.fromkeys(clauses)))
