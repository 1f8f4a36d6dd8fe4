"""Code-Space Response Oracles: the loop (arXiv 2603.10098, section 2; PSRO: arXiv 1711.00832, algorithm 1).

    Given populations Pi whose payoffs U are played
    1. Solve:   sigma <- meta-solver(U)
    2. Target:  tau <- (1 - m) sigma + m uniform over behaviour clusters          (plain PSRO: m = 0, tau = sigma)
    3. Respond: the oracle looks for a best response to tau; its attempts are written by a model and played
    4. Decide:  the finalist's gain against sigma (and lift against tau), on fresh seeds
    5. Extend:  Pi <- Pi + finalist, where it improves (or, only when m > 0, broadens)
    6. Evaluate: play the new row of U

In a symmetric game one population serves both seats; otherwise the players take turns: iteration t is player 0's
where t is odd. Nothing here reads a clock or draws a number: every seed comes from the run's secret.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csro_core.evaluation.admission import ROUNDING, Admission, Trial, admit
from csro_core.evaluation.bench import Bench
from csro_core.evaluation.exact_play import exact_admission, exact_payoffs, respond_exactly
from csro_core.meta_solvers.base import MetaSolver, Solution
from csro_core.metagame.payoffs import PayoffTable, build_table
from csro_core.metagame.population import Entry, Populations
from csro_core.metagame.statistics import training_target
from csro_core.models.base import AskModel
from csro_core.oracles.base import AskMany, Attempt, Oracle, OracleContext
from csro_core.oracles.context import (
    SUPPORT,
    ContextKind,
    Exposure,
    Scene,
    build_request,
    choose_opponents,
    opponents_rng,
    own_payoffs,
    rank_members,
)
from csro_core.oracles.summaries import AskedSummaries
from csro_core.oracles.trials import Trials

CORE_SHARE = 0.01
"""Share of sigma from which a policy belongs to what sigma rests on."""

DEEPEST = 8
"""Times the usual episodes that a payoff cell has at most."""


@dataclass(frozen=True)
class LoopSettings:
    """What decides the course of the loop besides its collaborators.

    Attributes:
        target_mix: m, in [0, 1].
        always_admit: admit every finalist that plays (plain fictitious growth, for comparison).
        attempts: budget of attempts an iteration; 0 = the oracle's default.
        refine_all: linear-refinement spends the whole budget.
        context: how requests show opponents (`oracles.context.CONTEXTS`).
        shown: which ones they show (`oracles.context.SHOWN_CHOICES`).
    """

    target_mix: float = 0.0
    always_admit: bool = False
    attempts: int = 0
    refine_all: bool = False
    context: ContextKind = "code"
    shown: str = SUPPORT


@dataclass(frozen=True)
class MetaGame:
    """Populations, what they earn, and the solution: the state between two iterations.

    Attributes:
        populations: the policies.
        table: what they earn.
        solution: what the next response is looked for against.
        evaluation: what is reported and scored; the same object where one meta-solver does both.
    """

    populations: Populations
    table: PayoffTable
    solution: Solution
    evaluation: Solution


@dataclass(frozen=True)
class Outcome:
    """What one iteration came to.

    Attributes:
        player: whose response was looked for.
        tau: `[n]` the training target.
        attempts: everything that was tried.
        finalist: the attempt that was tested, or None.
        entry: the finalist as a policy, where it was admitted.
        admission: gain, lift and verdict.
        metagame: the state afterwards (the same one where nothing was admitted).
    """

    player: int
    tau: NDArray[np.float64]
    attempts: tuple[Attempt, ...]
    finalist: Attempt | None
    entry: Entry | None
    admission: Admission
    metagame: MetaGame


def settle(
    bench: Bench, solver: MetaSolver, populations: Populations, evaluator: MetaSolver | None = None
) -> MetaGame:
    """Evaluates and solves: steps 6 and 1.

    Args:
        bench: plays.
        solver: the meta-solver that responses are looked for against.
        populations: the policies.
        evaluator: the meta-solver of the mixture that is reported; None: `solver`.

    Returns:
        The meta-game of these populations; only missing payoff cells are played.
    """
    bench.fill(populations)
    table = build_table(populations, bench.cells, bench.game.zero_sum)
    payoffs = exact_payoffs(bench.tables, populations) if bench.exact else table.played
    stderr = None if bench.exact else table.played_stderr
    solution = solver.solve(payoffs, stderr, populations.symmetric)
    evaluation = solution if evaluator is None else evaluator.solve(payoffs, stderr, populations.symmetric)
    return MetaGame(populations, table, solution, evaluation)


def core(metagame: MetaGame) -> tuple[list[Entry], list[Entry]]:
    """Returns the policies that sigma rests on: those of weight, and each player's best one against it."""
    first, second = (
        [metagame.populations.of(player)[place] for place in places]
        for player, places in enumerate(_core_places(metagame))
    )
    return first, second


