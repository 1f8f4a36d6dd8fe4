"""Genome to policy text, and back.

A genome is read from text only, by patterns: the text is hostile until proven otherwise, so it is neither run nor
parsed as Python here, and every value is checked against the grammar.
"""

import re
from dataclasses import fields
from typing import Any, cast

from csro_core.models.synthesiser import fragments
from csro_core.models.synthesiser.genome import (
    CONTEXTS,
    MAX_SIGNALS,
    MEMORIES,
    NOISES,
    POWERS,
    SIDES,
    STOP_LOSSES,
    USUAL_POWER,
    Genome,
    Kind,
    Rule,
    Signal,
    tidied,
)

FLOOR = -3
"""Recent earnings (fading by 2 % a throw) below which a policy plays at random."""

MAX_TEXT = 32_768
WIDTH = 112

_CLASSES: dict[tuple[Kind, str], str] = {
    **{("habit", side): "Habit" for side in SIDES},
    **{("match", side): "Match" for side in SIDES},
    **{("lag", side): "Lag" for side in SIDES},
    ("constant", "opponent"): "Constant",
    ("simulation", "opponent"): "Simulation",
    ("simulation", "own"): "Reflection",
}
_ARGUMENTS = {"after": "after", "within": "after", "length": "length", "longest": "length", "ago": "length",
              "relative_to": "relative_to", "fade": "fade", "pick": "pick"}
_DEFAULTS = {field.name: field.default for field in fields(Signal)}
_SIGNAL_LINE = re.compile(r" {12}(Habit|Match|Lag|Constant|Simulation|Reflection)\(([^()#]{0,120})\),(?:  #.*)?")
_SIDE = re.compile(r'"(own|opponent)"')
_ARGUMENT = re.compile(r'(\w{1,20})=(?:"(\w{1,20})"|(\d{1,3}(?:\.\d{1,4})?))')
_SIGNALS = re.compile(r"\n {8}self\.signals = \[\n((?: {12}.{0,200}\n){1,60}) {8}\]\n")
_CONSTANT = re.compile(r"^(MEMORIES|POWER|STOP_LOSS|NOISE) = ([\d., ()]{1,60})(?:  #.*)?$", re.MULTILINE)
_NUMBER = re.compile(r"\d{1,4}(?:\.\d{1,4})?")
_RULES: tuple[tuple[str, Rule], ...] = (
    ("\n    def vote(self, records):\n", "levelvote"),
    ("\n    def vote(self):\n", "vote"),
    ("\n    def best(self, records):\n", "levels"),
    ("\n    def best(self):\n", "best"),
)


def features_of(genome: Genome) -> set[str]:
    """Returns the names by which `fragments` keeps or leaves out lines."""
    habits = [signal for signal in genome.signals if signal.kind == "habit"]
    contexts = {signal.after for signal in genome.signals if signal.kind in {"habit", "match"}}
    asked = {
        "by-memory": genome.by_memory,
        "simulation": genome.simulates,
        "mirrored": any(signal.kind == "simulation" and signal.side == "own" for signal in genome.signals),
        "stop-loss": genome.stop_loss is not None,
        "noise": genome.noise > 0,
        "text": bool(contexts),
        "relative": any(habit.relative_to != "nothing" for habit in habits),
        "fade": any(habit.fade < 1 for habit in habits),
        "least": any(habit.pick == "least" for habit in habits),
        **{f"text-{context}": context in contexts for context in CONTEXTS},
    }
    return {name for name, used in asked.items() if used}


def write_policy(genome: Genome, docstring: str, comments: dict[Signal, str], rival: str | None = None) -> str:
    """Returns the text of a policy.

    Args:
        genome: how it plays; `tidied`.
        docstring: its paragraphs, wrapped and indented.
        comments: what stands behind a signal's line, where something does.
        rival: `def rival(): ...` (see `embedding`), exactly where the genome simulates.
    """
    features = features_of(genome)
    vote = {
        "levelvote": fragments.VOTE_BY_MEMORY, "vote": fragments.VOTE_POOLED,
        "levels": fragments.BEST_BY_MEMORY, "best": fragments.BEST_POOLED,
    }[genome.rule]
    watched = {signal.after for signal in genome.signals if signal.kind in {"habit", "match"}}
    contexts = [context for context in (*CONTEXTS, "nothing") if context in watched]
    words = {
        "SIGNALS": "\n".join(_signal_line(signal, comments.get(signal, "")) for signal in genome.signals),
        "RULE": "vote" if genome.votes else "best",
        "TEXTS": ", ".join(f'"{context}": ""' for context in contexts),
        "PARAMETERS": _optional_parameters(features),
        "DOCSTRING": docstring,
    }
    kinds = {signal.kind for signal in genome.signals}
    helpers = [
        (fragments.HABIT, "habit" in kinds), (fragments.MATCH, "match" in kinds), (fragments.LAG, "lag" in kinds),
        (fragments.CONSTANT, "constant" in kinds), (fragments.SIMULATION, genome.simulates),
    ]
    parts = [
        "import random\n\n" + _constants(genome),
        fragments.composed(fragments.POLICY + vote, features, words),
        fragments.composed(fragments.LOG, features, words),
        *(fragments.composed(text, features, words) for text, used in helpers if used),
    ]
    if rival is not None:
        parts.append(rival)
    return "\n\n".join(parts)


