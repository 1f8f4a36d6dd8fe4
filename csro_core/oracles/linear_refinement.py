"""Linear refinement: one chain of attempts, each shown what the best so far earned and against whom.

After arXiv 2603.10098, oracle "LinearRefinement": while the payoff against sigma is not positive, up to M = 10
refinement steps, keep the best. Here "positive" means beyond one standard error, since screens are noisy, and with a
target other than sigma "payoff" means the advantage over the best existing member.
"""

from csro_core.oracles.attempts import best, choose_finalist, is_positive, make_attempt, merged
from csro_core.oracles.base import Attempt, OracleContext, OracleResult, Task

FINALISTS = 2
SHOWN = 3
"""Attempts a request looks back on: the best and the latest ones."""


class LinearRefinement:
    """A hill climb with words: propose, play, feed back, keep the best."""

    name = "linear-refinement"
    default_attempts = 11
    explanation = "Propose, play, feed the scores back, up to 10 refinements while the payoff is not positive."

    def respond(self, context: OracleContext) -> OracleResult:
        """Runs the chain.

        Returns:
            The better of the two best attempts on fresh seeds as the finalist, and all attempts.
        """
        attempts = [make_attempt(context, 0)]
        while len(attempts) < context.max_attempts:
            if is_positive(attempts[-1].screen) and not context.refine_all:
                break
            attempts.append(make_attempt(context, len(attempts), _task(attempts), _shown(attempts)))
        finalist = choose_finalist(context, attempts, FINALISTS)
        return OracleResult(finalist, merged(attempts, finalist))


def _task(attempts: list[Attempt]) -> Task:
    """Returns what to ask next: a text that did not run is repaired once, then the best is refined again."""
    last = attempts[-1]
    if last.screen.status in ("refused", "failed") and last.operator != "repair":
        return "repair"
    return "refine" if best(attempts) is not None else "propose"


def _shown(attempts: list[Attempt]) -> list[Attempt]:
    """Returns the best attempt and the latest ones, oldest first."""
    keep = {attempt.index for attempt in attempts[-SHOWN:]}
    top = best(attempts)
    if top is not None:
        keep.add(top.index)
    return [attempt for attempt in attempts if attempt.index in keep]
