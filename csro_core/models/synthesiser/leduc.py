"""Proposes, refines and repairs policies for repeated Leduc poker. What it knows is in the request.

Without `equilibrium` nothing that was computed by a solver enters: texts that hold the equilibrium table are read as
if they had a style of a beginner in its place, so the table is not handed on either.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from csro_core.models.base import Completion, OpponentScore, OpponentView, Request
from csro_core.models.synthesiser import leduc_prose
from csro_core.models.synthesiser.grammar import pick
from csro_core.models.synthesiser.leduc_cues import Cue, read_style
from csro_core.models.synthesiser.leduc_genome import Genome, tidied
from csro_core.models.synthesiser.leduc_text import read_genome, write_policy
from csro_core.models.synthesiser.leduc_values import Target, unyielding
from csro_core.models.synthesiser.leduc_variation import (
    Change,
    Material,
    acquaint,
    aim,
    crossed,
    random_genome,
    steady,
    varied,
)
from csro_core.models.synthesiser.rps_prose import docstring, plain_name
from csro_core.models.synthesiser.simulation import VARYING, best_feedback
from csro_core.seeds import generator

MUTATION_SHARE = 0.75
"""Share of proposals that vary a parent, where there is one to vary."""

AIMED_SHARE = 0.9
"""Share of new policies whose style is an answer to the opponents whose style is known."""

SAFE_SHARE = 0.1
"""Share of new policies whose style loses little to who knows it."""

ACQUAINTED_SHARE = 0.95
"""Share of new policies that adapt which know the opponents' styles."""

WORST_WEIGHT = 0.2
"""Weight that the opponent with the worst result has in the target beyond its own."""

_TRIES = 20


@dataclass(frozen=True)
class Draft:
    """A policy before it is written: how it plays, where it comes from (sentences), and the idea for the table."""

    genome: Genome
    story: str
    idea: str


def write_leduc(request: Request, equilibrium: bool = False) -> Completion:
    """Returns an answer to a request about repeated Leduc poker.

    Args:
        request: what is asked; any task but "summarise".
        equilibrium: True where the table of an approximate equilibrium may be written into a policy.
    """
    rng = generator("synthesiser", request.sample)
    desk = _Desk(request, equilibrium, rng)
    draft = desk.draft()
    for _ in range(_TRIES):
        if draft.genome not in desk.seen:
            break
        draft = desk.draft()
    return _written(draft)


