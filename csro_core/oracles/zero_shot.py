"""Zero-shot: one request, one attempt, no feedback (arXiv 2603.10098, oracle "ZeroShot")."""

from csro_core.oracles.attempts import make_attempt
from csro_core.oracles.base import OracleContext, OracleResult


class ZeroShot:
    """Asks once and takes what comes."""

    name = "zero-shot"
    default_attempts = 1
    explanation = "One attempt, no feedback: the cheapest, and the model's first idea as it is."

    def respond(self, context: OracleContext) -> OracleResult:
        """Makes one attempt.

        Returns:
            The attempt, as the finalist where it could be played.
        """
        attempt = make_attempt(context, 0)
        return OracleResult(attempt if attempt.screen.status == "scored" else None, (attempt,))
