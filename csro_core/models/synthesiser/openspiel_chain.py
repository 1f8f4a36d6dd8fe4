"""Genome to policy text for any OpenSpiel game, and back: a chain of if-statements, two lines a rule.

As in `openspiel_table`, a genome is read by patterns, and every value is checked: the text is hostile until proven
otherwise.
"""

import re
from collections.abc import Mapping
from typing import cast

from csro_core.models.synthesiser.openspiel_genome import (
    MAX_RULES,
    NOISES,
    Condition,
    ConditionKind,
    Genome,
    Play,
    Rule,
)
from csro_core.models.synthesiser.openspiel_table import (
    STRING,
    action_name,
    quoted,
    read_mix,
    read_order,
    read_pieces,
    read_string,
)

_POLICY = '''\
{HEAD}class Policy:
    """{DOCSTRING}"""

    def act(self, obs):
{NAMES}{RULES}        return {LAST}
{HELPERS}'''

_NAMES: Mapping[str, str] = {
    "legal": '        legal = obs["legal_actions"]\n',
    "state": '        state = obs["information_state"]\n',
    "move": '        move = obs["move_number"]  # so many moves were made before\n',
    "seat": '        seat = obs["player"]\n',
}
_NOISE = "        if random.random() * 100 < NOISE:\n            return random.choice(legal)\n"

_HELPERS: Mapping[str, str] = {
    "has": '''
def has(state, *pieces):
    """Tells whether one of the pieces stands in the information state."""
    return any(piece in state for piece in pieces)
''',
    "able": '''
def able(legal, *actions):
    """Tells whether one of the actions is legal now."""
    return any(action in legal for action in actions)
''',
    "first": '''
def first(legal, *actions):
    """Returns the first of the actions that is legal."""
    return next(action for action in actions if action in legal)
''',
    "drawn": '''
def drawn(legal, weights):
    """Returns one of the legal actions, by weight."""
    possible = [action for action in weights if action in legal]
    return random.choices(possible, [weights[action] for action in possible])[0]
''',
    "named": '''
def named(obs, piece):
    """Returns the legal actions whose names hold the piece."""
    return [action for action, name in zip(obs["legal_actions"], obs["action_names"]) if piece in name]
''',
}

_WORDS: Mapping[str, str] = {
    "first": "legal[0]", "last": "legal[-1]", "middle": "legal[len(legal) // 2]", "any": "random.choice(legal)",
}  # fmt: skip
_WORD_OF = {text: word for word, text in _WORDS.items()}

_LIST = rf"{STRING}(?:, {STRING}){{0,40}}"
_NUMBERS = r"\d{1,10}(?:, \d{1,10}){0,400}"
_TESTS: tuple[tuple[ConditionKind, re.Pattern[str]], ...] = (
    ("in", re.compile(rf"has\(state, ({_LIST})\)")),
    ("starts", re.compile(rf"state\.startswith\(\(?({_LIST})\)?\)")),
    ("ends", re.compile(rf"state\.endswith\(\(?({_LIST})\)?\)")),
    ("is", re.compile(rf"state in \(({_LIST}),?\)")),
    ("move", re.compile(r"move == (\d{1,9})")),
    ("seat", re.compile(r"seat == (\d{1,9})")),
    ("can", re.compile(r"(\d{1,9}) in legal")),
)
_ABLE = re.compile(rf"able\(legal, ({_NUMBERS})\)")
_NAMED = re.compile(rf"named\(obs, ({STRING})\)")
_BODY = re.compile(r"^    def act\(self, obs\):\n((?: {8}.{1,8000}\n){2,1000})(?=\n\n|\Z)", re.MULTILINE)
_IF = re.compile(r" {8}if (.{1,8000}):")
_RETURN = re.compile(
    rf" {{12}}return (?:(\d{{1,10}})|first\(legal, ({_NUMBERS})\)|drawn\(legal, (\{{[\d:, ]{{1,2000}}\}})\)"
    rf"|named\(obs, ({STRING})\)\[0\]|(random\.choice\(legal\)|legal\[.{{1,20}}\]))(?:  #.*)?"
)
_PERCENT = re.compile(r"^NOISE = (\d{1,2})(?:  #.*)?$", re.MULTILINE)


def can_be_chain(genome: Genome) -> bool:
    """Returns whether the last rule, and no other, acts everywhere."""
    everywhere = [not rule.tests and bool(rule.play.word) for rule in genome.rules]
    return everywhere[-1] and sum(everywhere) == 1


def write_chain(genome: Genome, docstring: str, names: Mapping[int, str]) -> str:
    """Returns the text of a policy.

    Args:
        genome: how it plays; see `can_be_chain`.
        docstring: its paragraphs, wrapped and indented.
        names: what actions are called, for the comments.
    """
    rules = "".join(_written(rule, names) for rule in genome.rules[:-1])
    last = _WORDS[genome.rules[-1].play.word]
    kinds = {test.kind for rule in genome.rules for test in rule.tests}
    used = {"legal"} | kinds & {"move", "seat"} | ({"state"} if kinds & {"in", "starts", "ends", "is"} else set())
    rules = (_NOISE if genome.noise else "") + rules
    helpers = [text for name, text in _HELPERS.items() if f"{name}(" in re.sub(STRING, '""', rules)]
    head = "import random\n\n" if "random." in f"{rules}{last}{''.join(helpers)}" else ""
    head += f"NOISE = {genome.noise}  # per cent of the moves are left to chance\n\n" if genome.noise else ""
    filled = {
        "HEAD": f"{head}\n" if head else "",
        "DOCSTRING": docstring,
        "NAMES": "".join(text for name, text in _NAMES.items() if name in used),
        "RULES": rules,
        "LAST": last,
        "HELPERS": "".join(f"\n{text}" for text in helpers),
    }
    # Filled in one pass: what is filled in may hold braces too.
    return re.sub(r"\{([A-Z]+)\}", lambda match: filled[match[1]], _POLICY)


