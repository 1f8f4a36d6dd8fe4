"""What alpha-evolve says with a request, beyond its task: wordings for language models, and lessons so far."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isfinite, nan

import numpy as np

from csro_core.models.base import Feedback, Request
from csro_core.oracles.archive import measured
from csro_core.oracles.attempts import lead
from csro_core.oracles.base import Attempt
from csro_core.oracles.framing import quoted

LESSON = "lesson"
"""Status of a feedback item that is a sentence about the search rather than one attempt."""

MAX_LESSONS = 5
_LONGEST = 160

REWRITES = (
    "Improve this program: keep what works and mend its weakest match.",
    "Take a different idea: win by another principle than this program, rather than tune it.",
    "Aim at {worst}: read it closely, say to yourself what it will do next, and exploit that; "
    "do not lose elsewhere what you win there.",
    "Keep the structure and retune it: thresholds, memory lengths, decay rates, and when to fall back on chance.",
)
"""Wordings of a full rewrite; {worst} is the opponent that the parent earns least against."""

EDIT = "Change as few lines as the idea needs. Every SEARCH must copy lines of the program exactly."
AGAIN = "Your last edit did not apply; read why, and copy the lines to be replaced exactly."
CROSSOVER = "Join the two programs: take from each what earns it its best matches, and let the better signal decide."
FOUNDERS = (
    "",
    "Begin from the rules and the opponents, not from an existing policy: find a principle that nobody here uses.",
)
"""Wordings of the first proposals, by island in turn."""


def rewrite(rng: np.random.Generator, parent: Attempt, request: Request) -> str:
    """Returns one of the wordings of a full rewrite, filled in.

    Args:
        rng: the randomness.
        parent: what is rewritten.
        request: whom it met.
    """
    names = {opponent.hash: opponent.name for opponent in request.opponents}
    known = [score for score in parent.screen.per_opponent if isfinite(score.payoff.mean)]
    worst = min(known, key=lambda score: score.payoff.mean, default=None)
    heaviest = request.opponents[0].name if request.opponents else ""
    aim = heaviest if worst is None else names.get(worst.opponent, heaviest)
    # A name may come from a stranger's file: in quotes it is no sentence of ours.
    shown = quoted(aim, _LONGEST) if aim else "the opponent"
    return REWRITES[int(rng.integers(len(REWRITES)))].format(worst=shown)


def lessons(attempts: Sequence[Attempt], names: Mapping[str, str]) -> tuple[Feedback, ...]:
    """Returns what the attempts so far teach, in at most five sentences, carried as feedback without a program.

    Args:
        attempts: all that came before, in order.
        names: opponents' names by hash.
    """
    changes = _changes(attempts)
    gains = [change for change in changes if change[0] > 0][:2]
    losses = [change for change in reversed(changes) if change[0] < 0][:1]
    said = [f"helped ({_amount(change[0])}{_where(*change[1:], names)}): {_short(change[2].idea)}" for change in gains]
    said += [f"hurt ({_amount(change[0])}{_where(*change[1:], names)}): {_short(change[2].idea)}" for change in losses]
    said += [
        f"{count} of {len(attempts)} attempts came to nothing: {_short(reason)}" if count > 1 else _short(reason)
        for reason, count in Counter(
            attempt.screen.message
            for attempt in attempts
            if attempt.screen.message and attempt.screen.status != "scored"
        ).most_common(MAX_LESSONS - len(said))
    ]
    return tuple(Feedback("", LESSON, sentence, None) for sentence in said)


def _changes(attempts: Sequence[Attempt]) -> list[tuple[float, Attempt, Attempt]]:
    """Returns (difference of advantages, parent, child) of measured pairs, the largest gain first."""
    by_index = {attempt.index: attempt for attempt in attempts}
    pairs = [
        (by_index[attempt.parent], attempt)
        for attempt in attempts
        if attempt.parent is not None and measured(attempt) and measured(by_index[attempt.parent])
    ]
    changes = [(lead(child.screen) - lead(parent.screen), parent, child) for parent, child in pairs]
    return sorted(changes, key=lambda change: (-change[0], change[2].index))


def _where(parent: Attempt, child: Attempt, names: Mapping[str, str]) -> str:
    """Returns ", most against X" for the opponent where the difference is largest, "" where nothing is known."""
    before = {score.opponent: score.payoff.mean for score in parent.screen.per_opponent}
    gaps = {
        score.opponent: abs(score.payoff.mean - before[score.opponent])
        for score in child.screen.per_opponent
        if score.opponent in names and isfinite(score.payoff.mean - before.get(score.opponent, nan))
    }
    return f", most against {names[max(gaps, key=lambda opponent: gaps[opponent])]}" if gaps else ""


def _amount(number: float) -> str:
    return f"{number:+.3g}"


def _short(text: str) -> str:
    line = " ".join(text.split()) or "no word about the idea"
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
