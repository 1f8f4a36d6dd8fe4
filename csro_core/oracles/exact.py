"""Exact: the best response itself, computed from tables of all opponents, for games small enough: the yardstick."""

from csro_core.errors import UsageError
from csro_core.oracles.base import Attempt, OracleContext, OracleResult


class Exact:
    """Makes one attempt that nothing can beat against tau."""

    name = "exact"
    default_attempts = 1
    explanation = (
        "The exact best response, for small zero-sum games such as kuhn_poker or leduc_poker: asks no model and costs "
        "nothing; the yardstick for every other oracle."
    )

    def respond(self, context: OracleContext) -> OracleResult:
        """Computes the response and plays it.

        Returns:
            It, as the finalist where it could be played.

        Raises:
            UsageError: the game is too large or not zero-sum.
            CsroError: an opponent cannot be tabulated.
        """
        if context.best_response is None:
            raise UsageError("the oracle exact needs a loop that can compute best responses; choose another oracle")
        source = context.best_response()
        # As a finalist: one that looks like a member on the probe histories may still be better.
        screen = context.evaluate(source, "final")
        attempt = Attempt(0, source, "the exact best response to the target", "propose", None, screen)
        context.record(attempt)
        return OracleResult(attempt if screen.status == "scored" else None, (attempt,))
