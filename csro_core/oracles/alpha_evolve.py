"""AlphaEvolve: programs are varied by a model and selected by what they earn, on islands, in generations.

The oracle "AlphaEvolve" of arXiv 2603.10098 (fitness = expected utility against sigma, diverse subpopulations); what
the paper leaves open is chosen after FunSearch, ShinkaEvolve and the needs of noisy, signed payoffs.

The proposals of one generation see earlier generations only, may be in flight at once, and are evaluated and committed
in the order of their numbers. All randomness comes from an attempt's sample number. So a run repeats, whatever comes
back first. Failures have no score: they are repaired once, never selected.
"""

from collections.abc import Iterable, Iterator, Sequence

from csro_core.errors import ModelError
from csro_core.models.base import Completion, Request
from csro_core.oracles.alpha_evolve_plans import Plan, Planner
from csro_core.oracles.archive import Island, measured, order
from csro_core.oracles.attempts import HOPELESS, Proving, choose_finalist, lead, merged, ranked
from csro_core.oracles.base import Attempt, Evaluation, OracleContext, OracleResult
from csro_core.oracles.edits import apply_edits, has_blocks

FINALISTS = 3
LEADERS = 3
"""Attempts that are played for longer while they are the best: nothing is bred for long from a lucky screen."""

FEW, MANY = 16, 80
"""Budgets below which there is one island, and from which there are four; else two."""

FOUNDING_SHARE = 0.25
"""Share of the budget that founds the islands: proposals that vary no attempt."""

GENERATION = 4
"""Proposals of one generation after the founders."""

MIGRATION = 5
"""Attempts of an island after which its best member visits the next one."""

STAGNATION = 6
"""Measured attempts without a gain after which an island that does not lead is refilled."""

PATIENCE = 15
"""Measured attempts without a gain anywhere after which the search ends."""


class AlphaEvolve:
    """Islands of programs, varied by the model, selected by rank; the best few are replayed on fresh seeds."""

    name = "alpha-evolve"
    default_attempts = 40
    explanation = "Evolves programs on islands by rewrites, edits and crossover; ends early when nothing improves."

    def respond(self, context: OracleContext) -> OracleResult:
        """Evolves within `context.max_attempts` attempts.

        Returns:
            The winner of the replay as the finalist, and all attempts.
        """
        evolution = _Evolution(context)
        while evolution.goes_on:
            evolution.generation()
        finalist = choose_finalist(context, evolution.attempts, FINALISTS)
        return OracleResult(finalist, merged(evolution.attempts, finalist))


class _Evolution:
    """The state of one search."""

    def __init__(self, context: OracleContext) -> None:
        self.attempts: list[Attempt] = []
        self._context = context
        budget = context.max_attempts
        count = 1 if budget < FEW else 2 if budget < MANY else 4
        self._islands = [Island(number) for number in range(count)]
        self._founders = min(budget, max(count, round(FOUNDING_SHARE * budget)))
        self._planner = Planner(context, self._islands)
        self._proving = Proving(context, LEADERS)
        self._best = float("-inf")
        self._since_gain = 0

    @property
    def goes_on(self) -> bool:
        """False once the budget is spent, or the patience (unless all of it is to be spent)."""
        patient = self._context.refine_all or self._since_gain < PATIENCE
        return len(self.attempts) < self._context.max_attempts and patient

    def generation(self) -> None:
        """Makes the proposals of one generation, then evaluates and commits them in order."""
        first = len(self.attempts)
        wanted = GENERATION if first else self._founders
        numbers = range(first, min(first + wanted, self._context.max_attempts))
        known = tuple(self.attempts)
        plans = [self._planner.plan(number, known) for number in numbers]
        for plan, answer in zip(plans, _ask(self._context, [plan.request for plan in plans]), strict=True):
            self._commit(plan, self._attempt(plan, answer))
        for proven in self._proving.prove(self.attempts):
            for island in self._islands:
                island.renew(proven)
        self._count(self.attempts[first:])
        self._refill()

    def _attempt(self, plan: Plan, answer: Completion | ModelError) -> Attempt:
        """Returns the attempt that an answer makes; only a new text is played.

        Raises:
            ModelError: the model answers nothing at all.
        """
        source, idea = "", ""
        if isinstance(answer, ModelError):
            if answer.reason in HOPELESS:
                raise answer
            screen = Evaluation("no-answer", str(answer))
        else:
            source, problem = _text(plan, answer)
            idea = answer.idea
            twin = next((attempt.index for attempt in self.attempts if attempt.source == source), None)
            if problem:
                screen = Evaluation("no-answer", problem)
            elif twin is not None:
                screen = Evaluation("duplicate", f"the same text as attempt {twin + 1}")
            else:
                screen = self._context.evaluate(source, "screen")
        return Attempt(
            plan.index, source, idea, plan.request.task, plan.parent.index if plan.parent else None, screen,
            mate=plan.mate.index if plan.mate else None, island=plan.island.number,
        )  # fmt: skip

    def _commit(self, plan: Plan, attempt: Attempt) -> None:
        self.attempts.append(attempt)
        self._context.record(attempt)
        plan.island.take(attempt)
        self._planner.note(plan, attempt)
        if len(self._islands) > 1 and plan.island.written % MIGRATION == 0:
            traveller = plan.island.emigrant()
            if traveller is not None:
                self._islands[(plan.island.number + 1) % len(self._islands)].receive(traveller)

    def _count(self, generation: Sequence[Attempt]) -> None:
        """Counts measured attempts since the best one, which is proven, improved."""
        for leader in ranked(self.attempts)[:1]:
            improved = lead(leader.screen) > self._best
            later = [one for one in generation if measured(one) and (not improved or one.index > leader.index)]
            self._since_gain = len(later) + (0 if improved else self._since_gain)
            self._best = max(self._best, lead(leader.screen))

    def _refill(self) -> None:
        """Empties islands that stagnate and do not lead, and founds them anew with the best attempt elsewhere."""
        for island in self._islands:
            others = [other.best for other in self._islands if other is not island and other.best is not None]
            leader = min(others, key=order, default=None)
            own = island.best
            if leader is None or own is None or island.since_gain < STAGNATION:
                continue
            if order(leader) < order(own):
                island.restart(leader)


def _ask(context: OracleContext, requests: Sequence[Request]) -> Iterable[Completion | ModelError]:
    """Returns one answer a request, in order; asked one by one as they are taken, unless the context knows better."""
    if context.ask_many is not None:
        return context.ask_many(requests)
    return _one_by_one(context, requests)


def _one_by_one(context: OracleContext, requests: Sequence[Request]) -> Iterator[Completion | ModelError]:
    for request in requests:
        try:
            answer: Completion | ModelError = context.ask(request)
        except ModelError as error:
            answer = error
        yield answer


def _text(plan: Plan, answer: Completion) -> tuple[str, str]:
    """Returns the program of an answer and "", or "" and why there is none; a missed edit is no program."""
    if plan.request.task == "edit" and plan.parent is not None and has_blocks(answer.answer):
        edited = apply_edits(plan.parent.source, answer.answer)
        return edited.source, edited.problem
    if answer.problem or not answer.source.strip():
        return "", answer.problem or "the answer held no program"
    return answer.source, ""