def read_genome(text: str) -> Genome | None:
    """Returns the genome that a text carries, or None: another author's text, or one edited beyond recognition.

    A text whose edits still follow the layout gives the edited genome. Lines that are not understood are skipped.
    """
    if len(text) > MAX_TEXT:
        return None
    block = _SIGNALS.search(text)
    rule = next((name for mark, name in _RULES if mark in text), None)
    constants = {name: value for name, value in _CONSTANT.findall(text)}
    memories = tuple(float(number) for number in _NUMBER.findall(constants.get("MEMORIES", "")))
    if block is None or rule is None or not memories or not set(memories) <= set(MEMORIES):
        return None
    signals = [signal for line in block[1].split("\n") if (signal := _read_signal(line)) is not None]
    if not 1 <= len(signals) <= MAX_SIGNALS:
        return None
    power = _read_number(constants.get("POWER", ""), float(USUAL_POWER))
    stop_loss = _read_number(constants.get("STOP_LOSS", ""), None)
    noise = _read_number(constants.get("NOISE", ""), 0.0)
    return tidied(Genome(
        signals=tuple(signals),
        memories=memories,
        rule=rule,
        power=int(power) if power in POWERS else USUAL_POWER,
        stop_loss=int(stop_loss) if stop_loss is not None and stop_loss in STOP_LOSSES else None,
        noise=noise if noise in NOISES else 0.0,
    ))


def _constants(genome: Genome) -> str:
    memories = ", ".join(f"{memory:g}" for memory in genome.memories)
    lines = [
        f"MEMORIES = ({memories}{',' if len(genome.memories) == 1 else ''})  # what a record keeps at every throw",
    ]
    if genome.votes:
        lines.append(f"POWER = {genome.power}  # {_POWER_COMMENTS[genome.power]}")
    if genome.stop_loss is not None:
        lines.append(f"STOP_LOSS = {genome.stop_loss}  # throws behind")
    if genome.noise:
        lines.append(f"NOISE = {genome.noise:g}  # share of throws left to chance, so that nobody can be sure")
    lines.append(f"FLOOR = {FLOOR}  # of recent earnings")
    lines.append("RESULT = (0, 1, -1)  # of (mine - theirs) % 3: drawn, won, lost")
    return "\n".join(lines) + "\n"


_POWER_COMMENTS = {
    1: "every guess speaks in proportion to what it would have won",
    2: "a guess that would have won twice as much speaks four times as loud",
    3: "a guess that would have won twice as much speaks eight times as loud",
    4: "the best guesses drown the mediocre ones",
    5: "the best guesses all but decide alone",
}


def _optional_parameters(features: set[str]) -> str:
    parameters = ""
    if "relative" in features:
        parameters += ', relative_to="nothing"'
    if "fade" in features:
        parameters += ", fade=1.0"
    if "least" in features:
        parameters += ', pick="most"'
    return parameters


def _signal_line(signal: Signal, comment: str) -> str:
    arguments = {
        "habit": [f'"{signal.side}"', f'after="{signal.after}"', f"length={signal.length}"],
        "match": [f'"{signal.side}"', f'within="{signal.after}"', f"longest={signal.length}"],
        "lag": [f'"{signal.side}"', f"ago={signal.length}"],
    }.get(signal.kind, [])
    for name, value in (("relative_to", f'"{signal.relative_to}"'), ("fade", f"{signal.fade:g}"),
                        ("pick", f'"{signal.pick}"')):
        if getattr(signal, name) != _DEFAULTS[name]:
            arguments.append(f"{name}={value}")
    line = f"            {_CLASSES[signal.kind, signal.side]}({', '.join(arguments)}),"
    if not comment:
        return line
    one_line = f"{line}  # {comment}"
    return one_line if len(one_line) <= WIDTH else f"            # {comment}\n{line}"


def _read_signal(line: str) -> Signal | None:
    match = _SIGNAL_LINE.fullmatch(line)
    if match is None:
        return None
    if match[1] == "Reflection":
        return Signal("simulation", "own") if not match[2] else None
    kind = cast(Kind, match[1].lower())
    values: dict[str, Any] = {}
    for argument in match[2].split(", ") if match[2] else []:
        side = _SIDE.fullmatch(argument)
        pair = _ARGUMENT.fullmatch(argument)
        if side is not None:
            values["side"] = side[1]
        elif pair is not None and pair[1] in _ARGUMENTS:
            values[_ARGUMENTS[pair[1]]] = pair[2] if pair[2] is not None else float(pair[3])
        else:
            return None
    if "length" in values:
        length = values["length"]
        if not isinstance(length, float) or length != int(length):
            return None
        values["length"] = int(length)
    signal = Signal(kind, **values)
    return signal if signal.valid else None


def _read_number(text: str, default: float | None) -> float | None:
    match = _NUMBER.fullmatch(text.strip())
    return float(match[0]) if match is not None else default
