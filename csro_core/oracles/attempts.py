"""Steps that oracles share: make one attempt, turn attempts into feedback, choose among finalists on fresh seeds."""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan

from csro_core.errors import ModelError
from csro_core.oracles.base import Attempt, Evaluation, Feedback, OracleContext, Task

HOPELESS = frozenset(
    {
        "needs-key", "wrong-key", "quota", "no-model", "bad-request", "unsupported-game", "not-recorded", "over-budget",
        "failing",
    }
)  # fmt: skip
"""Reasons for which the next call would fail too. Any other concerns one call: the attempt is lost, the search goes on,
and whoever books the calls stops it where too many are lost in a row."""


def make_attempt(
    context: OracleContext, index: int, task: Task = "propose", shown: Sequence[Attempt] = ()
) -> Attempt:
    """Asks the model once and screens what it wrote.

    Args:
        context: what the oracle works with.
        index: number of the attempt within the iteration.
        task: what is asked for.
        shown: earlier attempts that the model is told of, oldest first; the last one or the best one is the parent.

    Returns:
        The attempt, already recorded. A model without an answer gives an attempt with status "no-answer".

    Raises:
        ModelError: the model answers nothing at all (no key, no quota, a game it does not know).
    """
    parent = best(shown) or (shown[-1] if shown else None)
    feedback = tuple(as_feedback(attempt) for attempt in shown)
    request = replace(context.request, task=task, feedback=feedback, sample=context.sample(index))
    place = parent.index if parent is not None and task != "propose" else None
    try:
        completion = context.ask(request)
    except ModelError as error:
        if error.reason in HOPELESS:
            raise
        attempt = Attempt(index, "", "", task, place, Evaluation("no-answer", str(error)))
    else:
        problem = completion.problem
        screen = Evaluation("no-answer", problem) if problem else context.evaluate(completion.source, "screen")
        attempt = Attempt(index, completion.source, completion.idea, task, place, screen)
    context.record(attempt)
    return attempt


def as_feedback(attempt: Attempt) -> Feedback:
    """Returns what a model is told of an earlier attempt: scores per opponent with errors, or why it has none."""
    seen = attempt.screen
    return Feedback(attempt.source, seen.status, seen.message, seen.score, seen.per_opponent, seen.excerpt)


def lead(evaluation: Evaluation | None) -> float:
    """Returns the advantage of an evaluation, minus infinity where it has none: a failure is never a score.

    Nor is the NaN that comes out where every opponent forfeited.
    """
    if evaluation is None or evaluation.advantage is None or isnan(evaluation.advantage.mean):
        return float("-inf")
    return evaluation.advantage.mean


def best(attempts: Sequence[Attempt]) -> Attempt | None:
    """Returns the scored attempt with the largest advantage on the screening seeds, the earliest among equals."""
    return next(iter(ranked(attempts)), None)


def is_positive(evaluation: Evaluation) -> bool:
    """Returns True where the advantage is positive beyond one standard error: screens are short and noisy."""
    advantage = evaluation.advantage
    return advantage is not None and advantage.mean > 0 and not advantage.mean <= advantage.stderr


class Proving:
    """Sees to it that whoever leads has earned it: leaders go through a trial, and stay only if they still lead.

    The best of many short screens is mostly a lucky one. A search that varies the best so far would build on luck, so
    the best few are played for longer, until the best few are all proven; each attempt at most once. Where nobody is
    behind them there is nothing to prove.
    """

    def __init__(self, context: OracleContext, leaders: int) -> None:
        """Keeps its collaborators.

        Args:
            context: what the oracle works with.
            leaders: how many of the best have to be proven, >= 1.
        """
        self._context = context
        self._leaders = leaders
        self._proven: set[int] = set()

    def prove(self, attempts: list[Attempt]) -> list[Attempt]:
        """Replaces the screens of leaders by their trials, in place.

        Args:
            attempts: all attempts of the iteration, by index.

        Returns:
            The attempts that changed, already recorded.
        """
        changed: list[Attempt] = []
        while True:
            order = ranked(attempts)
            top = sorted(order[: self._leaders], key=lambda attempt: attempt.index)
            unproven = [attempt for attempt in top if attempt.index not in self._proven]
            if not unproven or len(order) <= self._leaders:
                return changed
            for attempt in unproven:
                self._proven.add(attempt.index)
                proven = replace(attempt, screen=self._context.evaluate(attempt.source, "trial"))
                attempts[attempt.index] = proven
                self._context.record(proven)
                changed.append(proven)


def ranked(attempts: Sequence[Attempt]) -> list[Attempt]:
    """Returns the scored attempts, the largest advantage first, the earlier first among equals."""
    scored = [attempt for attempt in attempts if attempt.screen.status == "scored"]
    return sorted(scored, key=lambda attempt: (-lead(attempt.screen), attempt.index))


def choose_finalist(context: OracleContext, attempts: Sequence[Attempt], finalists: int) -> Attempt | None:
    """Replays the best attempts on fresh seeds; only these decide between them.

    The best of many screens looks better than it is (with 40 candidates at 20 episodes by 0.43 standard deviations),
    so the screening score of the winner is never used again.

    Args:
        context: what the oracle works with.
        attempts: all attempts of the iteration.
        finalists: how many are replayed, >= 1; a single one needs no replay.

    Returns:
        The finalist, None where no attempt could be played.
    """
    shortlist = ranked(attempts)[:finalists]
    if len(shortlist) < 2:
        return shortlist[0] if shortlist else None
    replayed = [replace(attempt, final=context.evaluate(attempt.source, "final")) for attempt in shortlist]
    for attempt in replayed:
        context.record(attempt)
    played = [attempt for attempt in replayed if attempt.final is not None and attempt.final.status == "scored"]
    return max(played, key=lambda attempt: (lead(attempt.final), -attempt.index), default=None)


def merged(attempts: Sequence[Attempt], finalist: Attempt | None) -> tuple[Attempt, ...]:
    """Returns all attempts with the finalist's replay filled in."""
    return tuple(finalist if finalist is not None and finalist.index == a.index else a for a in attempts)
