"""Turns what to do in many situations into a short decision list, by growing a tree of tests on the state's text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csro_core.models.synthesiser.openspiel_genome import Condition, ConditionKind, Play, Rule, Situation, in_shares

MAX_SITUATIONS = 600
"""Situations, the most important ones, that are looked at; others get what similar ones do."""

MAX_TESTS = 700
MAX_PIECE = 100
"""Letters of a piece; longer ones are hard to read."""

MAX_NAMED = 24
"""States that one rule names."""

MAX_RUN = 14
"""Different values of a labelled piece, such as "[Private: 3]", up to which ranges of them are tested for."""

_FAITHFUL = 1e-4
"""Share of the disagreement with one common play that may be left over."""


@dataclass(frozen=True)
class Wish:
    """What is wanted in one situation.

    Attributes:
        situation: where.
        odds: action → odds, of legal actions.
        weight: how much it matters, > 0.
    """

    situation: Situation
    odds: Mapping[int, float]
    weight: float


@dataclass(eq=False)
class _Node:
    """A set of situations with one play, or split in two by a test."""

    members: NDArray[np.intp]
    gain: float = 0.0
    split: int = -1
    yes: "_Node | None" = None
    no: "_Node | None" = None


def decision_list(wishes: Sequence[Wish], most: int, everywhere: bool = True) -> tuple[Rule, ...]:
    """Returns rules that do in each situation nearly what is wanted.

    Args:
        wishes: at least one.
        most: number of rules, >= 1; situations that matter least get what similar ones do.
        everywhere: True where the last rule has no tests, and so holds in situations of which nothing is known; False
            where it names its situations, the most important ones.
    """
    kept = sorted(wishes, key=lambda wish: -wish.weight)[:MAX_SITUATIONS]
    return _Learner(kept).rules(most, everywhere)


class _Learner:
    """Grows the tree: always the split that removes most disagreement next."""

    def __init__(self, wishes: Sequence[Wish]) -> None:
        self._actions = sorted({action for wish in wishes for action in wish.odds})
        places = {action: place for place, action in enumerate(self._actions)}
        weights = np.array([wish.weight for wish in wishes])
        self._weights = weights / weights.sum() + 1e-7
        self._wanted = np.zeros((len(wishes), len(self._actions)))
        for row, wish in enumerate(wishes):
            for action, odds in wish.odds.items():
                self._wanted[row, places[action]] = odds
        situations = [wish.situation for wish in wishes]
        self._states = [situation.state for situation in situations]
        tests = candidate_tests(situations)
        holds = _table(tests, situations)
        useful = [place for place, row in enumerate(holds) if 0 < row.sum() < len(situations)]
        # Tests that say the same are one: the first, which is the simplest.
        distinct = {holds[place].tobytes(): place for place in reversed(useful)}
        chosen = sorted(distinct.values())[:MAX_TESTS]
        self._tests = [tests[place] for place in chosen]
        self._holds = holds[chosen].astype(float)
        self._weighted = self._weights[:, None] * self._wanted

    def rules(self, most: int, everywhere: bool) -> tuple[Rule, ...]:
        """Returns the decision list of the grown tree."""
        root = _Node(np.arange(len(self._weights)))
        self._prepare(root)
        leaves, left = [root], self._disagreement(root.members)
        enough = _FAITHFUL * left
        while len(leaves) < most and left > enough:
            node = max(leaves, key=lambda leaf: leaf.gain)
            if node.split < 0 or node.gain <= 1e-12:
                break
            holds = self._holds[node.split][node.members] > 0
            node.yes, node.no = _Node(node.members[holds]), _Node(node.members[~holds])
            left -= node.gain
            leaves.remove(node)
            for child in (node.yes, node.no):
                self._prepare(child)
                leaves.append(child)
        rules = self._listed(root, ())
        return tuple(rules if everywhere else [*rules[:-1], *self._named(root, rules[-1].play)])

    def _named(self, node: _Node, play: Play) -> list[Rule]:
        """Returns the last rule with the names of its situations, or none where they are too long to name."""
        while node.no is not None:
            node = node.no
        states = dict.fromkeys(self._states[place] for place in node.members)
        named = tuple(state for state in states if len(state) <= MAX_PIECE)[:MAX_NAMED]
        return [Rule((Condition("is", named),), play)] if named else []

    def _disagreement(self, members: NDArray[np.intp]) -> float:
        """Returns the weighted squares of what is wanted around its mean."""
        weights, wanted = self._weights[members], self._wanted[members]
        total = (weights[:, None] * wanted).sum(axis=0)
        return float((weights[:, None] * wanted**2).sum() - (total**2).sum() / weights.sum())

    def _prepare(self, node: _Node) -> None:
        """Finds the best split of a node."""
        if len(node.members) < 2 or not self._tests or self._disagreement(node.members) < 1e-12:
            return
        holds = self._holds[:, node.members]
        weighted, weights = self._weighted[node.members], self._weights[node.members]
        yes, yes_weight = holds @ weighted, holds @ weights
        total, weight = weighted.sum(axis=0), weights.sum()
        no, no_weight = total - yes, weight - yes_weight
        proper = (yes_weight > 1e-12) & (no_weight > 1e-12)
        safe_yes, safe_no = np.where(proper, yes_weight, 1.0), np.where(proper, no_weight, 1.0)
        gains = (yes**2).sum(axis=1) / safe_yes + (no**2).sum(axis=1) / safe_no - (total**2).sum() / weight
        gains = np.where(proper, gains, 0.0)
        node.split = int(gains.argmax())
        node.gain = float(gains[node.split])

    def _play(self, node: _Node) -> Play:
        total = self._weighted[node.members].sum(axis=0)
        return in_shares({action: float(total[place]) for place, action in enumerate(self._actions)})

    def _listed(self, node: _Node, path: tuple[Condition, ...]) -> list[Rule]:
        """Returns the rules of a subtree; where a test fails, the rules for where it holds are passed over anyway."""
        if node.yes is None or node.no is None:
            return [Rule(path, self._play(node))]
        yes = self._listed(node.yes, (*path, self._tests[node.split]))
        no = self._listed(node.no, path)
        if len(yes) == 1 and no[0].tests == path and yes[0].play == no[0].play:
            return no
        return yes + no


def _table(tests: Sequence[Condition], situations: Sequence[Situation]) -> NDArray[np.bool_]:
    """Returns `[tests, situations]` whether each test holds in each situation."""
    columns: dict[Condition, NDArray[np.bool_]] = {}
    states = [situation.state for situation in situations]

    def column(test: Condition) -> NDArray[np.bool_]:
        if len(test.pieces) > 1:
            parts = [column(Condition(test.kind, (piece,))) for piece in test.pieces]
            return np.asarray(np.logical_or.reduce(parts))
        if test.kind == "is":
            return np.array([state == test.pieces[0] for state in states])
        if test not in columns:
            # The same as `holds`, with the most frequent kind written out, since this is where the time goes.
            piece = test.pieces[0] if test.kind == "in" else ""
            held = [piece in state for state in states] if piece else [test.holds(seen) for seen in situations]
            columns[test] = np.array(held)
        return columns[test]

    return np.array([column(test) for test in tests], dtype=bool).reshape(len(tests), len(situations))


def candidate_tests(situations: Sequence[Situation]) -> list[Condition]:
    """Returns tests that may tell the situations apart, simple ones first."""
    states = [situation.state for situation in situations]
    moves = sorted({situation.move for situation in situations})
    legal = sorted({action for situation in situations for action in situation.legal})
    pieces = _counted(piece for state in states for piece in set(_pieces(state)))
    heads = _counted(head for state in states for head in set(_heads(state)))
    tails = _counted(tail for state in states for tail in set(_tails(state)))
    tests = [Condition("seat", number=seat) for seat in sorted({situation.seat for situation in situations})]
    tests += [Condition("move", number=move) for move in moves[:20]]
    tests += [Condition("can", number=action) for action in legal[:20]]
    tests += [Condition("in", (piece,)) for piece in pieces[:250]]
    tests += _ranges("in", pieces)
    tests += [Condition("starts", (head,)) for head in heads[:60]]
    tests += _ranges("starts", heads)
    tests += [Condition("ends", (tail,)) for tail in tails[:120]]
    tests += [Condition("is", (state,)) for state in states if len(state) <= MAX_PIECE]
    return tests


def _counted(pieces: Iterable[str]) -> list[str]:
    """Returns the pieces, the most frequent first."""
    counts: dict[str, int] = {}
    for piece in pieces:
        if 0 < len(piece) <= MAX_PIECE:
            counts[piece] = counts.get(piece, 0) + 1
    return sorted(counts, key=lambda piece: (-counts[piece], len(piece), piece))


def _pieces(state: str) -> list[str]:
    """Returns the parts of a state that stand between brackets, on a line, or between spaces."""
    if "][" in state:
        return [part if part.startswith("[") else "[" + part for part in state.replace("][", "]\0[").split("\0")]
    lines = [line + "\n" for line in state.split("\n") if line]
    words = [f" {word}" for word in state.split()[1:]]
    return (lines if len(lines) > 1 else []) + words


def _heads(state: str) -> list[str]:
    words = state.split(" ")
    if len(words) > 1:
        return [words[0] + " ", " ".join(words[:2]), " ".join(words[:3])]
    return [state[:1], state[:2]] if len(state) <= 12 else []


def _tails(state: str) -> list[str]:
    words = state.split(" ")
    if len(words) > 1:
        return [" " + " ".join(words[-count:]) for count in (1, 2, 3) if count < len(words)]
    return [state[-count:] for count in (1, 2, 3) if count <= len(state)] if len(state) <= 12 else []


def _ranges(kind: ConditionKind, pieces: Sequence[str]) -> list[Condition]:
    """Returns tests for any of several neighbouring values of pieces that differ in one number: "[Private: 3]"."""
    families: dict[tuple[str, str], dict[int, str]] = {}
    for piece in pieces:
        digits = "".join(letter if letter.isascii() and letter.isdigit() else " " for letter in piece).split()
        if not digits or len(digits[-1]) > 6:
            continue
        before, _, after = piece.rpartition(digits[-1])
        families.setdefault((before, after), {})[int(digits[-1])] = piece
    tests = []
    for family in families.values():
        values = sorted(family)
        if not 3 <= len(values) <= MAX_RUN:
            continue
        for begin in range(len(values)):
            for end in range(begin + 2, len(values) + (begin > 0)):
                tests.append(Condition(kind, tuple(family[value] for value in values[begin:end])))
    return tests
