"""Genome to policy text for any OpenSpiel game, and back: a table of rules, one line each, and what reads it.

A genome is read from text only, line by line and by patterns: the text is hostile until proven otherwise, so it is
neither run nor parsed as Python here, and every value is checked.
"""

import json
import re
from collections.abc import Mapping
from typing import cast, get_args

from csro_core.models.synthesiser.openspiel_genome import (
    MAX_RULES,
    NOISES,
    SHARES,
    WORDS,
    Condition,
    ConditionKind,
    Genome,
    Play,
    Rule,
)

MAX_ACTION = 10**9

_POLICY = '''\
{IMPORT}{CONSTANTS}RULES = (  # the first rule whose tests all hold decides{MIXTURES}
{RULES}
)


class Policy:
    """{DOCSTRING}"""

    def act(self, obs):
{NOISE}        for tests, play in RULES:
            if all(holds(test, obs) for test in tests):
                action = chosen(play, obs)
                if action is not None:
                    return action
        return {LAST}


def holds(test, obs):
    """Tells whether a test such as ("in", piece, other piece) is true of an observation."""
    kind{FIRST}
{TESTS}

def chosen(play, obs):
    """Returns the action that is meant, None where it is not legal now."""
    legal = obs["legal_actions"]
{PLAYS}'''

_TESTS: Mapping[ConditionKind, str] = {
    "in": '''\
    if kind == "in":  # one of the pieces stands in the information state
        return any(piece in obs["information_state"] for piece in test[1:])
''',
    "starts": '''\
    if kind == "starts":
        return obs["information_state"].startswith(test[1:])
''',
    "ends": '''\
    if kind == "ends":
        return obs["information_state"].endswith(test[1:])
''',
    "is": '''\
    if kind == "is":
        return obs["information_state"] in test[1:]
''',
    "move": '''\
    if kind == "move":  # so many moves were made before
        return obs["move_number"] == first
''',
    "can": '''\
    if kind == "can":  # this action is legal
        return first in obs["legal_actions"]
''',
    "seat": '''\
    if kind == "seat":
        return obs["player"] == first
''',
}

_MIX = '''\
    if isinstance(play, dict):  # action: weight
        possible = [action for action in play if action in legal]
        return random.choices(possible, [play[action] for action in possible])[0] if possible else None
'''
_ORDER = '''\
    if isinstance(play, tuple):  # the first of these that is legal
        return next((action for action in play if action in legal), None)
'''
_WORD: Mapping[str, str] = {
    "first": '''\
    if play == "first":
        return legal[0]
''',
    "last": '''\
    if play == "last":
        return legal[-1]
''',
    "middle": '''\
    if play == "middle":
        return legal[len(legal) // 2]
''',
    "any": '''\
    if play == "any":
        return random.choice(legal)
''',
}
_NAME = '''\
    named = [action for action, name in zip(legal, obs["action_names"]) if play in name]
    return named[0] if named else None
'''

STRING = r'"(?:[^"\\\n]|\\.){0,400}"'
_TEST = rf'\("(in|starts|ends|is|move|can|seat)", ((?:{STRING}(?:, {STRING}){{0,40}})|\d{{1,9}})\)'
_LINE = re.compile(
    rf'    \(\(((?:{_TEST},? ?){{0,12}})\), (\{{[\d:, ]{{1,2000}}\}}|\([\d, ]{{1,2000}}\)|{STRING})\),(?:  #.*)?'
)
_ONE_TEST = re.compile(_TEST)
_ONE_STRING = re.compile(STRING)
_RULES = re.compile(r"^RULES = \(.{0,200}\n((?:    .{1,8000}\n){1,400})\)\n", re.MULTILINE)
_NOISE = re.compile(r"^NOISE = (\d{1,2})(?:  #.*)?$", re.MULTILINE)
_PAIR = re.compile(r"(\d{1,10}): (\d{1,3})")


def write_table(genome: Genome, docstring: str, names: Mapping[int, str]) -> str:
    """Returns the text of a policy.

    Args:
        genome: how it plays; `tidied`.
        docstring: its paragraphs, wrapped and indented.
        names: what actions are called, for the comments.
    """
    used = {test.kind for rule in genome.rules for test in rule.tests}
    words = {rule.play.word for rule in genome.rules}
    plays = [_MIX] if genome.mixes else []
    plays += [_ORDER] if any(rule.play.order for rule in genome.rules) else []
    plays += [text for word, text in _WORD.items() if word in words]
    plays.append(_NAME if any(rule.play.name for rule in genome.rules) else "    return None\n")
    chance = genome.mixes or genome.noise or "any" in words
    filled = {
        "IMPORT": "import random\n\n" if chance else "",
        "CONSTANTS": f"NOISE = {genome.noise}  # per cent of the moves are left to chance\n" if genome.noise else "",
        "MIXTURES": f"; weights are of {SHARES}" if genome.mixes else "",
        "RULES": "\n".join(_line(rule, names) for rule in genome.rules),
        "DOCSTRING": docstring,
        "NOISE": (
            "        if random.random() * 100 < NOISE:\n"
            '            return random.choice(obs["legal_actions"])\n' if genome.noise else ""
        ),
        "LAST": 'random.choice(obs["legal_actions"])' if chance else 'obs["legal_actions"][0]',
        "FIRST": ", first = test[0], test[1]" if used & {"move", "can", "seat"} else " = test[0]",
        "TESTS": "".join(text for kind, text in _TESTS.items() if kind in used) + "    return False\n",
        "PLAYS": "".join(plays),
    }
    # Filled in one pass: what is filled in may hold braces too.
    return re.sub(r"\{([A-Z]+)\}", lambda match: filled[match[1]], _POLICY)


