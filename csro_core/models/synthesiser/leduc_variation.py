"""The prior over Leduc genomes, and the ways to vary one.

The prior is a sensible beginner (`leduc_genome.PLAIN`) with every chance moved at random; nothing in it was computed
by a solver. `aim` moves the style of a policy that adapts towards what holds out against the opponents that give
nothing away, `steady` towards what loses little to the best answer to it, which follows from the rules; `acquaint`
hands it the opponents' styles as guesses at whom it may meet. The weights, and the idea that an opponent's counts
should speak by strength of hand, were chosen on measurements against other policies, those of the benchmark `leduc`
among them; see the project's README.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from csro_core.models.synthesiser import changes
from csro_core.models.synthesiser.grammar import pick
from csro_core.models.synthesiser.leduc_genome import (
    CONFIDENCES,
    MAX_KNOWN,
    PLAIN,
    PRIORS,
    STEPS,
    STOP_LOSSES,
    TRUSTS,
    Genome,
    Shares,
    Style,
    tidied,
)
from csro_core.models.synthesiser.leduc_values import Target, improved, nudged, steadied

ADAPTIVE_SHARE = 0.95
"""Share of new genomes that adapt. The equilibrium table never stands alone: nobody beats it, so that it would take all
of sigma, and it wins from the weak only what they give."""

PRIOR_WEIGHTS = (0.3, 1, 2, 5, 4)
TRUST_WEIGHTS = (0.2, 2, 4, 3, 0.5)
CONFIDENCE_WEIGHTS = (0.1, 0.5, 4, 5, 3, 0.5, 0.1)
STOP_LOSS_WEIGHTS = (12, 1, 1, 1)
"""Weights of the values in `leduc_genome`: doubt until there is evidence, then trust in what showdowns say."""

SPREAD = 0.15
"""Standard deviation of a new genome's chances around the sensible beginner's."""

CLIMBS = (100, 200, 400)
"""Changes that are weighed when a style is aimed at an opponent, or made safer."""

STATIC_CAUTIONS = (0.0, 0.5, 1.0)
ADAPTIVE_CAUTIONS = (0.5, 1.0)
"""What a chip lost to the best answer weighs when a style is aimed (see `leduc_values.improved`)."""


Change: TypeAlias = changes.Change[Genome]


@dataclass(frozen=True)
class Material:
    """What a variation may draw on.

    Attributes:
        rng: the randomness.
        donors: names and genomes to borrow from.
        target: opponents whose style is known; None where none is.
        unyielding: the same ones, the harder to exploit the heavier (see `leduc_values.unyielding`).
        aim_name: the opponent that weighs most in the target, in words.
        equilibrium: True where the equilibrium table may be written.
        styles: those of the opponents, as far as they are known, the heaviest opponent's first.
    """

    rng: np.random.Generator
    donors: tuple[tuple[str, Genome], ...] = ()
    target: Target | None = None
    unyielding: Target | None = None
    aim_name: str = ""
    equilibrium: bool = False
    styles: tuple[Style, ...] = ()


Variation: TypeAlias = Callable[[Genome, Material], Change | None]


def random_genome(rng: np.random.Generator, equilibrium: bool) -> Genome:
    """Returns a genome drawn from the prior.

    Args:
        rng: the randomness.
        equilibrium: True for the equilibrium table in the place of a style.
    """
    style = Style(*(_scattered(shares, rng) for shares in (PLAIN.bets, PLAIN.raises, PLAIN.calls)))
    return tidied(Genome(
        style,
        adaptive=equilibrium or rng.random() < ADAPTIVE_SHARE,
        prior=pick(rng, PRIORS, PRIOR_WEIGHTS),
        trust=pick(rng, TRUSTS, TRUST_WEIGHTS),
        confidence=pick(rng, CONFIDENCES, CONFIDENCE_WEIGHTS),
        stop_loss=pick(rng, STOP_LOSSES, STOP_LOSS_WEIGHTS),
        equilibrium=equilibrium,
    ))  # fmt: skip


def _scattered(shares: Shares, rng: np.random.Generator) -> Shares:
    moved = np.asarray(shares) + SPREAD * rng.standard_normal((2, 3))
    # abs: rounding gives -0.0, which would be written "-0".
    levels = np.abs(np.clip(np.rint(moved * STEPS), 0, STEPS)) / STEPS
    first, second = ((float(low), float(middle), float(high)) for low, middle, high in levels)
    return first, second


def retune(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with one to four chances of its style moved."""
    if genome.equilibrium:
        return None
    style = genome.style
    for _ in range(pick(material.rng, (1, 2, 4))):
        style = nudged(style, material.rng)
    return _changed(genome, replace(genome, style=style), "some of its chances were moved")


