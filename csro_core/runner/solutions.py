"""Solved meta-games as rows: what is told of them, how sure it is, and which cells are played further next."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from csro_core.analysis.bootstrap import Intervals, bootstrap
from csro_core.csro import DEEPEST, MetaGame, settle
from csro_core.evaluation.bench import Bench
from csro_core.evaluation.champion import champion
from csro_core.evaluation.exact_play import game_exploitability
from csro_core.meta_solvers.base import MetaSolver, Solution
from csro_core.metagame.rounds import Precision, RoundPlan, plan_from_document, plan_round
from csro_core.runner.live_benchmark import LiveBenchmark
from csro_core.store.codec import from_json
from csro_core.store.records import Evaluation, RunSettings, SolutionRecord

PLAN, BOOTSTRAP, PLAYED, DEEPEN, EVALUATION = "allocation", "bootstrap", "played", "deepen", "evaluation"
BENCHMARK = "benchmark"
"""Keys of `SolutionRecord.extra`."""


@dataclass(frozen=True)
class Occasion:
    """When and why a meta-game was solved.

    Attributes:
        number: of the solution in its run.
        iteration: iterations finished.
        cause: see `SolutionRecord.cause`.
        round: number of the round of further episodes that may come next (`metagame.rounds`).
        played: episodes that were played for this solution beyond those of an iteration.
        deepen: episodes that the cells sigma rests on shall have next, 0 for no such wish. It comes before any round.
    """

    number: int
    iteration: int
    cause: str
    round: int = 1
    played: int = 0
    deepen: int = 0


class SolutionRows:
    """Makes the rows of the solutions of a run."""

    def __init__(
        self, bench: Bench, solver: MetaSolver, settings: RunSettings, evaluator: MetaSolver | None = None
    ) -> None:
        """Keeps what it needs.

        Args:
            bench: what the run plays with.
            solver: its meta-solver.
            settings: of the run.
            evaluator: the meta-solver of the mixture that is reported; None: `solver`.
        """
        self._evaluator = evaluator
        self._bench = bench
        self._solver = solver
        self._settings = settings
        self._live: LiveBenchmark | None = None
        if settings.benchmark:
            self._live = LiveBenchmark(settings.benchmark, bench.secret, bench.executor, bench.monitor)

    def row(self, metagame: MetaGame, occasion: Occasion) -> SolutionRecord:
        """Returns the row of a solved meta-game."""
        populations, solution = metagame.populations, metagame.solution
        sigma = solution.sigma[: len(populations.lists)]
        exact = game_exploitability(self._bench, populations, solution.sigma)
        return SolutionRecord(
            number=occasion.number, iteration=occasion.iteration, cause=occasion.cause, sizes=populations.sizes,
            sigma=tuple(tuple(float(share) for share in shares) for shares in sigma),
            value=solution.value, nash_conv=solution.nash_conv, epsilon=solution.epsilon, note=solution.note,
            exploitability=exact.value if exact else None, exploitability_exact=bool(exact and exact.exact),
            extra=self._extra(metagame, occasion),
        )  # fmt: skip

    def plan(self, last: SolutionRecord) -> RoundPlan | None:
        """Returns the round that is to be played after a solution, None where there is none, or a stranger wrote it."""
        if PLAN not in last.extra or self._settings.allocation != "adaptive":
            return None
        try:
            return plan_from_document(last.extra[PLAN], last.sizes, self._most)
        except ValueError:
            return None

    def play(self, metagame: MetaGame, plan: RoundPlan) -> MetaGame:
        """Returns the same populations, known better, after playing a round."""
        rows, columns = metagame.populations.of(0), metagame.populations.against(0)
        self._bench.deepen_each((rows[cell.row], columns[cell.column], cell.after) for cell in plan.cells)
        return settle(self._bench, self._solver, metagame.populations, self._evaluator)

    @property
    def _most(self) -> int:
        return DEEPEST * self._bench.episodes

    def _extra(self, metagame: MetaGame, occasion: Occasion) -> dict[str, Any]:
        extra: dict[str, Any] = {}
        best = champion(metagame.table, metagame.populations)
        if best:
            extra["champion"] = asdict(best)
        if self._evaluator is not None:
            extra[EVALUATION] = asdict(self._evaluation(self._evaluator.name, metagame))
        if self._live is not None:
            sources = [entry.source for entry in metagame.populations.of(0)]
            extra[BENCHMARK] = self._live.of(sources, [float(share) for share in metagame.evaluation.sigma[0]])
        if occasion.played:
            extra[PLAYED] = occasion.played
        if self._bench.exact:
            return extra  # payoffs without noise
        intervals = self._intervals(metagame, occasion.number)
        if intervals is not None:
            extra[BOOTSTRAP] = intervals.to_document()
        plan = None if occasion.deepen else self._next_plan(metagame, occasion.round)
        if occasion.deepen:
            extra[DEEPEN] = occasion.deepen
        elif plan is not None:
            extra[PLAN] = plan.to_document()
        return extra

    def _evaluation(self, solver: str, metagame: MetaGame) -> Evaluation:
        found, populations = metagame.evaluation, metagame.populations
        exact = game_exploitability(self._bench, populations, found.sigma)
        sigma = tuple(tuple(float(share) for share in shares) for shares in found.sigma[: len(populations.lists)])
        return Evaluation(
            solver, sigma, found.value, found.nash_conv, found.epsilon, found.note, exact.value if exact else None
        )

    def _intervals(self, metagame: MetaGame, number: int) -> Intervals | None:
        table, symmetric = metagame.table, metagame.populations.symmetric
        rng = self._bench.secret.outward.generator(BOOTSTRAP, number)
        return bootstrap(table.samples, table.played_stderr, self._solver, metagame.solution, symmetric, rng)

    def _next_plan(self, metagame: MetaGame, number: int) -> RoundPlan | None:
        if self._settings.allocation != "adaptive":
            return None
        precision = Precision(self._bench.episodes, self._most, self._settings.payoff_stderr)
        symmetric = metagame.populations.symmetric
        return plan_round(metagame.table, metagame.solution.sigma, symmetric, precision, number)


def played_beyond(solutions: Iterable[SolutionRecord], iteration: int) -> int:
    """Returns the episodes that the rows say were played for better payoffs since an iteration was finished.

    By rows and not by a count in memory, so that a process that died in between changes nothing.

    Args:
        solutions: of the run.
        iteration: how many iterations were finished.
    """
    spent = (solution.extra.get(PLAYED, 0) for solution in solutions if solution.iteration == iteration)
    return sum(episodes for episodes in spent if type(episodes) is int)


def solved(row: SolutionRecord) -> Solution:
    """Returns a solution as the solver gave it; one population serves both seats."""
    row_player, column_player = np.array(row.sigma[0]), np.array(row.sigma[-1])
    return Solution((row_player, column_player), row.value, row.nash_conv, row.epsilon, row.note)


def evaluated(row: SolutionRecord) -> Solution | None:
    """Returns the solution of the evaluation solver, None where one solver does both."""
    if EVALUATION not in row.extra:
        return None
    found = from_json(Evaluation, row.extra[EVALUATION])
    sigma = np.array(found.sigma[0]), np.array(found.sigma[-1])
    return Solution(sigma, found.value, found.nash_conv, found.epsilon, found.note)
