"""What opponents and parents do, as far as their texts can be read: own genomes, and a few one-line policies.

A text is never run. One that is not understood counts as random.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from csro_core.models.base import OpponentView
from csro_core.models.synthesiser.openspiel_genome import Condition, Genome, Play, Rule, with_noise
from csro_core.models.synthesiser.openspiel_sequences import Seat, Vector
from csro_core.models.synthesiser.openspiel_text import read_genome
from csro_core.models.synthesiser.rps_prose import plain_name

RANDOM = Genome((Rule((), Play(word="any")),))

_READ = 32_768
_MOST_LINES = 12
_LEGAL = r'(?:obs\["legal_actions"\]|legal)'
_ACT = re.compile(r"^    def act\(self, obs(?:: dict)?\)(?: -> int)?:\n((?: {8}.*\n|\n)+)", re.MULTILINE)
_NAMING = re.compile(r'legal = obs\["legal_actions"\]')
_IF = re.compile(rf"if (\d{{1,6}}) in {_LEGAL}:")
_EITHER = re.compile(rf"return (\d{{1,6}}) if (\d{{1,6}}) in {_LEGAL} else (.+)")
_RETURN = re.compile(r"return (.+)")
_PLAYS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), word)
    for pattern, word in (
        (rf"random\.choice\({_LEGAL}\)", "any"), (rf"{_LEGAL}\[0\]|min\({_LEGAL}\)", "first"),
        (rf"{_LEGAL}\[-1\]|max\({_LEGAL}\)", "last"), (rf"{_LEGAL}\[len\({_LEGAL}\) // 2\]", "middle"),
    )
)
_NUMBER = re.compile(r"\d{1,6}")


@dataclass(frozen=True)
class Reading:
    """An opponent as it is understood.

    Attributes:
        name: its name in plain letters.
        hash: SHA-256 of its text.
        weight: its share among the opponents of the request.
        genome: what it does.
        known: False where its text was not understood and it counts as random.
    """

    name: str
    hash: str
    weight: float
    genome: Genome
    known: bool


def read_opponents(opponents: Sequence[OpponentView]) -> list[Reading]:
    """Returns the opponents as they are understood, their weights summing to 1; a random one where there are none."""
    total = sum(opponent.weight for opponent in opponents)
    readings = []
    for opponent in opponents:
        genome = read_policy(opponent.source) if opponent.source is not None else None
        share = opponent.weight / total if total > 0 else 1 / len(opponents)
        name = plain_name(opponent.name)
        readings.append(Reading(name, opponent.hash, share, genome or RANDOM, genome is not None))
    return readings or [Reading("anybody", "", 1.0, RANDOM, False)]


@lru_cache(maxsize=256)
def read_policy(text: str) -> Genome | None:
    """Returns what a text does, or None where it is not understood."""
    genome = read_genome(text)
    if genome is not None or len(text) > _READ:
        return genome
    bodies = _ACT.findall(text + "\n")
    if len(bodies) != 1:
        return None
    lines = [line.partition("  #")[0].strip() for line in bodies[0].split("\n")]
    rules = _read_lines([line for line in lines if line and not line.startswith("#") and not _NAMING.fullmatch(line)])
    return Genome((*rules, Rule((), Play(word="any")))) if rules else None


def _read_lines(lines: list[str]) -> list[Rule]:
    """Returns the rules of a few simple statements, none where one of them is not simple."""
    rules: list[Rule] = []
    place = 0
    while place < len(lines) <= _MOST_LINES:
        condition, either, returned = (pattern.fullmatch(lines[place]) for pattern in (_IF, _EITHER, _RETURN))
        if condition is not None and place + 1 < len(lines) and lines[place + 1] == f"return {condition[1]}":
            rules.append(Rule((), Play(order=(int(condition[1]),))))
            place += 2
            continue
        if either is not None and either[1] == either[2]:
            rules.append(Rule((), Play(order=(int(either[1]),))))
        expression = either[3] if either is not None else returned[1] if returned is not None else ""
        word = next((word for pattern, word in _PLAYS if pattern.fullmatch(expression)), "")
        number = _NUMBER.fullmatch(expression)
        last = place + 1 == len(lines) and (either is None or either[1] == either[2])
        if not last or not (word or number):
            return []
        return [*rules, Rule((), Play(word=word) if word else Play(order=(int(expression),)))]
    return []


@lru_cache(maxsize=64)
def behaviour_of(genome: Genome, seat: Seat) -> Vector:
    """Returns `[S]` the behaviour of a genome at a seat of a small game; read-only."""
    situations = seat.situations
    columns: dict[Condition, NDArray[np.bool_]] = {}
    open_still = np.ones(len(situations), dtype=bool)
    behaviour = np.zeros(seat.size)
    behaviour[0] = 1.0
    for rule in (*genome.rules, Rule((), Play(word="any"))):
        applies = open_still.copy()
        for test in rule.tests:
            if test not in columns:
                columns[test] = np.array([test.holds(situation) for situation in situations], dtype=bool)
            applies &= columns[test]
        for place in np.flatnonzero(applies):
            situation, first = situations[place], seat.first[place]
            odds = rule.play.odds(situation)
            if odds is not None:
                open_still[place] = False
                noisy = with_noise(genome, situation, odds)
                for offset, action in enumerate(situation.legal):
                    behaviour[first + offset] = noisy.get(action, 0.0)
    behaviour.setflags(write=False)
    return behaviour


def mixed_plan(readings: Sequence[Reading], seat: Seat) -> Vector:
    """Returns `[S]` the plan of opponents who are drawn by their weights before the game."""
    plan = np.zeros(seat.size)
    for reading in readings:
        plan += reading.weight * seat.plan(behaviour_of(reading.genome, seat))
    return plan