class _Desk:
    """One request and what was read out of it."""

    def __init__(self, request: Request, equilibrium: bool, rng: np.random.Generator) -> None:
        self._request = request
        self._equilibrium = equilibrium
        self._rng = rng
        self._cues = [(view, cue) for view in request.opponents if (cue := read_style(view)) is not None]
        texts = [item.source for item in request.feedback] + [view.source for view in request.parents]
        texts += [view.source for view in request.opponents if view.source is not None]
        self.seen = {genome for text in texts if (genome := read_genome(text)) is not None}

    def draft(self) -> Draft:
        """Returns the next thing to try."""
        request, rng = self._request, self._rng
        if request.task == "repair" and request.feedback:
            genome = self._read(request.feedback[-1].source)
            if genome is not None:
                return _repaired(genome)
        if request.task in VARYING:
            refined = self._refined()
            if refined is not None:
                return refined
        parents = [(view, genome) for view in request.parents if (genome := self._read(view.source)) is not None]
        if parents and rng.random() < MUTATION_SHARE:
            view, genome = pick(rng, parents, [2.0**-place for place in range(len(parents))])
            return self._child(genome, f"It grew out of {plain_name(view.name)}", view.per_opponent)
        return self._fresh()

    def _read(self, text: str) -> Genome | None:
        """Returns the genome of a text as this desk may hand it on."""
        genome = read_genome(text)
        if genome is None or self._equilibrium:
            return genome
        return tidied(replace(genome, equilibrium=False))

    def _fresh(self) -> Draft:
        genome = random_genome(self._rng, self._equilibrium)
        kind = "adaptive" if genome.adaptive else "static"
        material = self._material(None)
        acquainted = acquaint(genome, material) if self._rng.random() < ACQUAINTED_SHARE else None
        genome = acquainted.genome if acquainted is not None else genome
        draw = self._rng.random()
        change = aim(genome, material) if draw < AIMED_SHARE else None
        if change is None and draw > 1 - SAFE_SHARE:
            change = steady(genome, material)
            return Draft(tidied((change or Change(genome, "")).genome), "", f"a new {kind} style, a safe one")
        if change is None:
            return Draft(genome, "", f"a new {kind} style")
        return Draft(tidied(change.genome), self._why(), f"a new {kind} style, an answer to {material.aim_name}")

    def _refined(self) -> Draft | None:
        """Returns a variation of the best attempt so far, or a crossover."""
        request = self._request
        best = best_feedback(request)
        genome = self._read(best.source) if best is not None else None
        if best is None or genome is None:
            return None
        mate = request.parents[0] if request.task == "crossover" and request.parents else None
        other = self._read(mate.source) if mate is not None else None
        if mate is not None and other is not None:
            change = crossed(genome, other, plain_name(mate.name), self._rng)
            return Draft(change.genome, f"It joins two earlier attempts: {change.clause}.", change.clause)
        return self._child(genome, "It refines an earlier attempt", best.per_opponent)

    def _child(self, genome: Genome, origin: str, scores: Sequence[OpponentScore]) -> Draft:
        """Returns a variation of a parent, aimed at the opponent that it earns least against."""
        known = {score.opponent: score.payoff.mean for score in scores}
        played = [view for view in self._request.opponents if view.hash in known]
        worst = min(played, key=lambda view: known[view.hash]) if played else None
        change: Change = varied(genome, self._material(worst or self._heaviest()))
        weak = "" if worst is None else f" The weakest result was against {plain_name(worst.name)}."
        return Draft(change.genome, f"{origin}: {change.clause}.{weak}", change.clause)

    def _heaviest(self) -> OpponentView | None:
        return self._request.opponents[0] if self._request.opponents else None

    def _material(self, worst: OpponentView | None) -> Material:
        """Returns what to vary with: donors, and the known styles with the worst opponent in front."""
        extra = {worst.hash: WORST_WEIGHT} if worst is not None else {}
        weighed = [(cue.style, view.weight + extra.get(view.hash, 0.0)) for view, cue in self._cues]
        weighed = [(style, weight) for style, weight in weighed if weight > 0]
        named = [view for view, _ in self._cues if view.hash in extra] or [view for view, _ in self._cues]
        texts: list[tuple[str, str | None]] = [(view.name, view.source) for view in self._request.parents]
        texts += [(view.name, view.source) for view in self._request.opponents]
        donors = tuple(
            (plain_name(name), genome)
            for name, text in texts if text is not None and (genome := self._read(text)) is not None
        )
        return Material(
            self._rng,
            donors,
            Target(weighed) if weighed else None,
            unyielding(weighed) if weighed else None,
            plain_name(named[0].name) if named else "",
            self._equilibrium,
            tuple(cue.style for _, cue in self._cues),
        )

    def _why(self) -> str:
        """Returns sentences about what was read in the opponents, at most two of them."""
        known: list[tuple[OpponentView, Cue]] = self._cues[:2]
        return " ".join(f"{plain_name(view.name)} {cue.reason}." for view, cue in known)


def _repaired(genome: Genome) -> Draft:
    """Returns what failed in a simpler form: without hands in its counts, or without learning at all."""
    if genome.adaptive and genome.trust is not None:
        kept, what = replace(genome, trust=None), "regard to the opponent's hands"
    else:
        kept, what = replace(genome, adaptive=False), "learning"
    return Draft(tidied(kept), f"An earlier attempt failed; this one does without {what}.", f"repair: without {what}")


def _written(draft: Draft) -> Completion:
    genome = draft.genome
    paragraphs = (
        leduc_prose.headline(genome),
        draft.story,
        f"{leduc_prose.what_it_does(genome)} {leduc_prose.how_it_adapts(genome)}".strip(),
    )
    source = write_policy(genome, docstring(paragraphs))
    return Completion(source=source, idea=draft.idea, answer=source)