def read_table(text: str) -> Genome | None:
    """Returns the genome of a text by `write_table`, or None for any other text."""
    block = _RULES.search(text)
    noise = _NOISE.search(text)
    if block is None or "\ndef holds(test, obs):\n" not in text or "\ndef chosen(play, obs):\n" not in text:
        return None
    percent = int(noise[1]) if noise is not None else 0
    lines = block[1].splitlines()
    if len(lines) > MAX_RULES + 1 or percent not in NOISES:
        return None
    rules = [_read_rule(line) for line in lines]
    return Genome(tuple(rule for rule in rules if rule is not None), percent) if None not in rules else None


def _line(rule: Rule, names: Mapping[int, str]) -> str:
    tests = [_write_test(test) for test in rule.tests]
    inside = ", ".join(tests) + ("," if len(tests) == 1 else "")
    play = rule.play
    if play.mix:
        does = "{" + ", ".join(f"{action}: {share}" for action, share in play.mix) + "}"
        comment = ", ".join(f"{action_name(action, names)} {share}" for action, share in play.mix)
    elif play.order:
        does = "(" + ", ".join(map(str, play.order)) + ("," if len(play.order) == 1 else "") + ")"
        comment = ", else ".join(action_name(action, names) for action in play.order[:6])
    else:
        does = quoted(play.word or play.name)
        comment = ""
    line = f"    (({inside}), {does}),"
    return f"{line}  # {comment}" if comment and len(line) + len(comment) < 150 else line


def action_name(action: int, names: Mapping[int, str]) -> str:
    """Returns what an action is called, in letters that a comment can hold."""
    return " ".join(re.sub(r"[^\w #.+:()\[\],-]+", " ", names.get(action, str(action)), flags=re.ASCII).split())


def _write_test(test: Condition) -> str:
    told = [quoted(piece) for piece in test.pieces] if test.pieces else [str(test.number)]
    return f'("{test.kind}", {", ".join(told)})'


def quoted(text: str) -> str:
    """Returns a string as Python writes it."""
    # A JSON string of ASCII letters is a Python string too.
    return json.dumps(text)


def _read_rule(line: str) -> Rule | None:
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    tests = [_read_test(found[1], found[2]) for found in _ONE_TEST.finditer(match[1])]
    play = _read_play(match[4])
    if play is None or None in tests:
        return None
    return Rule(tuple(test for test in tests if test is not None), play)


def _read_test(kind: str, told: str) -> Condition | None:
    known = cast(ConditionKind, kind)
    if (known in ("move", "can", "seat")) != told.isdecimal() or known not in get_args(ConditionKind):
        return None
    if told.isdecimal():
        return Condition(known, number=int(told))
    pieces = read_pieces(told)
    return None if pieces is None else Condition(known, pieces)


def read_pieces(text: str) -> tuple[str, ...] | None:
    """Returns the strings that are written in a text; None where one of them is none."""
    pieces = [read_string(found[0]) for found in _ONE_STRING.finditer(text)]
    return tuple(piece for piece in pieces if piece is not None) if None not in pieces else None


def read_string(text: str) -> str | None:
    """Returns a string that `quoted` wrote, None for anything else."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return None
    return value if isinstance(value, str) else None


def _read_play(text: str) -> Play | None:
    if text.startswith("{"):
        return read_mix(text)
    if text.startswith("("):
        return read_order(text)
    word = read_string(text)
    if not word:
        return None
    return Play(word=word) if word in WORDS else Play(name=word)


def read_mix(text: str) -> Play | None:
    """Returns the play of actions with weights, None where they cannot be."""
    mix = tuple((int(action), int(share)) for action, share in _PAIR.findall(text))
    fits = mix and len(dict(mix)) == len(mix) and all(a <= MAX_ACTION and 0 < s <= 1000 for a, s in mix)
    return Play(mix=mix) if fits else None


def read_order(text: str) -> Play | None:
    """Returns the play of actions of which the first legal one is taken, None where they cannot be."""
    order = tuple(int(part) for part in re.findall(r"\d{1,10}", text))
    return Play(order=order) if order and max(order) <= MAX_ACTION else None
