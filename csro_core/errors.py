"""The errors of the core. A message states the condition that must hold, the values got, and what to do."""


class CsroError(Exception):
    """Root of all errors that the core raises on purpose. The command line prints it as one line."""


class UsageError(CsroError):
    """The caller asked for something that cannot be: an unknown name, a number out of range, a bad file.

    The command line exits with 2.
    """


class NotFoundError(UsageError):
    """A run, a policy or a request with the given identity is not in the store."""


class StoreError(CsroError):
    """The store cannot be opened, read or written (newer version, read-only, full disk)."""


class LeaseError(CsroError):
    """Another process holds the lease of the run, or this process has lost it."""


class IsolationError(CsroError):
    """Full isolation was required (``CSRO_ISOLATION=require``) and this system cannot give it."""


class ModelError(CsroError):
    """A model gave no answer.

    Attributes:
        reason: a short machine-readable name. Of one answer: "empty", "blocked", "truncated"; "stopped" where nobody
            waited any more and it was not asked for again. Of the model as a whole:
            "needs-key", "wrong-key", "quota" (for the day), "no-model", "unsupported-game" (the synthesiser has no
            grammar for it), "not-recorded", "over-budget", "failing" (too many in a row). Of the way to it, after all
            retries: "rate", "timeout", "network", "server", "bad-response", "bad-request".
        tokens_in: prompt tokens that were billed all the same.
        tokens_out: answer tokens that were billed all the same, thoughts included.
        answer: what there was of an answer, "" for none.
        tokens_thinking: those of `tokens_out` that were thoughts.
    """

    def __init__(
        self, reason: str, message: str, tokens_in: int = 0, tokens_out: int = 0, answer: str = "",
        tokens_thinking: int = 0,
    ) -> None:  # fmt: skip
        """Keeps the reason beside the message."""
        super().__init__(message)
        self.reason = reason
        self.tokens_in = tokens_in
        self.tokens_out = tokens_out
        self.answer = answer
        self.tokens_thinking = tokens_thinking


class Cancelled(CsroError):
    """The work was stopped on request; nothing of it counts."""
