"""A best response as a short, readable policy: rules over cards and betting for poker, grouped situations elsewhere.

Only situations that the response can bring about count; where several actions are equally good, the one that makes the
rules shorter is taken.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from csro_core.evaluation.rules import Case, DecisionList, Rule, decision_list
from csro_core.games.base import GameSpec
from csro_core.games.exact_tree import InformationState


@dataclass(frozen=True)
class Decision:
    """What is best at an information state.

    Attributes:
        state: the information state.
        best: the actions that earn most there, at least one, as the game numbers them.
    """

    state: InformationState
    best: tuple[int, ...]


@dataclass(frozen=True)
class _Reader:
    """How a game's information states are taken apart, here and in the text of a policy.

    Attributes:
        code: (variable, the line of `act` that sets it), from `text` and variables before.
        actions: names of the actions as constants.
    """

    code: tuple[tuple[str, str], ...]
    actions: tuple[str, ...]

    def lines(self, used: Sequence[str]) -> list[str]:
        """Returns the lines of code that set the facts used, and what these need."""
        needed, kept = set(used), []
        for name, line in reversed(self.code):
            if name in needed:
                needed |= {other for other, _ in self.code if re.search(rf"\b{other}\b", line)}
                kept.append(line)
        return kept[::-1]


_KUHN = _Reader(
    (("card", 'card = "JQK"[int(text[0])]'), ("before", "before = text[1:]  # p: pass, b: bet")),
    ("PASS", "BET"),
)
_LEDUC = _Reader(
    (
        ("parts", 'parts = dict(part.split(": ") for part in text[1:-1].split("][") if ": " in part)'),
        ("card", 'card = "JQK"[int(parts["Private"]) // SUITS]'),
        ("board", 'board = "JQK"[int(parts["Public"]) // SUITS] if "Public" in parts else "-"'),
        ("pair", "pair = card == board"),
        ("first", 'first = "".join("fcr"[int(action)] for action in parts["Round1"].split())'),
        ("second", 'second = "".join("fcr"[int(action)] for action in parts["Round2"].split())'),
        ("betting", 'betting = first if board == "-" else second'),
        ("facing", 'facing = ("nothing", "a bet", "a raise")[betting.count("r")]'),
    ),
    ("FOLD", "CALL", "RAISE"),
)
_ORDER = ("card", "board", "pair", "facing", "first", "second", "before")


def response_text(spec: GameSpec, player: int, decisions: Sequence[Decision], words: str) -> str:
    """Returns the text of a policy that takes the best actions.

    Args:
        spec: the game.
        player: the seat.
        decisions: the information states that the response can bring about; none where it never acts.
        words: what the policy is, for its docstring: one line.
    """
    if not decisions:
        return _whole(words, (), ['return obs["legal_actions"][0]'])
    if not decisions[0].state.key:
        # A single decision, in which there is nothing to see.
        return _whole(words, (), [f"return {decisions[0].best[0]}"])
    if spec.name == "kuhn_poker" and not spec.parameters:
        return _by_rules(_KUHN, 0, [(_kuhn_facts(d.state), d) for d in decisions], words)
    if spec.name == "leduc_poker" and not set(spec.parameters) - {"suit_isomorphism"}:
        suits = 1 if spec.parameters.get("suit_isomorphism") else 2
        listed = [(_leduc_facts(d.state, suits), d) for d in decisions]
        return _by_rules(_LEDUC, suits, listed, words)
    if len({d.state.key for d in decisions}) < len(decisions):
        return _by_history(decisions, words)
    return _by_table(decisions, words)


def _kuhn_facts(state: InformationState) -> dict[str, str | bool]:
    return {"card": "JQK"[int(state.key[0])], "before": state.key[1:]}


def _leduc_facts(state: InformationState, suits: int) -> dict[str, str | bool]:
    parts = dict(part.split(": ") for part in state.key[1:-1].split("][") if ": " in part)
    card = "JQK"[int(parts["Private"]) // suits]
    board = "JQK"[int(parts["Public"]) // suits] if "Public" in parts else "-"
    first, second = ("".join("fcr"[int(a)] for a in parts[name].split()) for name in ("Round1", "Round2"))
    betting = first if board == "-" else second
    facing = ("nothing", "a bet", "a raise")[betting.count("r")]
    return {"card": card, "board": board, "pair": card == board, "facing": facing, "first": first, "second": second}


def _by_rules(
    reader: _Reader, suits: int, listed: Sequence[tuple[Mapping[str, str | bool], Decision]], words: str
) -> str:
    """Returns a policy of rules; of single situations where suits matter, so that equal facts contradict."""
    merged: dict[tuple[tuple[str, str | bool], ...], frozenset[int]] = {}
    for facts, decision in listed:
        key = tuple(facts.items())
        merged[key] = merged.get(key, frozenset(decision.best)) & frozenset(decision.best)
    if not all(merged.values()):
        return _by_table([decision for _, decision in listed], words)
    rules = decision_list([Case(dict(key), right) for key, right in merged.items()])
    used = {name for rule in rules.rules for name, _ in rule.tests}
    facts_used = [name for name in _ORDER if name in used]
    numbers = ", ".join(str(number) for number in range(len(reader.actions)))
    head = [f"{', '.join(reader.actions)} = {numbers}"]
    if suits and used:
        head.append(f"SUITS = {suits}")
    body = ['text = obs["information_state"]', *reader.lines(facts_used)] if used else []
    body += [
        f"action = choose({', '.join(facts_used)})" if used else f"action = {reader.actions[rules.default]}",
        'legal = obs["legal_actions"]',
        "return action if action in legal else legal[0]",
    ]
    chooser = _chooser(rules, facts_used, reader.actions) if used else []
    return _whole(words, (*head, *chooser), body)


def _chooser(rules: DecisionList, facts: Sequence[str], actions: Sequence[str]) -> list[str]:
    lines = ["", "", f"def choose({', '.join(facts)}):"]
    for rule in rules.rules:
        lines += [f"    if {_condition(rule)}:", f"        return {actions[rule.action]}"]
    return [*lines, f"    return {actions[rules.default]}"]


def _condition(rule: Rule) -> str:
    ordered = sorted(rule.tests, key=lambda test: _ORDER.index(test[0]))
    return " and ".join(_test(name, value) for name, value in ordered)


def _test(name: str, value: str | bool) -> str:
    if isinstance(value, bool):
        return name if value else f"not {name}"
    return f'{name} == "{value}"'


def _by_table(decisions: Sequence[Decision], words: str) -> str:
    """Returns a policy that looks its information state up, where the first (or the last) legal action is wrong."""
    action_of, default = _grouped(decisions)
    lines = ["TABLE = {"]
    for action, members in sorted(action_of.items()):
        name = next(d.state.names[d.state.actions.index(action)] for d in members)
        lines.append(f"    # {_plain(name)}")
        lines += [f"    {d.state.key!r}: {action}," for d in members]
    lines.append("}")
    place = "-1" if default else "0"
    body = [
        'legal = obs["legal_actions"]',
        f'action = TABLE.get(obs["information_state"], legal[{place}])',
        f"return action if action in legal else legal[{place}]",
    ]
    if not action_of:
        return _whole(words, (), [f'return obs["legal_actions"][{place}]'])
    return _whole(words, tuple(lines), body)


def _grouped(decisions: Sequence[Decision]) -> tuple[dict[int, list[Decision]], bool]:
    """Returns the situations by action where the default is wrong, and whether the default is the last legal action."""
    last_right = sum(d.state.actions[-1] in d.best for d in decisions)
    first_right = sum(d.state.actions[0] in d.best for d in decisions)
    default = last_right > first_right
    place = -1 if default else 0
    found: dict[int, list[Decision]] = {}
    for decision in decisions:
        if decision.state.actions[place] not in decision.best:
            found.setdefault(decision.best[0], []).append(decision)
    return found, default


def _by_history(decisions: Sequence[Decision], words: str) -> str:
    """Returns a policy that remembers its own moves, where information states forget them."""
    # One action each here: which one is taken decides where the policy goes on.
    lines = ["# (own moves so far, information state) -> (action, own moves with it)", "TABLE = {"]
    for decision in decisions:
        state, action = decision.state, decision.best[0]
        after = state.first + state.actions.index(action)
        lines.append(f"    ({state.parent}, {state.key!r}): ({action}, {after}),")
    lines.append("}")
    body = [
        'legal = obs["legal_actions"]',
        'action, self.moves = TABLE.get((self.moves, obs["information_state"]), (legal[0], -1))',
        "return action if action in legal else legal[0]",
    ]
    return _whole(words, tuple(lines), body, ("def __init__(self):", "    self.moves = 0", ""))


def _whole(words: str, head: Sequence[str], body: Sequence[str], before: Sequence[str] = ()) -> str:
    lines = [*head, "", ""] if head else []
    lines += ["class Policy:", f'    """{words}"""', ""]
    lines += [f"    {line}" if line else "" for line in before]
    lines += ["    def act(self, obs):", *(f"        {line}" for line in body)]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
