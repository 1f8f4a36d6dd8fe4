"""The prior over genomes and the ways to vary one. Weights were informed by measurements; see the project's README.

Measured against published rock-paper-scissors bots, in order of value: reading a guess one and two steps further
(always built in), mirrored signals, counts after situations, chance where nothing pays (always built in), the search
for earlier stretches, several memories. Nothing of those bots is in here, but the weights were chosen by them.
"""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from csro_core.models.synthesiser.genome import (
    CONTEXTS,
    FADES,
    MAX_SIGNALS,
    MEMORIES,
    NOISES,
    POWERS,
    SIDES,
    STOP_LOSSES,
    Genome,
    Kind,
    Rule,
    Signal,
    tidied,
)

T = TypeVar("T")

USUAL_MEMORIES = (0.99, 0.95, 0.8)

_KINDS: tuple[tuple[Kind, float], ...] = (("habit", 6), ("match", 3), ("lag", 1.5), ("constant", 0.5))
_RULES: tuple[tuple[Rule, float], ...] = (("levelvote", 5), ("vote", 4), ("levels", 1), ("best", 0.5))


def pick(rng: np.random.Generator, options: Sequence[T], weights: Sequence[float] | None = None) -> T:
    """Returns one of the options, by weight."""
    if weights is None:
        return options[int(rng.integers(len(options)))]
    shares = np.asarray(weights, dtype=float)
    return options[int(rng.choice(len(options), p=shares / shares.sum()))]


def random_signal(rng: np.random.Generator) -> Signal:
    """Returns a signal drawn from the prior."""
    kind = pick(rng, [kind for kind, _ in _KINDS], [weight for _, weight in _KINDS])
    side = pick(rng, SIDES)
    if kind == "constant":
        return Signal("constant")
    if kind == "lag":
        return Signal("lag", side, length=pick(rng, (1, 2, 3), (3, 1, 1)))
    after = pick(rng, CONTEXTS, (2, 2, 4, 1.5))
    if kind == "match":
        return Signal("match", side, after, pick(rng, (5, 10, 20), (1, 1, 2)))
    length = pick(rng, (0, 1, 2, 3, 4, 5), (1, 3, 4, 2, 1, 0.5))
    return Signal(
        "habit", side, after if length else "nothing", max(length, 1),
        relative_to=pick(rng, ("nothing", "own", "opponent"), (3, 1, 1)),
        fade=pick(rng, FADES, (4, 1, 2, 1.5)),
        pick=pick(rng, ("most", "least"), (6, 1)),
    )


def random_pair(rng: np.random.Generator) -> tuple[Signal, ...]:
    """Returns a signal drawn from the prior, and its mirror."""
    signal = random_signal(rng)
    return (signal, signal.mirrored)


def random_genome(rng: np.random.Generator, size: int, first: Sequence[Signal] = ()) -> Genome:
    """Returns a genome drawn from the prior.

    Args:
        rng: the randomness.
        size: about how many signals, >= 2.
        first: signals that it must have.
    """
    stretch = Signal("match", "opponent", pick(rng, CONTEXTS, (2, 2, 5, 0.5)), pick(rng, (10, 20), (1, 3)))
    signals = [*first, stretch, stretch.mirrored]
    if rng.random() < 0.5:
        signals.append(Signal("constant"))
    while len(set(signals)) < min(size, MAX_SIGNALS):
        signals.extend(random_pair(rng) if rng.random() < 0.75 else [random_signal(rng)])
    return tidied(Genome(
        signals=tuple(signals),
        memories=USUAL_MEMORIES if rng.random() < 0.65 else random_memories(rng),
        rule=pick(rng, [rule for rule, _ in _RULES], [weight for _, weight in _RULES]),
        power=pick(rng, POWERS, (0.5, 1, 4, 2, 3)),
        stop_loss=pick(rng, STOP_LOSSES, (12, 1, 1, 1)),
        noise=pick(rng, NOISES, (20, 1, 0.5)),
    ))


def random_memories(rng: np.random.Generator) -> tuple[float, ...]:
    """Returns two or three memories, the longest first; a long and a short one are always among them."""
    long, short = pick(rng, MEMORIES[:3], (1, 4, 2)), pick(rng, MEMORIES[3:])
    others = [memory for memory in MEMORIES if memory not in {long, short}]
    third = [pick(rng, others)] if rng.random() < 0.7 else []
    return tuple(sorted([long, short, *third], reverse=True))