def _core_places(metagame: MetaGame) -> tuple[list[int], list[int]]:
    """Returns the places of the core in the population of each player."""
    sigma = metagame.solution.sigma
    first, second = (
        sorted({
            rank_members(metagame.table, player, sigma[1 - player])[0],
            *(int(place) for place in np.flatnonzero(sigma[player] >= CORE_SHARE)),
        })
        for player in (0, 1)
    )  # fmt: skip
    return first, second


def deeper(bench: Bench, metagame: MetaGame) -> int:
    """Returns how many episodes the cells of the core should have next: twice as many; 0 where they have enough."""
    most = DEEPEST * bench.episodes
    counts = metagame.table.episodes[np.ix_(*_core_places(metagame))]
    least = int(counts[counts > 0].min(initial=most))
    return min(2 * least, most) if least < most else 0


def sharpened(
    bench: Bench, solver: MetaSolver, metagame: MetaGame, episodes: int, evaluator: MetaSolver | None = None
) -> MetaGame:
    """Plays the cells of the core for longer, and solves again.

    Where a member seems to earn more than sigma, and a finalist no more than that member, sigma itself is what is not
    known well enough: a solver that tolerates the noise of the payoffs leaves something to everybody.

    Args:
        bench: plays.
        solver: the meta-solver.
        metagame: as it is.
        episodes: what each cell of the core shall have, even (see `deeper`).
        evaluator: see `settle`.

    Returns:
        The same populations, known better.
    """
    first, second = core(metagame)
    if metagame.populations.symmetric:
        first = second = list({entry.hash: entry for entry in (*first, *second)}.values())
    bench.deepen(first, second, 0, episodes)
    return settle(bench, solver, metagame.populations, evaluator)


