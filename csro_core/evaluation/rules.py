"""Decision lists: few readable rules that say the right thing in every case.

Sequential covering (Rivest 1987, "Learning Decision Lists"): the next rule is the conjunction of tests that says one
action which is right in all cases it still meets, for as many cases as the default would get wrong.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

MAX_TESTS = 4
"""Most tests of a rule before single cases are written out."""


@dataclass(frozen=True)
class Case:
    """Something to decide.

    Attributes:
        facts: name → value; equal names in all cases.
        right: the actions that are right here, at least one.
    """

    facts: Mapping[str, str | bool]
    right: frozenset[int]


@dataclass(frozen=True)
class Rule:
    """Where all tests hold, the action.

    Attributes:
        tests: (name, value) pairs.
        action: what to do.
    """

    tests: tuple[tuple[str, str | bool], ...]
    action: int


@dataclass(frozen=True)
class DecisionList:
    """Rules in order; the first one that holds decides.

    Attributes:
        rules: see above.
        default: the action where none holds.
    """

    rules: tuple[Rule, ...]
    default: int

    def decide(self, facts: Mapping[str, str | bool]) -> int:
        """Returns the action in a case."""
        for rule in self.rules:
            if all(facts[name] == value for name, value in rule.tests):
                return rule.action
        return self.default


def decision_list(cases: Sequence[Case]) -> DecisionList:
    """Returns a short list that is right in all cases.

    Args:
        cases: at least one; two with equal facts must have a right action in common.

    Raises:
        ValueError: there is no case, or two contradict each other.
    """
    if not cases:
        raise ValueError("a decision list needs at least one case, got none")
    actions = sorted({action for case in cases for action in case.right})
    # Sets of cases as the bits of an int.
    right = {a: sum(1 << i for i, case in enumerate(cases) if a in case.right) for a in actions}
    default = max(actions, key=lambda action: (right[action].bit_count(), -action))
    tests = _tests(cases)
    left = (1 << len(cases)) - 1
    rules = []
    while left & ~right[default]:
        rule, covered = _next_rule(tests, right, left, left & ~right[default])
        rules.append(rule)
        left &= ~covered
    return DecisionList(tuple(rules), default)


def _tests(cases: Sequence[Case]) -> list[tuple[tuple[str, str | bool], int]]:
    """Returns every test with the cases that pass it."""
    found: dict[tuple[str, str | bool], int] = {}
    for place, case in enumerate(cases):
        for name, value in case.facts.items():
            found[name, value] = found.get((name, value), 0) | 1 << place
    everywhere = (1 << len(cases)) - 1
    return [(test, passing) for test, passing in found.items() if passing != everywhere]


def _next_rule(
    tests: Sequence[tuple[tuple[str, str | bool], int]], right: Mapping[int, int], left: int, wanted: int
) -> tuple[Rule, int]:
    """Returns the rule that covers most of the wanted cases, with the cases that it covers.

    Args:
        tests: what can be tested.
        right: action → cases in which it is right.
        left: cases that no rule has covered.
        wanted: those of them that the default gets wrong.

    Raises:
        ValueError: no rule is right: two cases contradict each other.
    """
    useful = [(test, passing) for test, passing in tests if passing & wanted]
    best: tuple[int, Rule, int] | None = None
    for size in range(1, max(MAX_TESTS, 1 + len({test[0] for test, _ in tests})) + 1):
        # Longer rules only where they cover more than twice as much: short ones are read more easily.
        if best is not None and size > 2:
            break
        for chosen in combinations(useful, size):
            if len({test[0] for test, _ in chosen}) < size:
                continue
            covered = left
            for _, passing in chosen:
                covered &= passing
            gain = (covered & wanted).bit_count()
            if gain <= (2 * best[0] if best is not None and len(best[1].tests) < size else best[0] if best else 0):
                continue
            for action, where in right.items():
                if not covered & ~where:
                    best = gain, Rule(tuple(test for test, _ in chosen), action), covered
                    break
    if best is None:
        raise ValueError("cases with equal facts must have a right action in common")
    return best[1], best[2]
