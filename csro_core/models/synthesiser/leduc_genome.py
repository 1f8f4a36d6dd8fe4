"""The genome of a policy for repeated Leduc poker: a usual style, and how it reads and answers an opponent.

A *strength* is what a hand is worth before anybody acts, in three classes of equity: in round 1 J, Q, K (it wins 0.2,
0.5, 0.8 of the showdowns against a random card); in round 2 low (0.125), middle (0.625: the higher of the two ranks
that do not pair the board) and a pair (1). A style gives every class its own chances to bet, raise and call, so that
value bets (strong hands), bluffs (weak hands) and slow play are all values of the same 18 genes.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias

Shares: TypeAlias = tuple[tuple[float, float, float], tuple[float, float, float]]
"""Chances in round 1 and round 2, each for strength 0, 1, 2; multiples of 0.05 in [0, 1]."""

STEPS = 20
"""A chance is a multiple of 1 / STEPS."""

PRIORS = (0.5, 1.0, 2.0, 4.0, 8.0)
TRUSTS = (None, 1.0, 2.0, 4.0, 8.0)
CONFIDENCES = (0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 9.0)
STOP_LOSSES = (None, 20, 40, 80)
MAX_KNOWN = 6


@dataclass(frozen=True)
class Style:
    """What a policy does with each class of hands.

    Attributes:
        bets: chance to bet where there is nothing to call.
        raises: chance to raise a bet.
        calls: chance to call a bet that is not raised; it folds the rest.
    """

    bets: Shares
    raises: Shares
    calls: Shares


@dataclass(frozen=True)
class Genome:
    """All that decides a policy's play.

    Attributes:
        style: how it plays as long as it does not know better.
        adaptive: False: it plays the style for ever, and the attributes below have their defaults.
        prior: how many acts in a situation the first impression (the opponent is like me) weighs.
        trust: how many acts with one strength of hand the counts over all hands weigh; None: it does not ask which
            hand the opponent acted with.
        confidence: log-likelihood ratio (known opponent : usual style) from which it plays the best response.
        stop_loss: chips lost by best responses after which it returns to the style for good; None = never.
        equilibrium: True: an equilibrium table takes the place of the style, which then has its default.
        known: styles of others; the first impression is the one of them, or of its own, that foretells best.
    """

    style: Style
    adaptive: bool = False
    prior: float = 2.0
    trust: float | None = 2.0
    confidence: float = 3.0
    stop_loss: int | None = None
    equilibrium: bool = False
    known: tuple[Style, ...] = ()


PLAIN = Style(
    bets=((0.2, 0.5, 0.8), (0.2, 0.5, 1.0)),
    raises=((0.0, 0.1, 0.5), (0.0, 0.1, 0.9)),
    calls=((0.3, 0.8, 1.0), (0.2, 0.7, 1.0)),
)
"""A sensible beginner: the better the hand, the more often it bets and the more often it stays."""


def tidied(genome: Genome) -> Genome:
    """Returns the genome that plays the same in one spelling: what is not used has its default."""
    if genome.equilibrium:
        genome = replace(genome, style=PLAIN)
    if not genome.adaptive:
        return Genome(genome.style, equilibrium=genome.equilibrium)
    return genome


def valid_share(value: float) -> bool:
    """Returns True for a multiple of 1 / STEPS in [0, 1]."""
    return 0.0 <= value <= 1.0 and abs(value * STEPS - round(value * STEPS)) < 1e-9
