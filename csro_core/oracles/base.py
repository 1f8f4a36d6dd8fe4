"""The seam `Oracle`: looks for a best response to a weighted set of opponents, through two callables only.

An oracle imports neither sandbox nor store: it asks a model for texts (`ask`) and has them played (`evaluate`), so
it is tested with a dictionary of canned payoffs. The loop, not the oracle, admits.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from csro_core.errors import ModelError
from csro_core.estimates import Estimate
from csro_core.models.base import (
    AskModel,
    Completion,
    Feedback,
    OpponentScore,
    OpponentView,
    ParentView,
    Request,
    Task,
)

Stage: TypeAlias = Literal["screen", "trial", "final"]
"""The cascade of a text that passed the checks: "screen", a few episodes of the screening game; "trial", the same
episodes and many more, for a text that leads; "final", the game itself on fresh seeds, for the last few."""

AttemptStatus: TypeAlias = Literal["scored", "duplicate", "refused", "failed", "no-answer"]


@dataclass(frozen=True)
class Evaluation:
    """What a text earned against the request's opponents, weighted by tau (clean payoffs).

    Attributes:
        status: "scored"; "duplicate" (text, tree or every move of a meeting equals an earlier one's: not played);
            "refused" (static check), "failed" (exception, illegal action, timeout, …).
        message: why there is no score, with the line; where there is one, whom the text nearly equals and where it
            differs, mostly "".
        line: the line concerned, where known.
        score: payoff against tau, only where status is "scored". For the screening stage in the screening game's unit.
        advantage: score minus what has to be beaten, paired by episode: u(sigma) where tau is sigma, else the
            payoff of the best existing member against tau. Positive means an improvement.
        per_opponent: the score by opponent.
        excerpt: moves of a median episode against the worst opponent; "" where none were kept.
    """

    status: AttemptStatus
    message: str = ""
    line: int | None = None
    score: Estimate | None = None
    advantage: Estimate | None = None
    per_opponent: tuple[OpponentScore, ...] = ()
    excerpt: str = ""


AskMany: TypeAlias = Callable[[Sequence[Request]], Iterable[Completion | ModelError]]
"""Yields one answer a request, in their order; an error that concerns one request is yielded in its place."""

Evaluate: TypeAlias = Callable[[str, Stage], Evaluation]
"""evaluate(text, stage): plays a text against the opponents, on the seeds of that stage (shared by all attempts)."""


@dataclass(frozen=True)
class Attempt:
    """One text that an oracle asked for.

    Attributes:
        index: 0, 1, … within the iteration.
        source: the text, "" where the model gave none.
        idea: the model's sentence about it.
        operator: what was asked for (`Request.task`).
        parent: index of the attempt it was refined from, or None.
        screen: outcome of the screening stage.
        final: outcome of the replay on fresh seeds, where it was a finalist.
        mate: index of the second parent of a crossover, or None.
        island: number of the island it was written for, or None where the oracle has none.
    """

    index: int
    source: str
    idea: str
    operator: Task
    parent: int | None
    screen: Evaluation
    final: Evaluation | None = None
    mate: int | None = None
    island: int | None = None


@dataclass(frozen=True)
class OracleResult:
    """All attempts in order, and the finalist that the loop shall test on fresh seeds (None: nothing playable)."""

    finalist: Attempt | None
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True)
class OracleContext:
    """What an oracle works with.

    Attributes:
        request: opponents, parents, rules; `feedback` and `sample` are filled in per attempt.
        ask: asks the model (books the call).
        evaluate: plays a text.
        sample: attempt index → sample number.
        record: called with each attempt as soon as it is known (and again when its final is known).
        max_attempts: budget of texts, >= 1.
        refine_all: spend all attempts even when the payoff is positive (linear-refinement) or nothing improves any
            more (alpha-evolve).
        ask_many: asks several requests that do not depend on each other, all in flight at once; None: one by one.
        best_response: writes the exact best response to tau; raises `UsageError` where the game does not allow it.
    """

    request: Request
    ask: AskModel
    evaluate: Evaluate
    sample: Callable[[int], int]
    record: Callable[[Attempt], None]
    max_attempts: int
    refine_all: bool = False
    ask_many: AskMany | None = None
    best_response: Callable[[], str] | None = None


class Oracle(Protocol):
    """Looks for a best response."""

    @property
    def name(self) -> str:
        """The name on the command line."""
        ...

    @property
    def default_attempts(self) -> int:
        """The budget of attempts when none is given."""
        ...

    @property
    def explanation(self) -> str:
        """One sentence for the form: what it does and what it costs."""
        ...

    def respond(self, context: OracleContext) -> OracleResult:
        """Makes attempts and picks at most one finalist.

        Raises:
            ModelError: the model gives no answers at all (no key, no quota).
            Cancelled: stopped on request.
        """
        ...


__all__ = [
    "AskMany", "AskModel", "Attempt", "AttemptStatus", "Estimate", "Evaluate", "Evaluation", "Feedback",
    "OpponentScore", "OpponentView", "Oracle", "OracleContext", "OracleResult", "ParentView", "Request", "Stage",
    "Task",
]
