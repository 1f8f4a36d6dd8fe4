"""What an opponent's text tells: which well-known idea it follows, and which signals read that idea.

A cue is a pattern in the name, the words or the code of an opponent. It may be wrong (the text may lie): the signal
it suggests then earns nothing and is not followed.
"""

import re
from dataclasses import dataclass

from csro_core.models.base import OpponentView
from csro_core.models.synthesiser.genome import Signal
from csro_core.models.synthesiser.rps_text import read_genome

_READ = 6_000
"""Characters of an opponent that are searched."""


@dataclass(frozen=True)
class Cue:
    """An idea found in an opponent.

    Attributes:
        signals: what reads it.
        reason: a clause about the opponent, to stand after its name.
    """

    signals: tuple[Signal, ...]
    reason: str


_CUES: tuple[tuple[str, Cue], ...] = (
    (r"win[-_ ]?stay|lose[-_ ]?shift", Cue(
        (Signal("habit", "opponent", "outcome", 1, relative_to="opponent"),
         Signal("habit", "opponent", "both", 1)),
        "lets the last result decide whether it stays or moves on")),
    (r"rotat|cycl|in turn\b", Cue(
        (Signal("habit", "opponent", "nothing", 1, relative_to="opponent"),),
        "walks in a circle, so the step from its last throw is what to count")),
    (r"(?:beat|copy|copies|mirror|counter)[-_a-z ]{0,20}(?:last|previous)", Cue(
        (Signal("habit", "opponent", "own", 1), Signal("lag", "own", length=1)),
        "answers my last throw, so my own throws give it away")),
    (r"frequen|most[-_ ](?:common|often)|favou?rite", Cue(
        (Signal("habit", "own", "nothing", 1), Signal("habit", "own", "nothing", 1, fade=0.95)),
        "counts my throws, so my favourite is what it expects")),
    (r"markov|transition|successor", Cue(
        (Signal("habit", "own", "own", 1), Signal("habit", "own", "own", 2), Signal("habit", "own", "both", 1)),
        "learns what follows what in my throws, so I count the same about myself")),
    (r"longest|history[-_ ]match|suffix|rfind", Cue(
        (Signal("match", "own", "both", 20), Signal("match", "own", "own", 20)),
        "searches my past for the present, so I search it too and answer what it will find")),
    (r"bias|\bweights\b|always|\brock\b", Cue(
        (Signal("constant"),),
        "prefers some throws, and plain counting is enough against that")),
    (r"sticky|block|repeat|stays", Cue(
        (Signal("lag", "opponent", length=1), Signal("habit", "opponent", "opponent", 1, fade=0.8)),
        "repeats itself for a while")),
)


def read_cues(opponent: OpponentView) -> list[Cue]:
    """Returns the ideas found in an opponent, at most two; none where its text is hidden or says nothing.

    A text by this synthesiser shows what it watches: the mirrored signals say what it will think of us.
    """
    genome = read_genome(opponent.source) if opponent.source is not None else None
    if genome is not None:
        watched = [signal for signal in genome.signals if signal.side == "opponent" and signal.mirrored != signal]
        mirrors = tuple(signal.mirrored for signal in watched)
        cue = Cue(mirrors, "watches the same kind of thing in me, so its guesses are mirrored here")
        return [cue] if mirrors else []
    text = f"{opponent.name} {opponent.summary} {(opponent.source or '')[:_READ]}".lower()
    return [cue for pattern, cue in _CUES if re.search(pattern, text)][:2]
