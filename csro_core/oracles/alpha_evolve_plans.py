"""What alpha-evolve asks next: which operator, on which parents, in which words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from csro_core.models.base import Feedback, ParentView, Request, Task
from csro_core.oracles import alpha_evolve_wordings as wordings
from csro_core.oracles.archive import Island, clusters, distance, measured, order
from csro_core.oracles.attempts import as_feedback
from csro_core.oracles.base import Attempt, OracleContext
from csro_core.oracles.selection import draw
from csro_core.seeds import generator

LONG = 80
"""Lines from which a parent is rather edited than written anew."""

OPERATORS: tuple[Task, ...] = ("refine", "edit", "crossover", "propose")
SHORT_SHARES = (0.56, 0.24, 0.15, 0.05)
LONG_SHARES = (0.29, 0.56, 0.10, 0.05)
"""Chances of the operators for short and for long parents."""

MAX_PARENTS = 3


@dataclass(frozen=True)
class Plan:
    """One proposal before it is asked for.

    Attributes:
        index: number of the attempt.
        island: whose it will be.
        request: what is asked.
        parent: what is varied, or None.
        mate: the other parent of a crossover, or None.
        again: True where it is the second and last try at an edit or the repair of a failure.
    """

    index: int
    island: Island
    request: Request
    parent: Attempt | None = None
    mate: Attempt | None = None
    again: bool = False


class Planner:
    """Plans proposals; remembers which failures of an island deserve a second try."""

    def __init__(self, context: OracleContext, islands: Sequence[Island]) -> None:
        """Keeps its collaborators.

        Args:
            context: what the oracle works with.
            islands: take turns.
        """
        self._context = context
        self._islands = islands
        self._names = {opponent.hash: opponent.name for opponent in context.request.opponents}
        self._failed: dict[int, tuple[Attempt, Attempt | None]] = {}

    def note(self, plan: Plan, attempt: Attempt) -> None:
        """Remembers a first failure that a second try may mend: a program that did not run, an edit that missed."""
        broken = attempt.screen.status in ("refused", "failed")
        missed = attempt.screen.status == "no-answer" and attempt.operator == "edit"
        if not plan.again and (broken or missed):
            self._failed[plan.island.number] = (attempt, plan.parent)

    def plan(self, index: int, known: Sequence[Attempt]) -> Plan:
        """Returns the proposal with this number.

        Args:
            index: number of the attempt.
            known: attempts of earlier generations.
        """
        island = self._islands[index % len(self._islands)]
        rng = generator("alpha-evolve", self._context.sample(index))
        failed, parent = self._failed.pop(island.number, (None, None))
        if failed is not None:
            return self._second_try(index, island, failed, parent)
        parent = island.parent(rng)
        if parent is None:
            return self._founder(index, island, known)
        chances = LONG_SHARES if parent.source.count("\n") >= LONG else SHORT_SHARES
        task = draw(rng, OPERATORS, chances)
        mate = self._mate(rng, island, parent) if task == "crossover" else None
        if task == "propose":
            return self._founder(index, island, known)
        if task == "crossover" and mate is None:
            task = "refine"
        return self._variation(index, island, task, (parent, mate), known)

    def _founder(self, index: int, island: Island, known: Sequence[Attempt]) -> Plan:
        """Returns a proposal that varies no attempt: the first island's from the best existing policy, others' not."""
        wording = wordings.FOUNDERS[island.number % len(wordings.FOUNDERS)]
        own = self._context.request.parents
        turn = island.number % max(1, len(own))
        request = self._request(index, "propose", wordings.lessons(known, self._names), wording)
        return Plan(index, island, replace(request, parents=own[turn:] + own[:turn]))

    def _second_try(self, index: int, island: Island, failed: Attempt, parent: Attempt | None) -> Plan:
        """Returns the repair of a program that did not run, or another try at an edit that missed."""
        if failed.source or parent is None:
            return Plan(index, island, self._request(index, "repair", (as_feedback(failed),), ""), failed, again=True)
        told = (as_feedback(parent), as_feedback(failed))
        return Plan(index, island, self._request(index, "edit", told, wordings.AGAIN), parent, again=True)

    def _variation(
        self, index: int, island: Island, task: Task, pair: tuple[Attempt, Attempt | None], known: Sequence[Attempt]
    ) -> Plan:
        parent, mate = pair
        rng = generator("alpha-evolve wording", self._context.sample(index))
        wording = {"edit": wordings.EDIT, "crossover": wordings.CROSSOVER}.get(task)
        if wording is None:
            wording = wordings.rewrite(rng, parent, self._context.request)
        # The parent is the only scored item, so "the best of feedback" is the one that was selected.
        told = (*wordings.lessons(known, self._names), as_feedback(parent))
        shown = [mate] if mate is not None else inspirations(island, parent)
        views = (*(_as_parent(attempt) for attempt in shown), *self._context.request.parents)
        request = replace(self._request(index, task, told, wording), parents=views[:MAX_PARENTS])
        return Plan(index, island, request, parent, mate)

    def _mate(self, rng: np.random.Generator, island: Island, parent: Attempt) -> Attempt | None:
        """Returns a second parent: the best of another island half of the time, else another member."""
        others = [other.best for other in self._islands if other is not island]
        foreign = [best for best in others if best is not None and best.source != parent.source]
        if foreign and rng.random() < 0.5:
            return draw(rng, foreign, [1.0] * len(foreign))
        return island.parent(rng, parent)

    def _request(self, index: int, task: Task, told: tuple[Feedback, ...], wording: str) -> Request:
        sample = self._context.sample(index)
        return replace(self._context.request, task=task, feedback=told, sample=sample, wording=wording)


def inspirations(island: Island, parent: Attempt) -> list[Attempt]:
    """Returns the best member of another cluster, and the one that does most differently; none may be the parent."""
    groups = clusters([member for member in island.members if measured(member)])
    leaders = [group.members[0] for group in groups if parent.index not in {m.index for m in group.members}]
    if not leaders:
        return []
    farthest = max(leaders, key=lambda member: (distance(member, parent), -member.index))
    return sorted({leader.index: leader for leader in (leaders[0], farthest)}.values(), key=order)


def _as_parent(attempt: Attempt) -> ParentView:
    seen = attempt.screen
    name = f"attempt {attempt.index + 1}"
    return ParentView(name, "", attempt.source, seen.score, seen.per_opponent)
