"""A run, opened for work by the holder of its lease: rows in, the loop over them, rows out."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from csro_core.csro import (
    DEEPEST,
    Loop,
    LoopSettings,
    MetaGame,
    Outcome,
    core,
    deeper,
    settle,
    sharpened,
)  # fmt: skip
from csro_core.errors import CsroError, UsageError
from csro_core.evaluation.bench import Bench
from csro_core.evaluation.exact_play import require_exact_game
from csro_core.games import make_game
from csro_core.matches.jobs import MatchExecutor
from csro_core.meta_solvers import make_meta_solver
from csro_core.metagame.payoffs import build_table
from csro_core.metagame.population import Entry, Populations
from csro_core.oracles import make_oracle
from csro_core.oracles.base import Attempt
from csro_core.oracles.exact import Exact
from csro_core.policies.library import default_initial, reference_text
from csro_core.policies.source import Inspection, sha256
from csro_core.runner.keys import NO_KEY, Credentials
from csro_core.runner.solutions import DEEPEN, Occasion, SolutionRows, evaluated, played_beyond, solved
from csro_core.runner.watch import Watch
from csro_core.runner.writer import Writer
from csro_core.store import Lease, Store
from csro_core.store.defaults import meta_solver_for
from csro_core.store.records import (
    AttemptRecord,
    Caps,
    IterationRecord,
    Member,
    PolicyText,
    SolutionRecord,
)  # fmt: skip


@dataclass(frozen=True)
class Extension:
    """A meta-game with one more policy, before anything of it is written.

    Attributes:
        metagame: the state with it.
        member: the new policy's row.
        solution: the row of the new solution.
    """

    metagame: MetaGame
    member: Member
    solution: SolutionRecord


@dataclass(frozen=True)
class Cost:
    """What an iteration took: wall seconds, and episodes of all its matches."""

    seconds: float
    episodes: int


class Session:
    """Work on one run.

    Attributes:
        lease: the right to write; every write goes through it.
        iteration: iterations finished.
        metagame: the settled state; only after `open`.
        bench: what the run plays with.
    """

    def __init__(
        self, store: Store, lease: Lease, executor: MatchExecutor, watch: Watch, credentials: Credentials = NO_KEY
    ) -> None:
        """Reads the run's settings and makes its collaborators; plays nothing yet.

        Raises:
            UsageError: a name in the settings is unknown here.
        """
        record = store.run(lease.run)
        self.lease = lease
        self.run = record.id
        self.settings = record.settings
        self.iteration = record.iteration
        self._store = store
        self._watch = watch
        game = make_game(self.settings.game)
        if self.settings.oracle == Exact.name:
            require_exact_game(game.spec)
        secret = store.secret(self.run)
        lease.keep_secret(secret)
        self.bench = Bench(
            game, executor, lease.cells, secret, self.settings.episodes, watch, make_game,
            exact=self.settings.oracle == Exact.name,
        )  # fmt: skip
        self.solver = make_meta_solver(meta_solver_for(game, self.settings.meta_solver))
        wanted = meta_solver_for(game, self.settings.eval_solver or self.settings.meta_solver)
        self.evaluator = None if wanted == self.solver.name else make_meta_solver(wanted)
        self._rows = SolutionRows(self.bench, self.solver, self.settings, self.evaluator)
        self._oracle = make_oracle(self.settings.oracle)
        self._writer = Writer(store, lease, (self.settings, secret.outward), watch, credentials)
        self._metagame: MetaGame | None = None

    @property
    def metagame(self) -> MetaGame:
        """The settled meta-game.

        Raises:
            CsroError: `open` was not called.
        """
        if self._metagame is None:
            raise CsroError("the run must be open before its meta-game is used")
        return self._metagame

    def open(self) -> None:
        """Seeds the populations where they are empty, plays what is missing, and solves. Idempotent."""
        if self._metagame is not None:
            return
        self._watch.begin(self.iteration + 1, 0)
        self._watch.stage("solve", "playing the initial population")
        members = self._store.members(self.run) or self._seed()
        solutions = self._store.solutions(self.run)
        populations = _populations(self.bench.game.symmetric, members)
        if solutions and solutions[-1].sizes == populations.sizes:
            # Not solved again: cells may have got further episodes since, and the next iteration is recorded as
            # trained against this solution.
            self.bench.fill(populations)
            table = build_table(populations, self.bench.cells, self.bench.game.zero_sum)
            solution = solved(solutions[-1])
            self._metagame = MetaGame(populations, table, solution, evaluated(solutions[-1]) or solution)
            return
        metagame = settle(self.bench, self.solver, populations, self.evaluator)
        cause = "edit" if solutions else "iteration"
        self.lease.add_solution(self._rows.row(metagame, Occasion(len(solutions), self.iteration, cause)))
        self._metagame = metagame

    @property
    def store(self) -> Store:
        """Where the rows of the run are read."""
        return self._store

    @property
    def lacks_key(self) -> bool:
        """True where the model needs a key and nobody has given one."""
        return self._writer.lacks_key

    def change_caps(self, caps: Caps) -> None:
        """Changes what the run may spend from now on."""
        self._writer.change_caps(caps)

    def forget(self) -> None:
        """Drops the state in memory after a failure: the next `open` reads what the store holds."""
        self._metagame = None
        self.iteration = self._store.run(self.run).iteration

    def iterate(self) -> None:
        """Runs and commits one iteration.

        Raises:
            Cancelled: stopped; nothing of the iteration counts.
            CsroError: it failed.
        """
        self._sharpen()
        self.refine()
        deepened = played_beyond(self._store.solutions(self.run), self.iteration)
        iteration = self.iteration + 1
        # An earlier try of this iteration, stopped half-way, may have made more attempts than this one will.
        self.lease.discard_unfinished()
        budget = self.settings.attempts or self._oracle.default_attempts
        solution = self._store.solutions(self.run)[-1]
        ask = self._writer.book(iteration, budget)
        loop = Loop(
            bench=self.bench,
            solver=self.solver,
            evaluator=self.evaluator,
            oracle=self._oracle,
            ask=ask,
            ask_many=ask.many,
            record=lambda attempt: self._record(iteration, attempt),
            settings=LoopSettings(
                target_mix=self.settings.target_mix,
                always_admit=self.settings.admit == "always",
                attempts=self.settings.attempts,
                refine_all=self.settings.refine_all,
                context=self.settings.context,
                shown=self.settings.opponents,
            ),
        )
        self._watch.begin(iteration, loop.player_of(iteration, self.metagame.populations))
        began, met = time.monotonic(), self.bench.met
        with self._writer.iteration():
            outcome = loop.step(iteration, self.metagame)
        row = self._row_episodes(outcome) if outcome.entry is not None else 0
        cost = Cost(time.monotonic() - began, self.bench.met - met + row + deepened)
        self._commit(iteration, solution, outcome, cost)

    def extension(self, text: str, player: int, parent: str, name: str) -> Extension:
        """Plays and solves the meta-game with a hand-written policy: always admitted, marked human.

        Args:
            text: the policy, already inspected and accepted.
            player: whose population.
            parent: hash of the text it came from, "".
            name: a name for people; made unique.

        Returns:
            The state with it, and the rows that the caller has to write in one transaction; then `adopt`.
        """
        inspection = self.bench.inspect(text)
        populations = self.metagame.populations
        entry = Entry(inspection.hash, inspection.tree_hash, text, populations.unused_name(name))
        metagame = settle(self.bench, self.solver, populations.extended(player, entry), self.evaluator)
        member = Member(
            player=player, index=len(populations.of(player)), policy=_policy_text(text, inspection), name=entry.name,
            origin="human", parent=parent, iteration=self.iteration,
        )  # fmt: skip
        occasion = Occasion(len(self._store.solutions(self.run)), self.iteration, "edit")
        solution = self._rows.row(metagame, occasion)
        return Extension(metagame, member, solution)

    def adopt(self, metagame: MetaGame) -> None:
        """Goes on from a state whose rows are written."""
        self._metagame = metagame

    def put_text(self, text: str) -> Inspection:
        """Returns what an inspection finds about a text, after storing both."""
        inspection = self.bench.inspect(text)
        self.lease.put_policy(_policy_text(text, inspection))
        return inspection

    def _seed(self) -> list[Member]:
        names = self.settings.initial or tuple(f"reference:{n}" for n in default_initial(self.settings.game.name))
        populations = _populations(self.bench.game.symmetric, ())
        members = []
        for player in range(len(populations.lists)):
            for index, name in enumerate(names):
                text, short = self._initial_text(name)
                inspection = self.bench.inspect(text)
                if not inspection.ok:
                    problem = inspection.problems[0]
                    raise UsageError(
                        f"an initial policy must pass the check; {name}: line {problem.line}: {problem.message}"
                    )
                entry = Entry(inspection.hash, inspection.tree_hash, text, populations.unused_name(short))
                populations = populations.extended(player, entry)
                members.append(
                    Member(player, index, _policy_text(text, inspection), entry.name, "seed", parent="", iteration=0)
                )
        with self.lease.atomically():
            for member in members:
                self.lease.add_member(member)
        return members

    def _initial_text(self, name: str) -> tuple[str, str]:
        kind, _, rest = name.partition(":")
        if kind == "policy":
            policy_hash, _, named = rest.partition(":")
            return self._store.policy(policy_hash).source, named or policy_hash[:8]
        return reference_text(rest or kind), rest or kind

    def _record(self, iteration: int, attempt: Attempt, verdict: str = "") -> None:
        inspection = None
        if attempt.source:
            inspection = self.put_text(attempt.source)
        latest = attempt.final or attempt.screen
        self.lease.put_attempt(
            AttemptRecord(
                iteration=iteration, index=attempt.index, policy=inspection.hash if inspection else "",
                operator=attempt.operator, idea=attempt.idea, parent=attempt.parent, status=attempt.screen.status,
                message=latest.message, line=latest.line, screen=attempt.screen.score,
                final=attempt.final.score if attempt.final else None,
                per_opponent=tuple(
                    {"opponent": score.opponent, "mean": score.payoff.mean, "stderr": score.payoff.stderr,
                     "episodes": score.payoff.episodes}
                    for score in latest.per_opponent
                ),
                lines=inspection.lines if inspection else 0, verdict=verdict, mate=attempt.mate,
                island=attempt.island,
            )
        )  # fmt: skip

    def refine(self) -> None:
        """Plays the rounds of further episodes that solutions plan; each is solved and written before the next one.

        A plan stands in the row of its solution before it is played, so after a crash the same is played again.
        """
        while (plan := self._rows.plan(last := self._store.solutions(self.run)[-1])) is not None:
            self._watch.begin(self.iteration + 1, 0)
            self._watch.stage("solve", f"more episodes where they move sigma, round {plan.number}")
            metagame = self._rows.play(self.metagame, plan)
            occasion = Occasion(last.number + 1, self.iteration, "episodes", plan.number + 1, plan.episodes)
            self.lease.add_solution(self._rows.row(metagame, occasion))
            self._metagame = metagame

    def _sharpen(self) -> None:
        """Plays what the last decision asked for, so that sigma is known better.

        At the start of the next iteration, since what is played here is done again after a crash and comes to the same.
        """
        last = self._store.solutions(self.run)[-1]
        wanted = last.extra.get(DEEPEN, 0)
        if type(wanted) is not int or wanted % 2 or not 0 < wanted <= DEEPEST * self.bench.episodes:
            return  # nothing is wanted, or a stranger's file says so
        self._watch.begin(self.iteration + 1, 0)
        self._watch.stage("solve", "more episodes where sigma rests on noise")
        first, second = core(self.metagame)
        metagame = sharpened(self.bench, self.solver, self.metagame, wanted, self.evaluator)
        played = len(first) * len(second) * wanted // 2
        occasion = Occasion(last.number + 1, self.iteration, "episodes", played=played)
        self.lease.add_solution(self._rows.row(metagame, occasion))
        self._metagame = metagame

    def _row_episodes(self, outcome: Outcome) -> int:
        """Returns the episodes of a new row; counted as all played, since some may have been before a crash."""
        populations = outcome.metagame.populations
        against = len(populations.against(outcome.player)) - (1 if populations.symmetric else 0)
        return against * self.bench.episodes

    def _commit(self, iteration: int, before: SolutionRecord, outcome: Outcome, cost: Cost) -> None:
        admission = outcome.admission
        if outcome.finalist is not None:
            self._record(iteration, outcome.finalist, admission.verdict)
        members = [] if outcome.entry is None else [self._member(iteration, outcome.entry, outcome)]
        record = IterationRecord(
            iteration=iteration, player=outcome.player, solution=before.number, sigma=before.sigma,
            tau=tuple(float(share) for share in outcome.tau), gain=admission.gain, lift=admission.lift,
            verdict=admission.verdict, message=admission.message,
            finalist=sha256(outcome.finalist.source) if outcome.finalist else "",
            attempts=len(outcome.attempts), seconds=cost.seconds, episodes=cost.episodes,
        )  # fmt: skip
        deepen = deeper(self.bench, outcome.metagame) if outcome.admission.rivalled else 0
        occasion = Occasion(before.number + 1, iteration, "iteration", deepen=deepen)
        solution = self._rows.row(outcome.metagame, occasion)
        self.lease.commit_iteration(record, members, solution)
        self._metagame, self.iteration = outcome.metagame, iteration

    def _member(self, iteration: int, entry: Entry, outcome: Outcome) -> Member:
        policy = _policy_text(entry.source, self.bench.inspect(entry.source))
        index = len(self.metagame.populations.of(outcome.player))
        return Member(outcome.player, index, policy, entry.name, "oracle", self._parent(outcome), iteration)

    @staticmethod
    def _parent(outcome: Outcome) -> str:
        """Returns the hash of the text that the finalist was refined from, "" where there is none."""
        finalist = outcome.finalist
        if finalist is None or finalist.parent is None:
            return ""
        return sha256(outcome.attempts[finalist.parent].source)


def _policy_text(text: str, inspection: Inspection) -> PolicyText:
    return PolicyText(inspection.hash, inspection.tree_hash, text, inspection.docstring, inspection.lines)


def _populations(symmetric: bool, members: Sequence[Member]) -> Populations:
    lists = tuple(
        tuple(
            Entry(member.policy.hash, member.policy.tree_hash, member.policy.source, member.name)
            for member in members
            if member.player == player
        )
        for player in range(1 if symmetric else 2)
    )
    return Populations(symmetric, lists)

