"""What an opponent's text tells about its style at Leduc poker.

A text by this synthesiser shows its style; other authors' texts are searched for the words of well-known ways to play.
A cue may be wrong (the text may lie): the style that it suggests then earns nothing, and selection drops it.
"""

import re
from dataclasses import dataclass

from csro_core.models.base import OpponentView
from csro_core.models.synthesiser.leduc_genome import Shares, Style
from csro_core.models.synthesiser.leduc_text import read_genome

_READ = 6_000
"""Characters of an opponent that are searched."""


@dataclass(frozen=True)
class Cue:
    """A style found in an opponent.

    Attributes:
        style: how it seems to play.
        reason: a clause about the opponent, to stand after its name.
    """

    style: Style
    reason: str


def _same(low: float, middle: float, high: float) -> Shares:
    return (low, middle, high), (low, middle, high)


_NEVER, _ALWAYS, _HALF = _same(0, 0, 0), _same(1, 1, 1), _same(0.5, 0.5, 0.5)
_THIRD = _same(0.35, 0.35, 0.35)
_VALUE = (0, 0, 1)

_CUES: tuple[tuple[str, Cue], ...] = (
    (r"\bmaniac|raises mostly|\bwild\b", Cue(
        Style(_same(0.7, 0.7, 0.7), _same(0.7, 0.7, 0.7), _ALWAYS), "raises with almost anything")),
    (r"always[-_ ]?folds?\b", Cue(Style(_NEVER, _NEVER, _NEVER), "folds to any bet, so every hand should bet")),
    (r"always[-_ ]?calls?\b|calling[-_ ]station|never[-_ ]folds", Cue(
        Style(_NEVER, _NEVER, _ALWAYS), "calls everything, so good hands should bet and none should bluff")),
    (r"always[-_ ]?(?:raise|bet)s?\b", Cue(
        Style(_ALWAYS, _ALWAYS, _ALWAYS), "raises whatever it holds, so its raises mean nothing")),
    (r"honest|never[-_ ]bluffs|bluff-free|without bluff", Cue(
        Style(_same(0, 0, 1), _same(0, 0, 1), _same(0, 1, 1)), "never bluffs, so its bets can be believed")),
    (r"\btight|cautious|folds (?:jacks|weak)", Cue(
        Style(_same(0, 0, 1), _same(0, 0, 1), _same(0, 0.5, 1)), "waits for good hands, so it can be bluffed away")),
    (r"\bloose|curious", Cue(
        Style(_same(0, 0.2, 0.6), _same(0, 0, 0.4), _same(0.8, 1, 1)), "stays with almost anything")),
    (r"pot odds|better odds|equity", Cue(
        Style((_VALUE, (0, 1, 1)), (_VALUE, _VALUE), _same(0, 1, 1)), "plays its own cards by the book")),
    (r"uniform|at random|random\.choice\((?:legal|obs)", Cue(
        Style(_HALF, _THIRD, _HALF), "acts at random, so only the own cards matter")),
)  # fmt: skip


def read_style(opponent: OpponentView) -> Cue | None:
    """Returns how an opponent seems to play; None where its text is hidden or says nothing.

    Of a policy that adapts only the usual style can be told, of an equilibrium table nothing that could be used.
    """
    genome = read_genome(opponent.source) if opponent.source is not None else None
    if genome is not None:
        reason = "shows its style in its text" + (", as long as it does not adapt" if genome.adaptive else "")
        return None if genome.equilibrium else Cue(genome.style, reason)
    text = f"{opponent.name} {opponent.summary} {(opponent.source or '')[:_READ]}".lower()
    return next((cue for pattern, cue in _CUES if re.search(pattern, text)), None)
