"""Proposes, refines, joins and repairs policies for any OpenSpiel game. What it knows is in the request and the game.

Small games are solved against the opponents as their texts read; large ones are searched by playouts. Either way the
result is compiled into a decision list over the text of the information state, which is all that a policy sees.
"""

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from csro_core.games import make_game
from csro_core.models.base import Completion, Request
from csro_core.models.synthesiser.grammar import pick
from csro_core.models.synthesiser.openspiel_genome import NOISES, Genome, tidied
from csro_core.models.synthesiser.openspiel_reading import Reading, behaviour_of, read_opponents, read_policy
from csro_core.models.synthesiser.openspiel_search import searched, shuffled_rules
from csro_core.models.synthesiser.openspiel_sequences import sequences_of
from csro_core.models.synthesiser.openspiel_sketch import Sketch, Task
from csro_core.models.synthesiser.openspiel_solving import solved
from csro_core.models.synthesiser.openspiel_text import write_policy
from csro_core.models.synthesiser.rps_prose import docstring, listed, plain_name
from csro_core.models.synthesiser.simulation import VARYING, best_feedback
from csro_core.seeds import generator

_TRIES = 4
_CHANGES = 20
_SHOWN = 4
_MENDED = 24
"""Rules that a repaired policy keeps."""


def write_openspiel(request: Request) -> Completion:
    """Returns an answer to a request about a game of OpenSpiel.

    Raises:
        UsageError: OpenSpiel has no such game, or cannot make it from these parameters.
    """
    rng = generator("synthesiser", request.sample)
    readings = read_opponents(request.opponents)
    task = _task(request, readings, rng)
    known = {_identity(genome, task) for genome in _known(request)}
    sketch = _sketch(request, task)
    for _ in range(_TRIES):
        if _identity(sketch.genome, task) not in known:
            break
        sketch = _sketch(request, task)
    for _ in range(_CHANGES):
        if _identity(sketch.genome, task) not in known:
            break
        sketch = _changed(sketch, rng)
    return _written(sketch, task.readings)


def _sketch(request: Request, task: Task) -> Sketch:
    """Returns a policy before it is written."""
    if request.task == "repair" and request.feedback:
        broken = read_policy(request.feedback[-1].source)
        if broken is not None and len(broken.rules) > 2:
            kept = tidied(replace(broken, rules=broken.rules[: min(_MENDED, len(broken.rules) // 2)], noise=0))
            words = "An earlier attempt failed; this one does with fewer rules"
            return Sketch(kept, words, "repair: fewer rules", {})
    game = sequences_of(request.game)
    return searched(task) if game is None else solved(game, task)


def _task(request: Request, readings: list[Reading], rng: np.random.Generator) -> Task:
    """Returns what is looked for, with opponents that the best attempt does badly against made heavier."""
    best = best_feedback(request) if request.task in VARYING else None
    base = read_policy(best.source) if best is not None else None
    if best is not None and len(best.per_opponent) > 1 and rng.random() < 0.5:
        means = {score.opponent: score.payoff.mean for score in best.per_opponent}
        low, high = min(means.values()), max(means.values())
        if high > low:
            grown = [r.weight * (1 + 2 * (high - means.get(r.hash, high)) / (high - low)) for r in readings]
            readings = [replace(r, weight=w / sum(grown)) for r, w in zip(readings, grown, strict=True)]
    parents = [
        (plain_name(view.name), genome) for view in request.parents if (genome := read_policy(view.source)) is not None
    ]
    seats = (0, 1) if make_game(request.game).symmetric else (request.player,)
    if base is not None:
        mate = parents[0] if request.task == "crossover" and parents else None
        return Task(request.game, seats, tuple(readings), rng, ("an earlier attempt", base), mate)
    parent = pick(rng, parents, [2.0**-place for place in range(len(parents))]) if parents else None
    return Task(request.game, seats, tuple(readings), rng, parent, None, fresh=True)


def _changed(sketch: Sketch, rng: np.random.Generator) -> Sketch:
    """Returns a sketch that plays a little differently, for one that is known already."""
    noise = pick(rng, [noise for noise in NOISES if noise != sketch.genome.noise])
    if noise and rng.random() < 0.6:
        words = f"{sketch.words}, and leaves {noise} % of its moves to chance, since without that it is known"
        return replace(sketch, genome=replace(sketch.genome, noise=noise), words=words, idea=f"{sketch.idea}; noise")
    genome = shuffled_rules(sketch.genome, rng)
    return replace(sketch, genome=genome, words=f"{sketch.words}, with some of its rules changed",
                   idea=f"{sketch.idea}; some rules changed")


def _known(request: Request) -> list[Genome]:
    """Returns the genomes that need not be tried again."""
    texts = [item.source for item in request.feedback] + [view.source for view in request.parents]
    return [genome for text in texts if (genome := read_policy(text)) is not None]


def _identity(genome: Genome, task: Task) -> Hashable:
    """Returns what two genomes share that play alike: in a small game the plan, else the genome itself."""
    game = sequences_of(task.game)
    if game is None:
        return genome
    seats = [game.seats[player] for player in task.seats]
    return tuple(np.round(seat.plan(behaviour_of(genome, seat)), 2).tobytes() for seat in seats)


def _written(sketch: Sketch, readings: Sequence[Reading]) -> Completion:
    known = [f"{reading.name} (weight {reading.weight:.2f})" for reading in readings[:_SHOWN] if reading.known]
    unknown = [f"{reading.name}" for reading in readings[:_SHOWN] if not reading.known]
    met = f"Opponents whose texts were read: {listed(known)}. " if known else ""
    met += f"Taken to play at random, for all their texts tell: {listed(unknown)}." if unknown else ""
    more = len(readings) - _SHOWN
    count = len(sketch.genome.rules)
    paragraphs = (
        f"{sketch.words}.",
        f"{met.strip()}{f' And {more} more.' if more > 0 else ''}",
        f"{count} rule{'s' if count > 1 else ''} over the text of the information state; the first that fits decides.",
    )
    source = write_policy(sketch.genome, docstring(paragraphs), sketch.names)
    return Completion(source=source, idea=sketch.idea[:200], answer=source)
