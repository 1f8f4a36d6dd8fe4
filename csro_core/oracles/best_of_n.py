"""Best of n: K independent attempts, a screen for each, the best few replayed on fresh seeds."""

from csro_core.oracles.attempts import choose_finalist, make_attempt, merged
from csro_core.oracles.base import OracleContext, OracleResult

FINALISTS = 3


class BestOfN:
    """The baseline that any refinement has to beat at equal calls."""

    name = "best-of-n"
    default_attempts = 10
    explanation = "K independent attempts; the three best are replayed on fresh seeds and one goes on."

    def respond(self, context: OracleContext) -> OracleResult:
        """Makes `context.max_attempts` attempts without feedback.

        Returns:
            The winner of the replay as the finalist, and all attempts.
        """
        attempts = tuple(make_attempt(context, index) for index in range(context.max_attempts))
        finalist = choose_finalist(context, attempts, FINALISTS)
        return OracleResult(finalist, merged(attempts, finalist))
