"""Policies for large games: what playouts against the opponents as read tell, on top of what is known already."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from csro_core.models.synthesiser.grammar import pick
from csro_core.models.synthesiser.openspiel_compile import Wish, decision_list
from csro_core.models.synthesiser.openspiel_genome import MAX_RULES, NOISES, WORDS, Genome, Play, Rule, tidied
from csro_core.models.synthesiser.openspiel_minimax import Positions, perfect_wishes, positions_of
from csro_core.models.synthesiser.openspiel_playouts import EFFORT, Record, Search, Statistics
from csro_core.models.synthesiser.openspiel_sketch import Sketch, Task, names_in

MOST_NEW = 90
"""Rules that one search adds."""

_ENOUGH = 6
"""Playouts through a state from which its statistics count."""

_PREFERENCES = (("first", 3.0), ("last", 3.0), ("middle", 2.0), ("any", 1.0))


def searched(task: Task) -> Sketch:
    """Returns a policy for a large game."""
    if task.mate is not None and task.base is not None and task.rng.random() < 0.5:
        return _joined(task, task.base, task.mate)
    solved = positions_of(task.game)
    if solved is not None and task.rng.random() < (0.5 if task.fresh else 0.2):
        return _perfect(task, solved)
    builds = task.base is not None and (not task.fresh or task.rng.random() < 0.7)
    habit = task.base if builds else None
    wary = task.rng.random() < 0.4
    if wary:
        straying = [replace(reading.genome, noise=NOISES[-1]) for reading in task.readings]
        read = zip(task.readings, straying, strict=True)
        task = replace(task, readings=tuple(replace(reading, genome=genome) for reading, genome in read))
    found = Statistics()
    for player in task.seats:
        search = Search(task.game, player, task.readings, habit[1] if habit is not None else None, found)
        search.run(EFFORT // len(task.seats), task.rng)
    rules = _rules_of(found, pick(task.rng, (MOST_NEW, MOST_NEW // 2, MOST_NEW // 4), (3, 1, 1)))
    old = habit[1].rules if habit is not None else _general(found, task.rng)
    genome = tidied(Genome((*rules[: MAX_RULES - 2], *old)))
    told = f"{found.playouts:,} playouts against the opponents as their texts read"
    told += f", straying in {NOISES[-1]} % of their moves" if wary else ""
    if habit is None:
        words = f"Does what paid best in {told}; where they tell nothing it prefers moves that paid in general"
        return Sketch(genome, words, f"{found.playouts:,} playouts, {len(rules)} rules", found.names)
    words = f"Does what paid best in {told}, continued by {habit[0]}, whose rules hold where they tell nothing"
    idea = f"{found.playouts:,} playouts on top of {habit[0]}, {len(rules)} new rules"
    return Sketch(genome, words, idea, found.names)


def _perfect(task: Task, solved: Positions) -> Sketch:
    """Returns perfect play as far as the rules go, and playing on by a plain preference."""
    wishes = [wish for player in task.seats for wish in perfect_wishes(solved, player, task.readings)]
    most = pick(task.rng, (MAX_RULES - 3, 120, 60), (4, 1, 1))
    rules = decision_list(wishes, most) if wishes else ()
    last = (Rule((), _preference(task.rng, {})), Rule((), Play(word="any")))
    words = f"Plays perfectly in the {len(wishes)} situations that are likeliest against these opponents"
    names = names_in(wish.situation for wish in wishes)
    return Sketch(tidied(Genome((*rules, *last))), words, f"perfect play in {len(wishes)} situations", names)


def shuffled_rules(genome: Genome, rng: np.random.Generator) -> Genome:
    """Returns the genome with a rule moved, dropped, or turned into another preference."""
    rules = list(genome.rules)
    place = int(rng.integers(len(rules)))
    kind = pick(rng, ("drop", "move", "prefer"))
    if kind == "drop" and len(rules) > 1:
        del rules[place]
    elif kind == "move" and len(rules) > 2:
        rules.insert(int(rng.integers(len(rules) - 1)), rules.pop(place))
    else:
        rules[place] = replace(rules[place], play=_preference(rng, {}))
    return tidied(replace(genome, rules=tuple(rules)))


def _rules_of(found: Statistics, most: int) -> tuple[Rule, ...]:
    """Returns what to do in the states that were met often; no rule holds everywhere."""
    wishes = [
        Wish(record.situation, _odds(record), sum(record.counts) * (record.spread() + 1e-3))
        for record in found.records.values()
        if sum(record.counts) >= _ENOUGH and len(record.situation.legal) > 1
    ]
    if not wishes:
        return ()
    return decision_list(wishes, most, everywhere=False)


def _odds(record: Record) -> dict[int, float]:
    best = record.best()
    return {action: float(place == best) for place, action in enumerate(record.situation.legal)}


def _general(found: Statistics, rng: np.random.Generator) -> tuple[Rule, ...]:
    """Returns rules that hold everywhere: moves by what they paid in general, else a plain preference."""
    ranked = found.ranked_actions()[:60]
    preference = Rule((), _preference(rng, found.names))
    last = Rule((), Play(word="any"))
    return (Rule((), Play(order=ranked)), last) if ranked and rng.random() < 0.8 else (preference, last)


def _preference(rng: np.random.Generator, names: Mapping[int, str]) -> Play:
    """Returns a plain preference, sometimes for actions whose name holds a word."""
    words = sorted({name for name in names.values() if name.isascii() and name not in WORDS and '"' not in name})
    if words and rng.random() < 0.3:
        return Play(name=pick(rng, words))
    return Play(word=pick(rng, [word for word, _ in _PREFERENCES], [weight for _, weight in _PREFERENCES]))


def _joined(task: Task, base: tuple[str, Genome], mate: tuple[str, Genome]) -> Sketch:
    """Returns the rules of one policy before, or among, those of another."""
    first, second = pick(task.rng, ((base, mate), (mate, base)))
    kept = _some([rule for rule in first[1].rules if rule.tests], task.rng)
    genome = tidied(Genome((*kept, *second[1].rules), second[1].noise))
    words = f"Puts {len(kept)} rules of {first[0]} before those of {second[0]}"
    return Sketch(genome, words, f"{len(kept)} rules of {first[0]} before those of {second[0]}", {})


def _some(rules: Sequence[Rule], rng: np.random.Generator) -> list[Rule]:
    """Returns about half of the rules, in their order."""
    share = float(rng.uniform(0.3, 0.8))
    return [rule for rule in rules if rng.random() < share]
