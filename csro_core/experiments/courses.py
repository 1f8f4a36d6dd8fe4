"""The course of a run as a comparison sees it: its mixture after every iteration, and what it had cost by then."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np

from csro_core.errors import UsageError
from csro_core.experiments.document import COSTS, Cost
from csro_core.games import make_game
from csro_core.meta_solvers import make_meta_solver
from csro_core.metagame.payoffs import build_table
from csro_core.metagame.population import Entry, Populations
from csro_core.store import Store
from csro_core.store.calls import call_lines
from csro_core.store.defaults import meta_solver_for
from csro_core.store.records import IterationRecord, Member, RunRecord, SolutionRecord

Mix = tuple[tuple[tuple[str, float], ...], ...]
"""One mixture per population: (hash of the text, share > 0), in the order of the population."""


@dataclass(frozen=True)
class Spent:
    """What a run had cost after some iterations.

    Attributes:
        calls: model calls.
        episodes: of the search, of decisions and of payoffs.
        usd: None where a call was unpriced.
        seconds: wall seconds of iterations.
    """

    calls: int = 0
    episodes: int = 0
    usd: float | None = 0.0
    seconds: float = 0.0

    def of(self, cost: str, iteration: int) -> float:
        """Returns how much of a cost that is; NaN where it is not known."""
        amount = {
            "calls": self.calls, "episodes": self.episodes, "usd": self.usd, "seconds": self.seconds,
            "iterations": iteration,
        }[cost]  # fmt: skip
        return float("nan") if amount is None else float(amount)


@dataclass(frozen=True)
class Stand:
    """A run after some iterations.

    Attributes:
        iteration: iterations finished.
        spent: what that had cost.
        mix: the mixture that is compared.
        exploitability: exact, None where it is not known of this mixture.
        scores: what the benchmark says of it, {} where it was not played or another mixture was.
        oracle_gain: gain of the iteration's finalist, None where there was none.
    """

    iteration: int
    spent: Spent
    mix: Mix
    exploitability: float | None
    scores: Mapping[str, float]
    oracle_gain: float | None


@dataclass(frozen=True)
class RunCourse:
    """A run as a comparison sees it.

    Attributes:
        record: of the run.
        members: its policies; without those that were left out.
        stands: by iteration, from 0 on.
        final: index of the stand that is compared: the last one within the budget.
        used: what the run has cost by now, also beyond the budget.
        human_edits: policies that people added, whether left out or not.
        descendants: policies whose line of parents leads to one of those.
    """

    record: RunRecord
    members: tuple[Member, ...]
    stands: tuple[Stand, ...]
    final: int
    used: Spent
    human_edits: int
    descendants: int

    def pool(self) -> list[Member]:
        """Returns the policies that the run had when it is compared."""
        last = self.stands[self.final].iteration
        return [member for member in self.members if member.iteration <= last]


@dataclass(frozen=True)
class Terms:
    """What all runs of a comparison are valued by.

    Attributes:
        cost: at equal amounts of what.
        budget: how much of it; None: all that the run has.
        eval_solver: meta-solver of every mixture.
        without_human: True: what people added, and what descends from it, is left out.
    """

    cost: Cost
    budget: float | None
    eval_solver: str
    without_human: bool


def course_of(store: Store, run: str, terms: Terms) -> RunCourse | None:
    """Returns the course of a run, None where it has no solution yet.

    Args:
        store: where it is.
        run: its id.
        terms: what it is valued by.

    Raises:
        NotFoundError: there is no such run.
        UsageError: nobody knows what it had cost.
    """
    record = store.run(run)
    members = store.members(run)
    human = [member for member in members if member.origin == "human"]
    line = descendants_of({member.policy.hash for member in human}, members)
    if terms.without_human:
        members = [m for m in members if m.origin != "human" and m.policy.hash not in line]
    by_iteration = _solutions(store, record, members, terms)
    if not by_iteration:
        return None
    iterations = store.iterations(run)
    spent = _spent(store, run, iterations)
    gains = {one.iteration: None if one.gain is None else one.gain.mean for one in iterations}
    mixed = [_stand(store, record, members, at, terms) for at in by_iteration]
    stands = [
        replace(one, spent=spent.get(one.iteration, Spent()), oracle_gain=gains.get(one.iteration)) for one in mixed
    ]
    inside = [
        place
        for place, stand in enumerate(stands)
        if terms.budget is None or stand.spent.of(terms.cost, stand.iteration) <= terms.budget
    ]
    final = max(inside, default=0)
    used = stands[-1].spent
    if terms.budget is not None and isnan(used.of(terms.cost, record.iteration)):
        raise UsageError(
            f"runs that are compared at equal {COSTS[terms.cost]} must have a price for every call, and "
            f"{record.name!r} has calls without one: compare at equal model calls"
        )
    return RunCourse(record, tuple(members), tuple(stands[: final + 1]), final, used, len(human), len(line))


def descendants_of(hashes: set[str], members: Sequence[Member]) -> set[str]:
    """Returns the texts among the members whose line of parents leads to one of some texts, without those.

    Args:
        hashes: of the texts.
        members: with their parents.
    """
    found: set[str] = set()
    grew = True
    while grew:
        new = {m.policy.hash for m in members if m.parent in hashes | found} - found - hashes
        grew = bool(new)
        found |= new
    return found


def spending(store: Store, run: str) -> dict[int, Spent]:
    """Returns what a run had cost after each number of iterations, 0 among them.

    Where calls were not recorded, attempts stand for them: each takes one at least.
    """
    return _spent(store, run, store.iterations(run))


def _spent(store: Store, run: str, iterations: Sequence[IterationRecord]) -> dict[int, Spent]:
    calls: dict[int, int] = {}
    usd: dict[int, float | None] = {}
    for call in call_lines(store.connections, run):
        if call.cached:
            continue
        calls[call.iteration] = calls.get(call.iteration, 0) + 1
        before = usd.get(call.iteration, 0.0)
        priced = call.usd if call.usd is not None or call.tokens_in + call.tokens_out else 0.0
        usd[call.iteration] = None if before is None or priced is None else before + priced
    total = Spent()
    found = {0: total}
    for record in iterations:
        money = usd.get(record.iteration, 0.0)
        total = Spent(
            total.calls + max(calls.get(record.iteration, 0), record.attempts),
            total.episodes + (record.episodes or 0),
            None if total.usd is None or money is None else total.usd + money,
            total.seconds + (record.seconds if np.isfinite(record.seconds) else 0.0),
        )
        found[record.iteration] = total
    return found


def _solutions(
    store: Store, record: RunRecord, members: Sequence[Member], terms: Terms
) -> list[tuple[int, SolutionRecord]]:
    """Returns (iteration, the solution that stood after it), as far as there are policies left to mix."""
    solutions = store.solutions(record.id)
    found = []
    for iteration in range(record.iteration + 1):
        standing = [one for one in solutions if one.iteration <= iteration]
        if standing and (not terms.without_human or _kept(standing[-1], members)):
            found.append((iteration, standing[-1]))
    return found


def _kept(solution: SolutionRecord, members: Sequence[Member]) -> bool:
    return all(
        any(member.player == player and member.index < size for member in members)
        for player, size in enumerate(solution.sizes)
    )


def _stand(
    store: Store, record: RunRecord, members: Sequence[Member], at: tuple[int, SolutionRecord], terms: Terms
) -> Stand:
    """Returns a run's mixture after some iterations, without what it had cost and gained."""
    iteration, solution = at
    there = [member for member in members if member.index < solution.sizes[member.player]]
    complete = len(there) == sum(solution.sizes)
    settings = record.settings
    game = make_game(settings.game)
    reported = meta_solver_for(game, settings.eval_solver or settings.meta_solver)
    if complete and reported == meta_solver_for(game, terms.eval_solver):
        shares = solution.reported_sigma
        evaluation = solution.extra.get("evaluation")
        exact = evaluation.get("exploitability") if evaluation else solution.exploitability
        certain = solution.exploitability_exact
        benchmark: Mapping[str, Any] = solution.extra.get("benchmark", {})
        scores = {key: float(benchmark[key]) for key in ("agg_score", "pop_return", "pop_expl") if key in benchmark}
        exploitability = float(exact) if certain and exact is not None else None
    else:
        shares, scores, exploitability = _solved_again(store, record, there, terms.eval_solver), {}, None
    mix = tuple(
        tuple(
            (member.policy.hash, float(share))
            for member, share in zip([m for m in there if m.player == player], one, strict=True)
            if share > 0
        )
        for player, one in enumerate(shares)
    )
    return Stand(iteration, Spent(), mix, exploitability, scores, None)


def _solved_again(
    store: Store, record: RunRecord, members: Sequence[Member], solver: str
) -> tuple[tuple[float, ...], ...]:
    game = make_game(record.settings.game)
    players = sorted({member.player for member in members})
    lists = tuple(
        tuple(Entry(m.policy.hash, m.policy.tree_hash, m.policy.source, m.name) for m in members if m.player == player)
        for player in players
    )
    table = build_table(Populations(game.symmetric, lists), store.cells(record.id), game.zero_sum)
    if not table.known.all():
        return tuple(tuple(1.0 / len(entries) for _ in entries) for entries in lists)
    solution = make_meta_solver(meta_solver_for(game, solver)).solve(table.played, table.played_stderr, game.symmetric)
    return tuple(tuple(float(share) for share in sigma) for sigma in solution.sigma[: len(lists)])