def aim(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with a style that earns more against the opponents whose style is known."""
    # One that adapts exploits the weak by what it learns: its usual style is for those who give nothing away.
    target = material.unyielding if genome.adaptive else material.target
    if genome.equilibrium or target is None:
        return None
    caution = pick(material.rng, ADAPTIVE_CAUTIONS if genome.adaptive else STATIC_CAUTIONS)
    style = improved(genome.style, target, material.rng, pick(material.rng, CLIMBS), caution)
    return _changed(genome, replace(genome, style=style), f"its style now answers that of {material.aim_name}")


def steady(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with a style from which the best answer to it wins less, by the rules of the game alone."""
    if genome.equilibrium:
        return None
    style = steadied(genome.style, material.rng, pick(material.rng, CLIMBS))
    return _changed(genome, replace(genome, style=style), "its style now loses less to who knows it")


def borrow(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with a third of another policy's style."""
    if not material.donors or genome.equilibrium:
        return None
    name, donor = pick(material.rng, material.donors)
    table = pick(material.rng, ("bet", "raise", "call"))
    style = {
        "bet": replace(genome.style, bets=donor.style.bets),
        "raise": replace(genome.style, raises=donor.style.raises),
        "call": replace(genome.style, calls=donor.style.calls),
    }[table]
    return _changed(genome, replace(genome, style=style), f"its chances to {table} are those of {name}")


def change_kind(genome: Genome, material: Material) -> Change | None:
    """Returns the genome as one that adapts; rarely as one that has stopped to, and never with the table."""
    if not genome.adaptive:
        fresh = random_genome(material.rng, False)
        child = replace(fresh, style=genome.style, adaptive=True, equilibrium=genome.equilibrium)
        return Change(child, "it now counts what the opponent does, and answers it")
    if genome.equilibrium or material.rng.random() < 0.9:
        return None
    return Change(tidied(replace(genome, adaptive=False)), "it no longer adapts")


def change_prior(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with another weight of the first impression."""
    child = replace(genome, prior=pick(material.rng, PRIORS, PRIOR_WEIGHTS))
    return _changed(genome, child, "its first impression weighs more or less")


def change_trust(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with more or less regard to the hands that the opponent acted with."""
    child = replace(genome, trust=pick(material.rng, TRUSTS, TRUST_WEIGHTS))
    clause = "it heeds more or less which hand the opponent showed"
    return _changed(genome, child, clause if child.trust is not None else "it no longer asks which hand they held")


def change_confidence(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with another threshold of evidence."""
    child = replace(genome, confidence=pick(material.rng, CONFIDENCES, CONFIDENCE_WEIGHTS))
    return _changed(genome, child, "it deviates on more or less evidence")


def change_stop_loss(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with another stop-loss, or none."""
    child = replace(genome, stop_loss=pick(material.rng, STOP_LOSSES, STOP_LOSS_WEIGHTS))
    return _changed(genome, child, "it gives up at another loss")


def acquaint(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with the opponents' styles, one of which may be that of whoever it meets."""
    styles = [style for style in dict.fromkeys(material.styles) if style != genome.style or genome.equilibrium]
    if not genome.adaptive or not styles:
        return None
    return _changed(genome, replace(genome, known=tuple(styles[:MAX_KNOWN])), "it knows the styles of its opponents")


def change_default(genome: Genome, material: Material) -> Change | None:
    """Returns the genome with the equilibrium table in the place of its style; never the other way round.

    Weak opponents do not reward the table, so that a search among them would lose it again at once.
    """
    if genome.equilibrium or not material.equilibrium:
        return None
    return Change(tidied(replace(genome, equilibrium=True)), "an equilibrium table takes the place of its style")


_VARIATIONS: tuple[tuple[Variation, float], ...] = (
    (retune, 1), (aim, 5), (steady, 2), (borrow, 0.7), (change_kind, 3), (change_prior, 1), (change_trust, 1.5),
    (change_confidence, 1.5), (change_stop_loss, 0.4), (change_default, 3),
    (acquaint, 2),
)  # fmt: skip


def _changed(old: Genome, new: Genome, clause: str) -> Change | None:
    return Change(new, clause) if tidied(new) != tidied(old) else None


def varied(genome: Genome, material: Material) -> Change:
    """Returns a child that differs from the genome by one to three variations."""
    rng = material.rng

    def propose(child: Genome, _: int) -> Change | None:
        variation = pick(rng, [function for function, _ in _VARIATIONS], [weight for _, weight in _VARIATIONS])
        return variation(child, material)

    return changes.changed_often(genome, propose, tidied, rng)


def crossed(genome: Genome, other: Genome, name: str, rng: np.random.Generator) -> Change:
    """Returns a child in which every part of the style, and the way to adapt as a whole, is one of the two's.

    Args:
        genome: the first parent.
        other: the second parent.
        name: what people call the second one.
        rng: the randomness.
    """
    parents: Sequence[Genome] = (genome, other)
    style = Style(
        bets=_mixed([parent.style.bets for parent in parents], rng),
        raises=_mixed([parent.style.raises for parent in parents], rng),
        calls=_mixed([parent.style.calls for parent in parents], rng),
    )
    adapts = pick(rng, parents)
    child = replace(adapts, style=style, equilibrium=pick(rng, parents).equilibrium)
    return Change(tidied(child), f"its style and that of {name} were mixed")


def _mixed(parents: Sequence[Shares], rng: np.random.Generator) -> Shares:
    return pick(rng, parents)[0], pick(rng, parents)[1]
