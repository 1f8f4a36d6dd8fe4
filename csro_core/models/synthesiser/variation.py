"""Ways to vary a genome: add, drop, borrow, retune.

Each returns the changed genome and a clause that says what was done, or None where it does not apply.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from csro_core.models.synthesiser import changes
from csro_core.models.synthesiser.genome import (
    MAX_SIGNALS,
    NOISES,
    POWERS,
    RULES,
    STOP_LOSSES,
    Genome,
    Signal,
    tidied,
)
from csro_core.models.synthesiser.grammar import (
    USUAL_MEMORIES,
    pick,
    random_memories,
    random_pair,
    random_signal,
)
from csro_core.models.synthesiser.rps_prose import comment_on, spans

GROWING = 14
"""Signals below which a child always gets at least one more."""


Change: TypeAlias = changes.Change[Genome]


@dataclass(frozen=True)
class Material:
    """What a variation may draw on.

    Attributes:
        rng: the randomness.
        donors: names and genomes to borrow signals from.
        aim: signals that read the opponent to be beaten, and its name; empty where nothing is known.
        aim_name: that opponent.
    """

    rng: np.random.Generator
    donors: tuple[tuple[str, Genome], ...] = ()
    aim: tuple[Signal, ...] = ()
    aim_name: str = ""


Variation: TypeAlias = Callable[[Genome, Material], Change | None]


def _with(genome: Genome, signals: Sequence[Signal], clause: str) -> Change | None:
    new = [signal for signal in dict.fromkeys(signals) if signal not in genome.signals]
    if not new or len(genome.signals) + len(new) > MAX_SIGNALS:
        return None
    return Change(replace(genome, signals=genome.signals + tuple(new)), clause)


def add_pair(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with a new signal and its mirror."""
    pair = random_pair(material.rng)
    mirror = ", and its mirror" if pair[0] != pair[1] else ""
    return _with(genome, pair, f"it now also looks at {comment_on(pair[0])}{mirror}")


def add_signal(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with a new signal."""
    signal = random_signal(material.rng)
    return _with(genome, [signal], f"it now also looks at {comment_on(signal)}")


def add_mirror(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with the mirrors of up to three signals that had none."""
    lonely = [signal for signal in genome.signals if signal.mirrored not in genome.signals]
    if not lonely:
        return None
    chosen = material.rng.permutation(len(lonely))[: pick(material.rng, (1, 2, 3))]
    mirrors = [lonely[i].mirrored for i in chosen]
    return _with(genome, mirrors, "signals got their mirrors, to be ready for a mind-reader")


def aim(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with up to four signals that read the opponent to be beaten."""
    missing = [signal for signal in material.aim if signal not in genome.signals]
    if not missing:
        return None
    chosen = material.rng.permutation(len(missing))[: pick(material.rng, (1, 2, 4))]
    return _with(genome, [missing[i] for i in chosen], f"signals were added that read {material.aim_name}")


def borrow(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with one to four signals of another policy (crossover)."""
    if not material.donors:
        return None
    name, donor = pick(material.rng, material.donors)
    missing = [s for s in donor.signals if s not in genome.signals and s.kind != "simulation"]
    if not missing:
        return None
    chosen = material.rng.permutation(len(missing))[: pick(material.rng, (1, 2, 4))]
    return _with(genome, [missing[i] for i in chosen], f"signals were borrowed from {name}")


def crossed(genome: Genome, other: Genome, name: str, rng: np.random.Generator) -> Change:
    """Returns a child with the signals that both have and most that one has; every other choice is one of the two's.

    Args:
        genome: the first parent.
        other: the second parent.
        name: what people call the second one.
        rng: the randomness.
    """
    shared = [signal for signal in genome.signals if signal in other.signals]
    single = [signal for signal in (*genome.signals, *other.signals) if signal not in shared]
    drawn = [single[int(place)] for place in rng.permutation(len(single))]
    size = max(len(genome.signals), len(other.signals), len(shared) + (len(single) + 1) // 2)
    decides, remembers = pick(rng, (genome, other)), pick(rng, (genome, other))
    child = replace(
        decides, signals=tuple((shared + drawn)[: min(size, MAX_SIGNALS)]), memories=remembers.memories
    )
    return Change(tidied(child), f"its signals and those of {name} were mixed")


def drop(genome: Genome, material: Material) -> Change | None:
    """Returns the genome without one signal."""
    if len(genome.signals) < 3:
        return None
    gone = int(material.rng.integers(len(genome.signals)))
    left = genome.signals[:gone] + genome.signals[gone + 1 :]
    return Change(replace(genome, signals=left), f"it no longer looks at {comment_on(genome.signals[gone])}")


def exchange(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with a new signal in the place of an old one."""
    dropped = drop(genome, material)
    added = add_signal(dropped.genome, material) if dropped is not None else None
    if dropped is None or added is None:
        return None
    return Change(added.genome, f"{dropped.clause}; {added.clause}")


def change_memories(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with other memories; one with few gets the usual three."""
    memories = USUAL_MEMORIES if len(genome.memories) < 3 else random_memories(material.rng)
    return _changed(genome, replace(genome, memories=memories), f"it remembers over {spans(memories)}")


def change_rule(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with another rule of decision."""
    rule = pick(material.rng, RULES, (0.5, 1, 4, 4))
    return _changed(genome, replace(genome, rule=rule), "the guesses decide in another way")


def change_power(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with another power of votes."""
    if not genome.votes:
        return None
    return _changed(genome, replace(genome, power=pick(material.rng, POWERS)), "good guesses speak more or less loudly")


def change_stop_loss(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with another stop-loss, or none."""
    return _changed(genome, replace(genome, stop_loss=pick(material.rng, STOP_LOSSES)), "it gives up at another loss")


def change_noise(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with another share of random throws."""
    return _changed(genome, replace(genome, noise=pick(material.rng, NOISES)), "it leaves more or less to chance")


_VARIATIONS: tuple[tuple[Variation, float], ...] = (
    (add_pair, 4), (add_mirror, 3), (add_signal, 1), (aim, 4), (borrow, 2), (exchange, 2), (change_memories, 1.5),
    (drop, 1), (change_rule, 1.5), (change_power, 1), (change_stop_loss, 0.4), (change_noise, 0.3),
)
_GROWTHS: tuple[tuple[Variation, float], ...] = ((add_pair, 4), (add_mirror, 2), (aim, 2), (borrow, 1))


def _changed(old: Genome, new: Genome, clause: str) -> Change | None:
    return Change(new, clause) if tidied(new) != tidied(old) else None


def varied(genome: Genome, material: Material) -> Change:
    """Returns a child that differs from the genome by one to three variations."""
    rng = material.rng

    def propose(child: Genome, changes_before: int) -> Change | None:
        must_grow = not changes_before and len(child.signals) < GROWING
        options = _GROWTHS if must_grow else _VARIATIONS
        variation = pick(rng, [function for function, _ in options], [weight for _, weight in options])
        return variation(child, material)

    return changes.changed_often(genome, propose, tidied, rng)