def _written(rule: Rule, names: Mapping[int, str]) -> str:
    tests = [_test(test) for test in rule.tests]
    play, comment = rule.play, ""
    if play.mix:
        told = ", ".join(f"{action}: {share}" for action, share in play.mix)
        tests.append(f"able(legal, {', '.join(str(action) for action, _ in play.mix)})")
        does = f"drawn(legal, {{{told}}})"
        comment = ", ".join(f"{action_name(action, names)} {share}" for action, share in play.mix)
    elif play.order:
        actions = ", ".join(map(str, play.order))
        tests.append(f"able(legal, {actions})")
        does = actions if len(play.order) == 1 else f"first(legal, {actions})"
        comment = ", else ".join(action_name(action, names) for action in play.order[:6])
    elif play.name:
        tests.append(f"named(obs, {quoted(play.name)})")
        does = f"{tests[-1]}[0]"
    else:
        does = _WORDS[play.word]
    line = f"            return {does}"
    shown = f"  # {comment}" if comment and len(line) + len(comment) < 118 else ""
    return f"        if {' and '.join(tests)}:\n{line}{shown}\n"


def _test(test: Condition) -> str:
    pieces = ", ".join(map(quoted, test.pieces))
    several = f"({pieces})" if len(test.pieces) > 1 else pieces
    return {
        "in": f"has(state, {pieces})",
        "starts": f"state.startswith({several})",
        "ends": f"state.endswith({several})",
        "is": f"state in ({pieces}{',' if len(test.pieces) == 1 else ''})",
        "move": f"move == {test.number}",
        "seat": f"seat == {test.number}",
        "can": f"{test.number} in legal",
    }[test.kind]


def read_chain(text: str) -> Genome | None:
    """Returns the genome of a text by `write_chain`, or None for any other text."""
    body = _BODY.search(text)
    percent = _PERCENT.search(text)
    noise = int(percent[1]) if percent is not None else 0
    if body is None or noise not in NOISES:
        return None
    written = body[1]
    for name, line in _NAMES.items():
        if name == "legal" and not written.startswith(line):
            return None
        written = written.removeprefix(line)
    if noise and not written.startswith(_NOISE):
        return None
    lines = written.removeprefix(_NOISE if noise else "").splitlines()
    if len(lines) % 2 == 0 or len(lines) > 2 * MAX_RULES + 1:
        return None
    word = _WORD_OF.get(lines[-1].removeprefix("        return "))
    rules = [_rule(test, play) for test, play in zip(lines[:-1:2], lines[1::2], strict=True)]
    if word is None or None in rules:
        return None
    return Genome((*(rule for rule in rules if rule is not None), Rule((), Play(word=word))), noise)


def _rule(first: str, second: str) -> Rule | None:
    """Returns the rule of two lines; None where they are none."""
    condition, does = _IF.fullmatch(first), _RETURN.fullmatch(second)
    play = None if does is None else _play(does)
    if condition is None or play is None:
        return None
    tests: list[Condition] = []
    place, able = 0, condition[1]
    needed = _needed(play)
    while place < len(able):
        if needed and able[place:] == needed:
            return Rule(tuple(tests), play)
        read = _next_test(able, place)
        if read is None:
            return None
        test, place = read
        tests.append(test)
        if place < len(able):
            if not able.startswith(" and ", place):
                return None
            place += len(" and ")
    return None if needed or able.endswith(" and ") else Rule(tuple(tests), play)


def _needed(play: Play) -> str:
    """Returns the condition under which what is meant is legal, "" where it always is."""
    if play.name:
        return f"named(obs, {quoted(play.name)})"
    actions = play.order or tuple(action for action, _ in play.mix)
    return f"able(legal, {', '.join(map(str, actions))})" if actions else ""


def _next_test(text: str, place: int) -> tuple[Condition, int] | None:
    """Returns the test that begins at a place, and where it ends."""
    for kind, pattern in _TESTS:
        found = pattern.match(text, place)
        if found is not None:
            if found[1].isdecimal():
                return Condition(kind, number=int(found[1])), found.end()
            pieces = read_pieces(found[1])
            return None if pieces is None else (Condition(kind, pieces), found.end())
    return None


def _play(does: re.Match[str]) -> Play | None:
    single, order, mix, name, word = does.groups()
    if single or order:
        return read_order(single or order)
    if mix:
        return read_mix(mix)
    if name:
        piece = read_string(name)
        return Play(name=piece) if piece else None
    known = _WORD_OF.get(cast(str, word))
    return Play(word=known) if known else None