@dataclass(frozen=True)
class Loop:
    """The loop and its collaborators.

    Attributes:
        bench: game, executor, cells, seeds and monitor: everything that plays.
        solver: the meta-solver.
        oracle: the oracle.
        ask: asks the model.
        record: called with every attempt as soon as it is known.
        settings: see `LoopSettings`.
        ask_many: asks the model several things at once, see `OracleContext`.
        evaluator: the meta-solver of the mixture that is reported; None: `solver`.
    """

    bench: Bench
    solver: MetaSolver
    oracle: Oracle
    ask: AskModel
    record: Callable[[Attempt], None]
    settings: LoopSettings
    ask_many: AskMany | None = None
    evaluator: MetaSolver | None = None

    def step(self, iteration: int, metagame: MetaGame) -> Outcome:
        """Runs iteration `iteration` = 1, 2, … on a settled meta-game.

        Returns:
            The outcome, with the settled meta-game that the next iteration starts from.

        Raises:
            Cancelled: the monitor stopped it; nothing of the iteration counts.
            ModelError: the model gives no answers at all.
        """
        populations, table = metagame.populations, metagame.table
        player = self.player_of(iteration, populations)
        self.bench.monitor.stage("solve", f"{'×'.join(str(size) for size in populations.sizes)} policies")
        tau = self.target(metagame, player)
        sigma = metagame.solution.sigma[1 - player]
        rng = opponents_rng(self.bench.secret, iteration)
        opponents = choose_opponents(populations.against(player), tau, rng, sigma)
        scene = Scene(self.bench.game, player, populations, table, tau)
        trials = Trials(self.bench, scene, opponents, iteration, self._to_beat(metagame, player, tau))
        result = self.oracle.respond(
            OracleContext(
                request=build_request(scene, opponents, self._exposure(scene)),
                ask=self.ask,
                evaluate=trials.evaluate,
                sample=lambda attempt: self.bench.secret.outward.derive("sample", iteration, attempt),
                record=self.record,
                max_attempts=self.settings.attempts or self.oracle.default_attempts,
                refine_all=self.settings.refine_all,
                ask_many=self.ask_many,
                best_response=lambda: respond_exactly(self.bench, populations, player, tau),
            )
        )
        self.bench.monitor.stage("decide", "gain on fresh seeds")
        admission, entry, after = self._decide(iteration, metagame, tau, result.finalist)
        return Outcome(player, tau, result.attempts, result.finalist, entry, admission, after)

    @staticmethod
    def player_of(iteration: int, populations: Populations) -> int:
        """Returns whose turn an iteration is."""
        return 0 if populations.symmetric else (iteration - 1) % 2

    def target(self, metagame: MetaGame, player: int) -> NDArray[np.float64]:
        """Returns `[n]` tau over the population that `player` meets: step 2."""
        sigma = metagame.solution.sigma[1 - player]
        if self.settings.target_mix == 0.0:
            return sigma
        seat = 0 if metagame.populations.symmetric else 1 - player
        clusters = self.bench.clusters(metagame.populations.against(player), seat)
        return training_target(sigma, clusters, self.settings.target_mix)

    def _exposure(self, scene: Scene) -> Exposure:
        """Returns what requests show of the opponents; summaries are written by the model that writes policies."""
        summaries = AskedSummaries(self.ask, scene.game, scene.player, self.bench.secret.outward)
        return Exposure(self.settings.context, self.settings.shown, summaries)

    def _to_beat(self, metagame: MetaGame, player: int, tau: NDArray[np.float64]) -> Entry | float:
        """Returns what to beat: u(sigma) where tau is sigma, else the best existing member against tau."""
        if self.settings.target_mix == 0.0:
            return 0.0 if metagame.populations.symmetric else self._worth(metagame, player)
        return metagame.populations.of(player)[rank_members(metagame.table, player, tau)[0]]

    def _worth(self, metagame: MetaGame, player: int) -> float:
        """Returns what sigma earns `player`."""
        if self.bench.game.zero_sum:
            return (1 - 2 * player) * metagame.solution.value
        row, column = metagame.solution.sigma
        return float(row @ metagame.table.played[player] @ column)

    def _rival(self, metagame: MetaGame, player: int) -> Entry | None:
        """Returns the best existing member against sigma, None where it does not seem to earn more than sigma.

        A solution with a tolerance leaves members something to earn; so does a payoff that is known better by now.
        """
        sigma = metagame.solution.sigma[1 - player]
        best = rank_members(metagame.table, player, sigma)[0]
        payoffs = own_payoffs(metagame.table, player) @ sigma
        ahead = payoffs[best] - float(metagame.solution.sigma[player] @ payoffs)
        rounding = ROUNDING * (self.bench.game.max_return - self.bench.game.min_return)
        return metagame.populations.of(player)[best] if ahead > rounding else None

    def _decide(
        self, iteration: int, metagame: MetaGame, tau: NDArray[np.float64], finalist: Attempt | None
    ) -> tuple[Admission, Entry | None, MetaGame]:
        """Returns the verdict, the new member where there is one, and the state afterwards: steps 4 to 6."""
        populations = metagame.populations
        player = self.player_of(iteration, populations)
        if finalist is None:
            message = "no attempt could be played; see their reasons"
            return Admission(None, None, "failed", message), None, metagame
        incumbent = populations.of(player)[rank_members(metagame.table, player, tau)[0]]
        trial = Trial(
            source=finalist.source,
            player=player,
            sigma=(metagame.solution.sigma[player], metagame.solution.sigma[1 - player]),
            tau=tau if self.settings.target_mix > 0.0 else None,
            incumbent=incumbent,
            iteration=iteration,
            rival=self._rival(metagame, player),
        )
        decide = exact_admission if self.bench.exact else admit
        admission = decide(self.bench, populations, trial, self.settings.always_admit)
        if not admission.admitted:
            return admission, None, metagame
        inspection = self.bench.inspect(finalist.source)
        entry = Entry(inspection.hash, inspection.tree_hash, finalist.source, populations.unused_name(f"r{iteration}"))
        self.bench.monitor.stage("decide", "playing the new row")
        after = settle(self.bench, self.solver, populations.extended(player, entry), self.evaluator)
        return admission, entry, after
