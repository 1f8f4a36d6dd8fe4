"""Whom to simulate. Opponents are source code, so a policy may carry a copy of one and ask it for its next throw.

What an opponent draws at random cannot be known, all else can. One depth only: a policy that carries a copy is never
copied itself. Against such a mind-reader a policy may carry the same copy and ask what the reader expects of *it*.
"""

from dataclasses import dataclass

import numpy as np

from csro_core.models.base import Feedback, OpponentView, Request
from csro_core.models.synthesiser.embedding import quotable, quotation_in, quoted
from csro_core.models.synthesiser.genome import Genome
from csro_core.models.synthesiser.rps_prose import plain_name
from csro_core.models.synthesiser.rps_text import read_genome

HEAVY = 0.3
"""Weight above which the heaviest opponent may be simulated."""

MAX_COPIED_SIGNALS = 10
"""Signals of a text by this synthesiser above which it is not carried: every throw would be slow."""

VARYING = ("refine", "edit", "crossover")
"""Tasks that vary the best attempt; an edit is a refinement to who writes whole programs."""

SHARE = 0.06
LOSING_SHARE = 0.12
COUNTER_SHARE = 0.3
"""Share of the texts that simulate: the heaviest opponent, one that the best attempt loses to, the copy in a
mind-reader. Small, since a copy doubles the cost of every throw, and a population of mind-readers learns little."""


@dataclass(frozen=True)
class Copy:
    """A policy to carry.

    Attributes:
        function: `def rival(): ...`.
        name: whose copy it is.
        side: whose throw it guesses: "opponent", or "own" where the opponent carries it too.
        story: a sentence for the docstring.
    """

    function: str
    name: str
    side: str
    story: str


def choose_copy(request: Request, rng: np.random.Generator) -> Copy | None:
    """Returns a copy that the next text shall carry; mostly None.

    Of the opponent that the best attempt loses to, else of a heavy one. Of a mind-reader only what it carries itself.
    """
    losing = _loses_to(request)
    heavy = request.opponents[0] if request.opponents and request.opponents[0].weight > HEAVY else None
    target = losing or heavy
    if target is None or target.source is None:
        return None
    name = plain_name(target.name)
    draw = rng.random()
    if quotable(target.source) and _cheap(target.source):
        if draw >= (LOSING_SHARE if losing is not None else SHARE):
            return None
        story = f"It carries a copy of {name} and asks it for its next throw, since its text is known."
        return Copy(quoted(target.source, name), name, "opponent", story)
    quotation = quotation_in(target.source)
    if quotation is None or draw >= COUNTER_SHARE:
        return None
    carried = plain_name(quotation[0])
    story = f"{name} reads minds with a copy of {carried}; this one asks the same copy what {name} will expect of it."
    return Copy(quoted(quotation[1], carried), carried, "own", story)


def inherited_copy(parent: str, genome: Genome) -> Copy | None:
    """Returns the copy that a parent carries, None where it carries none.

    Args:
        parent: its text.
        genome: its genome.
    """
    sides = [signal.side for signal in genome.signals if signal.kind == "simulation"]
    quotation = quotation_in(parent)
    if not sides or quotation is None:
        return None
    name = plain_name(quotation[0])
    return Copy(quoted(quotation[1], name), name, sides[0], f"It keeps the copy of {name} that its parent carries.")


def _cheap(text: str) -> bool:
    """Returns False where the text is known to think long: a copy is asked at every throw."""
    genome = read_genome(text)
    return genome is None or len(genome.signals) <= MAX_COPIED_SIGNALS


def best_feedback(request: Request) -> Feedback | None:
    """Returns the scored attempt with the highest score, the latest among equals."""
    scored = [item for item in request.feedback if item.score is not None]
    return max(reversed(scored), key=lambda item: item.score.mean if item.score else 0.0, default=None)


def _loses_to(request: Request) -> OpponentView | None:
    """Returns the opponent that the attempt to be refined loses most to, if it loses at all."""
    best = best_feedback(request) if request.task in VARYING else None
    losses = {score.opponent: score.payoff.mean for score in best.per_opponent} if best is not None else {}
    losing = [opponent for opponent in request.opponents if losses.get(opponent.hash, 0.0) < 0]
    return min(losing, key=lambda opponent: losses[opponent.hash], default=None)
