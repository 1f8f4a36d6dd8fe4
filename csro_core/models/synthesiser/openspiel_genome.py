"""The genome of a policy for any OpenSpiel game: a decision list over the text of the information state.

The first rule whose tests all hold, and whose play is legal, acts. `action_odds` says what the written text does, so
that a genome that was read back can be weighed against others without running any text.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

ConditionKind: TypeAlias = Literal["in", "starts", "ends", "is", "move", "can", "seat"]

SHARES = 20
"""Weights of a play are multiples of 1 / SHARES."""

MAX_RULES = 210
"""So that a policy has at most about 300 lines."""

MAX_LETTERS = 26_000
"""Letters of all rules together; the guard allows 32 KB to a whole policy."""

WORDS = ("first", "last", "middle", "any")
NOISES = (0, 2, 5, 10, 20)
"""Per cent of the actions that are left to chance."""


@dataclass(frozen=True)
class Situation:
    """What a policy can see when it acts.

    Attributes:
        state: its information state.
        legal: its legal actions, ascending.
        names: their names.
        move: how often it has acted before.
        seat: its seat, 0 or 1.
    """

    state: str
    legal: tuple[int, ...]
    names: tuple[str, ...]
    move: int
    seat: int


@dataclass(frozen=True)
class Condition:
    """A condition on a situation.

    Attributes:
        kind: "in": one of the pieces is in the information state; "starts", "ends": it does so with one of them; "is":
            it is one of them; "move": number of own moves so far; "can": this action is legal; "seat": the seat.
        pieces: the pieces, for "in", "starts", "ends" and "is"; else empty.
        number: the number, for "move", "can" and "seat"; else 0.
    """

    kind: ConditionKind
    pieces: tuple[str, ...] = ()
    number: int = 0

    def holds(self, situation: Situation) -> bool:
        """Returns whether the condition holds."""
        state = situation.state
        if self.kind == "in":
            return any(piece in state for piece in self.pieces)
        if self.kind == "starts":
            return state.startswith(self.pieces)
        if self.kind == "ends":
            return state.endswith(self.pieces)
        if self.kind == "is":
            return state in self.pieces
        if self.kind == "can":
            return self.number in situation.legal
        return self.number == (situation.move if self.kind == "move" else situation.seat)


@dataclass(frozen=True)
class Play:
    """What is done where a rule applies; exactly one of the four is set.

    Attributes:
        word: "first", "last", "middle" of the legal actions, or "any" of them.
        name: the first legal action whose name holds this.
        order: the first of these actions that is legal.
        mix: (action, share) drawn among the legal ones.
    """

    word: str = ""
    name: str = ""
    order: tuple[int, ...] = ()
    mix: tuple[tuple[int, int], ...] = ()

    def odds(self, situation: Situation) -> dict[int, float] | None:
        """Returns the odds of actions, None where nothing that is meant is legal."""
        legal = situation.legal
        if self.mix:
            possible = {action: share for action, share in self.mix if action in legal}
            total = sum(possible.values())
            return {action: share / total for action, share in possible.items()} if total else None
        if self.word == "any":
            return {action: 1 / len(legal) for action in legal}
        chosen = self._chosen(situation)
        return None if chosen is None else {chosen: 1.0}

    def _chosen(self, situation: Situation) -> int | None:
        legal = situation.legal
        if self.order:
            return next((action for action in self.order if action in legal), None)
        if self.name:
            named = zip(legal, situation.names, strict=True)
            return next((action for action, name in named if self.name in name), None)
        return legal[{"first": 0, "last": -1, "middle": len(legal) // 2}[self.word]]


@dataclass(frozen=True)
class Rule:
    """A line of the list: the tests, all of which must hold (none: it always applies), and the play."""

    tests: tuple[Condition, ...]
    play: Play


@dataclass(frozen=True)
class Genome:
    """All that decides a policy's play.

    Attributes:
        rules: the decision list, at least one rule.
        noise: per cent of the actions that are drawn at random, one of `NOISES`.
    """

    rules: tuple[Rule, ...]
    noise: int = 0

    @property
    def mixes(self) -> bool:
        """True where some play is drawn by weights."""
        return any(rule.play.mix for rule in self.rules)

    @property
    def names_actions(self) -> bool:
        """True where some play is found by the name of an action."""
        return any(rule.play.name for rule in self.rules)


def action_odds(genome: Genome, situation: Situation) -> Mapping[int, float]:
    """Returns the odds of the legal actions that may be taken, summing to 1."""
    odds = next(
        (odds for rule in genome.rules
         if all(test.holds(situation) for test in rule.tests) and (odds := rule.play.odds(situation)) is not None),
        None,
    )
    if odds is None:
        return Play(word="any").odds(situation) or {}
    return with_noise(genome, situation, odds)


def with_noise(genome: Genome, situation: Situation, odds: Mapping[int, float]) -> Mapping[int, float]:
    """Returns the odds of actions where some are left to chance."""
    if not genome.noise:
        return odds
    noise, uniform = genome.noise / 100, 1 / len(situation.legal)
    return {action: (1 - noise) * odds.get(action, 0.0) + noise * uniform for action in situation.legal}


def in_shares(odds: Mapping[int, float]) -> Play:
    """Returns the play nearest to the odds in multiples of 1 / SHARES: a mixture, or an order where one is certain.

    Args:
        odds: not all 0; they need not sum to 1.
    """
    total = sum(odds.values())
    shares = {action: round(SHARES * weight / total) for action, weight in odds.items()}
    mix = tuple((action, share) for action, share in sorted(shares.items()) if share > 0)
    if len(mix) > 1:
        return Play(mix=mix)
    ranked = sorted(odds, key=lambda action: (-odds[action], action))
    return Play(order=tuple(ranked[:1]))


def tidied(genome: Genome) -> Genome:
    """Returns the genome without rules that never act or that make a text too long; its last rule always acts."""
    rules: list[Rule] = []
    letters = 0
    for rule in dict.fromkeys(genome.rules):
        letters += 60 + sum(len(repr(piece)) + 10 for test in rule.tests for piece in test.pieces)
        if len(rules) == MAX_RULES or letters > MAX_LETTERS:
            break
        rules.append(rule)
        if _always_acts(rule):
            break
    if not rules or not _always_acts(rules[-1]):
        rules.append(next((rule for rule in genome.rules if _always_acts(rule)), Rule((), Play(word="any"))))
    return replace(genome, rules=tuple(rules))


def _always_acts(rule: Rule) -> bool:
    return not rule.tests and bool(rule.play.word)
