"""What an evolving oracle remembers: islands of attempts, clustered by whom they beat.

Clusters are FunSearch's (Romera-Paredes et al., Nature 625, 2024): attempts with the same vector of scores, here the
payoffs per opponent, rounded to one standard error, belong together. Equal scores never make two attempts equal: only
texts do, and those are told apart before they are played.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from csro_core.oracles.attempts import lead
from csro_core.oracles.base import Attempt
from csro_core.oracles.selection import draw, shares, shorter_first, typical

CAPACITY = 20
"""Attempts that an island keeps."""

UNIFORM_SHARE = 0.1
"""Share of parents drawn evenly over clusters, whatever they earn."""


def measured(attempt: Attempt) -> bool:
    """Returns True where the screen gave a number: a failure has none, nor has one whose opponents all forfeited."""
    return attempt.screen.status == "scored" and isfinite(lead(attempt.screen))


def order(attempt: Attempt) -> tuple[float, float, int, int]:
    """Returns a sort key, best first: advantage, then the worst payoff over the opponents, then the shorter text."""
    payoffs = [score.payoff.mean for score in attempt.screen.per_opponent]
    worst = min((payoff for payoff in payoffs if isfinite(payoff)), default=0.0)
    return (-lead(attempt.screen), -worst, len(attempt.source), attempt.index)


@dataclass(frozen=True)
class Cluster:
    """Attempts that earn the same against the same opponents, the best first; never empty."""

    members: tuple[Attempt, ...]

    @property
    def score(self) -> float:
        """The best advantage in it."""
        return lead(self.members[0].screen)


def bins(attempts: Sequence[Attempt]) -> dict[str, float]:
    """Returns the width of a payoff bin by opponent: the typical standard error, 0.0 where payoffs are exact."""
    errors: dict[str, list[float]] = {}
    for attempt in attempts:
        for score in attempt.screen.per_opponent:
            errors.setdefault(score.opponent, []).append(score.payoff.stderr)
    return {opponent: typical(known) for opponent, known in errors.items()}


def signature(attempt: Attempt, widths: dict[str, float]) -> tuple[tuple[str, float], ...]:
    """Returns whom the attempt beats by how much, in bins; opponents without a number are left out."""
    marks = []
    for score in attempt.screen.per_opponent:
        if isfinite(score.payoff.mean):
            width = widths.get(score.opponent, 0.0)
            marks.append((score.opponent, float(round(score.payoff.mean / width)) if width > 0 else score.payoff.mean))
    return tuple(marks)


def clusters(attempts: Sequence[Attempt]) -> list[Cluster]:
    """Returns the clusters of measured attempts, the best first."""
    widths = bins(attempts)
    groups: dict[tuple[tuple[str, float], ...], list[Attempt]] = {}
    for attempt in sorted(attempts, key=order):
        groups.setdefault(signature(attempt, widths), []).append(attempt)
    return [Cluster(tuple(members)) for members in groups.values()]


def distance(one: Attempt, other: Attempt) -> float:
    """Returns how differently two attempts do: the root mean square of their payoff differences, NaN ones left out."""
    payoffs = {score.opponent: score.payoff.mean for score in other.screen.per_opponent}
    gaps = [score.payoff.mean - payoffs.get(score.opponent, float("nan")) for score in one.screen.per_opponent]
    known = [gap * gap for gap in gaps if isfinite(gap)]
    return float(np.sqrt(np.mean(known))) if known else 0.0


class Island:
    """A population of attempts that breeds on its own.

    Attributes:
        number: 0, 1, ….
        members: what it keeps, in order of arrival; no text twice.
        since_gain: measured attempts written for it since its best one improved.
        written: attempts written for it.
    """

    def __init__(self, number: int) -> None:
        """Begins without members."""
        self.number = number
        self.members: list[Attempt] = []
        self.since_gain = 0
        self.written = 0
        self._children: Counter[int] = Counter()
        self._sent: set[int] = set()

    @property
    def best(self) -> Attempt | None:
        """The best member, None where there is none."""
        return min(self.members, key=order, default=None)

    def take(self, attempt: Attempt) -> None:
        """Counts an attempt that was written for this island, and keeps it where it was measured."""
        self.written += 1
        if attempt.parent is not None:
            self._children[attempt.parent] += 1
        if not measured(attempt):
            return
        best = self.best
        improved = best is None or lead(attempt.screen) > lead(best.screen)
        self.since_gain = 0 if improved else self.since_gain + 1
        self._keep(attempt)

    def renew(self, attempt: Attempt) -> None:
        """Puts an attempt that was played for longer in the place of its shorter self, where it is a member."""
        known = [member for member in self.members if member.index == attempt.index]
        for member in known:
            self.members.remove(member)
        if known and measured(attempt):
            self.members.append(attempt)

    def receive(self, attempt: Attempt) -> None:
        """Keeps a member of another island, unless the text is here already; it never moves on from here."""
        if all(member.source != attempt.source for member in self.members):
            self._sent.add(attempt.index)
            self._keep(attempt)

    def emigrant(self) -> Attempt | None:
        """Returns the best member that has not moved yet, and marks it; None where there is none."""
        settled = [member for member in self.members if member.index not in self._sent]
        chosen = min(settled, key=order, default=None)
        if chosen is not None:
            self._sent.add(chosen.index)
        return chosen

    def restart(self, founder: Attempt) -> None:
        """Empties the island and refills it with the best of another one."""
        self.members = []
        self._children.clear()
        self.since_gain = 0
        self.receive(founder)

    def parent(self, rng: np.random.Generator, other_than: Attempt | None = None) -> Attempt | None:
        """Draws who is varied next: a cluster by rank (or evenly, now and then), a short text of it rather.

        Args:
            rng: the randomness.
            other_than: never this one.

        Returns:
            A member, None where there is none to draw.
        """
        options = [member for member in self.members if other_than is None or member.index != other_than.index]
        if not options:
            return None
        groups = clusters(options)
        noise = typical([m.screen.advantage.stderr for m in options if m.screen.advantage is not None])
        children = [sum(self._children[member.index] for member in group.members) for group in groups]
        weights = shares([group.score for group in groups], noise, children)
        even = rng.random() < UNIFORM_SHARE
        group = draw(rng, groups, np.ones(len(groups)) if even else weights)
        return draw(rng, group.members, shorter_first([len(member.source) for member in group.members]))

    def _keep(self, attempt: Attempt) -> None:
        self.members.append(attempt)
        if len(self.members) > CAPACITY:
            self.members.remove(max(self.members, key=order))
