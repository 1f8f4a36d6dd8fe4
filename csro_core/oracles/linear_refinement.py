"""Linear refinement: one chain of attempts, each shown what the best so far earned and against whom.

After arXiv 2603.10098, oracle "LinearRefinement": while the payoff against sigma is not positive, up to M = 10
refinement steps, keep the best. Here "positive" means beyond one standard error, since payoffs are noisy, and with a
target other than sigma "payoff" means the advantage over the best existing member. The best so far is what the chain
hangs on, so whatever seems to be the best is played for longer before it counts as that.
"""

from csro_core.oracles.attempts import Proving, best, choose_finalist, is_positive, make_attempt, merged
from csro_core.oracles.base import Attempt, OracleContext, OracleResult, Task

FINALISTS = 3
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
            The best of the three best attempts on fresh seeds as the finalist, and all attempts.
        """
        proving = Proving(context, leaders=1)
        attempts = [make_attempt(context, 0)]
        proving.prove(attempts)
        while len(attempts) < context.max_attempts:
            if is_positive(attempts[-1].screen) and not context.refine_all:
                break
            attempts.append(make_attempt(context, len(attempts), _task(attempts), _shown(attempts)))
            proving.prove(attempts)
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
