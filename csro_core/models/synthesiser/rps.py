"""Proposes, refines and repairs policies for repeated rock-paper-scissors. What it knows is in the request."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from csro_core.models.base import Completion, OpponentScore, OpponentView, Request
from csro_core.models.synthesiser import rps_prose
from csro_core.models.synthesiser.cues import read_cues
from csro_core.models.synthesiser.genome import Genome, Signal, tidied
from csro_core.models.synthesiser.grammar import pick, random_genome
from csro_core.models.synthesiser.rps_text import read_genome, write_policy
from csro_core.models.synthesiser.simulation import VARYING, Copy, best_feedback, choose_copy, inherited_copy
from csro_core.models.synthesiser.variation import Change, Material, crossed, varied
from csro_core.seeds import generator

MUTATION_SHARE = 0.75
"""Share of proposals that vary a parent, where there is one to vary."""

MUTATED_CROSSOVERS = 0.5
"""Share of crossovers that are varied as well."""

INHERITED_SHARE = 0.8
"""Share of the children of a policy with a copy of another that keep the copy."""

CARRYING_SIGNALS = 14
"""Signals that a policy with a copy of another keeps, so that a throw stays cheap."""

_TRIES = 20


@dataclass(frozen=True)
class Draft:
    """A policy before it is written.

    Attributes:
        genome: how it plays.
        story: where it comes from and what it is meant for, sentences.
        idea: one sentence for the attempts table.
        aims: what a signal is for, where it has a special reason.
        copy: the policy that it carries, exactly where the genome simulates.
    """

    genome: Genome
    story: tuple[str, ...]
    idea: str
    aims: dict[Signal, str]
    copy: Copy | None = None


@dataclass(frozen=True)
class Parent:
    """What a child is varied from.

    Attributes:
        source: its text.
        genome: its genome.
        origin: the beginning of a sentence that says what it is.
        scores: its payoffs, where they are known.
    """

    source: str
    genome: Genome
    origin: str
    scores: tuple[OpponentScore, ...]


def write_rps(request: Request) -> Completion:
    """Returns an answer to a request about repeated rock-paper-scissors."""
    rng = generator("synthesiser", request.sample)
    seen = _seen(request)
    draft = _draft(request, rng)
    for _ in range(_TRIES):
        if draft.genome not in seen:
            break
        draft = _draft(request, rng)
    if draft.copy is None and request.task != "repair":
        copy = choose_copy(request, rng)
        draft = draft if copy is None else _carrying(draft, copy, rng)
    return _written(draft)


def _draft(request: Request, rng: np.random.Generator) -> Draft:
    if request.task == "repair" and request.feedback:
        repaired = _repair(request, rng)
        if repaired is not None:
            return repaired
    if request.task in VARYING:
        refined = _refine(request, rng)
        if refined is not None:
            return refined
    parents = [(view, genome) for view in request.parents if (genome := read_genome(view.source)) is not None]
    if parents and rng.random() < MUTATION_SHARE:
        view, genome = pick(rng, parents, [2.0**-place for place in range(len(parents))])
        parent = Parent(view.source, genome, f"It grew out of {rps_prose.plain_name(view.name)}", view.per_opponent)
        return _child(request, rng, parent)
    largest = max((len(genome.signals) for _, genome in parents), default=0)
    return _fresh(request, rng, int(rng.integers(4, 9)) if not largest else int(rng.integers(8, max(12, largest) + 1)))


def _fresh(request: Request, rng: np.random.Generator, size: int) -> Draft:
    """Returns a new genome: signals that read the heavier opponents, the rest from the prior."""
    signals: list[Signal] = []
    aims: dict[Signal, str] = {}
    story = []
    for place in rng.permutation(len(request.opponents)):
        opponent = request.opponents[int(place)]
        if len(signals) >= size // 2 or rng.random() > 0.35 + opponent.weight:
            continue
        for cue in read_cues(opponent)[:1]:
            chosen = pick(rng, cue.signals)
            if chosen not in signals:
                signals.append(chosen)
                name = rps_prose.plain_name(opponent.name)
                aims[chosen] = f"for {name}"
                story.append(f"{name} {cue.reason}.")
    genome = random_genome(rng, size, signals)
    idea = f"a new mix of {len(genome.signals)} guesses" + (f", {len(aims)} of them aimed" if aims else "")
    return Draft(genome, tuple(dict.fromkeys(story)), idea, aims)


def _refine(request: Request, rng: np.random.Generator) -> Draft | None:
    """Returns a variation of the best attempt so far, aimed at the opponent it earns least against, or a crossover."""
    best = best_feedback(request)
    genome = read_genome(best.source) if best is not None else None
    if best is None or genome is None:
        return None
    mate = request.parents[0] if request.task == "crossover" and request.parents else None
    other = read_genome(mate.source) if mate is not None else None
    if mate is not None and other is not None:
        return _cross(best.source, genome, rps_prose.plain_name(mate.name), other, rng)
    return _child(request, rng, Parent(best.source, genome, "It refines an earlier attempt", best.per_opponent))


def _cross(source: str, genome: Genome, name: str, other: Genome, rng: np.random.Generator) -> Draft:
    """Returns a child of two genomes; a copy of another policy comes from the first."""
    copy = inherited_copy(source, genome)
    pair = _without_simulation(genome), _without_simulation(other)
    change = crossed(*pair, name, rng)
    if change.genome in pair or rng.random() < MUTATED_CROSSOVERS:
        # Relatives share most of their signals: a mere mixture is often one of them, or like one, and a wasted call.
        mutation = varied(change.genome, Material(rng))
        change = Change(mutation.genome, f"{change.clause}; {mutation.clause}")
    draft = Draft(change.genome, (f"It joins two earlier attempts: {change.clause}.",), change.clause, {})
    return draft if copy is None or rng.random() >= INHERITED_SHARE else _carrying(draft, copy, rng)


def _repair(request: Request, rng: np.random.Generator) -> Draft | None:
    """Returns the last attempt without what failed: its copy of another policy, else half of its signals."""
    genome = read_genome(request.feedback[-1].source)
    if genome is None:
        return None
    kept = _without_simulation(genome)
    what = "its copy of another policy"
    if kept == genome:
        order = sorted(int(i) for i in rng.permutation(len(genome.signals))[: max(1, len(genome.signals) // 2)])
        kept = tidied(replace(genome, signals=tuple(genome.signals[i] for i in order)))
        what = "half of its guesses"
    return Draft(kept, (f"An earlier attempt failed; this one does without {what}.",), f"repair: without {what}", {})


def _child(request: Request, rng: np.random.Generator, parent: Parent) -> Draft:
    """Returns a variation of a parent, aimed at the opponent it earns least against."""
    worst = _worst(request, parent.scores)
    material = Material(rng, _donors(request))
    weak = ""
    if worst is not None:
        signals = tuple(signal for cue in read_cues(worst) for signal in cue.signals)
        material = replace(material, aim=signals, aim_name=rps_prose.plain_name(worst.name))
        weak = f" The weakest result was against {material.aim_name}."
    copy = inherited_copy(parent.source, parent.genome)
    change = varied(_without_simulation(parent.genome), material)
    added = [signal for signal in change.genome.signals if signal not in parent.genome.signals]
    aims = {signal: f"for {material.aim_name}" for signal in added if signal in material.aim}
    draft = Draft(change.genome, (f"{parent.origin}: {change.clause}.{weak}",), change.clause, aims)
    return draft if copy is None or rng.random() >= INHERITED_SHARE else _carrying(draft, copy, rng)


def _worst(request: Request, scores: Sequence[OpponentScore]) -> OpponentView | None:
    """Returns the opponent with the lowest payoff; the heaviest where no payoffs are known."""
    known = {score.opponent: score.payoff.mean for score in scores}
    played = [opponent for opponent in request.opponents if opponent.hash in known]
    if played:
        return min(played, key=lambda opponent: known[opponent.hash])
    return request.opponents[0] if request.opponents else None


def _donors(request: Request) -> tuple[tuple[str, Genome], ...]:
    """Returns everybody with a genome: own policies, and opponents, whose ideas are as free to take."""
    texts: list[tuple[str, str | None]] = [(view.name, view.source) for view in request.parents]
    texts += [(view.name, view.source) for view in request.opponents]
    return tuple(
        (rps_prose.plain_name(name), genome)
        for name, text in texts if text is not None and (genome := read_genome(text)) is not None
    )


def _seen(request: Request) -> set[Genome]:
    """Returns the genomes that need not be tried again."""
    texts = [item.source for item in request.feedback] + [view.source for view in request.parents]
    texts += [view.source for view in request.opponents if view.source is not None]
    return {genome for text in texts if (genome := read_genome(text)) is not None}


def _without_simulation(genome: Genome) -> Genome:
    kept = tuple(signal for signal in genome.signals if signal.kind != "simulation")
    return tidied(replace(genome, signals=kept or (Signal("constant"),)))


def _carrying(draft: Draft, copy: Copy, rng: np.random.Generator) -> Draft:
    """Returns the draft with a copy of another policy; many signals are cut down, so that a throw stays cheap."""
    kept = sorted(int(i) for i in rng.permutation(len(draft.genome.signals))[:CARRYING_SIGNALS])
    signals = (*(draft.genome.signals[i] for i in kept), Signal("simulation", copy.side))
    return replace(
        draft,
        genome=tidied(replace(draft.genome, signals=signals)),
        story=(*draft.story, copy.story),
        idea=f"{draft.idea}; carries a copy of {copy.name}",
        copy=copy,
    )


def _written(draft: Draft) -> Completion:
    genome = draft.genome
    paragraphs = (
        rps_prose.headline(genome),
        " ".join(draft.story),
        f"{rps_prose.what_it_watches(genome)} {rps_prose.how_it_decides(genome)}",
    )
    comments = {signal: rps_prose.comment_on(signal, draft.aims.get(signal, "")) for signal in genome.signals}
    function = draft.copy.function if draft.copy is not None else None
    source = write_policy(genome, rps_prose.docstring(paragraphs), comments, function)
    return Completion(source=source, idea=draft.idea, answer=source)
