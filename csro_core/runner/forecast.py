"""What a run will cost, before it is started: attempts x iterations x typical tokens x price."""

from dataclasses import dataclass

from csro_core.errors import UsageError
from csro_core.games import make_game
from csro_core.models.prices import prices_date
from csro_core.oracles import make_oracle
from csro_core.oracles.context import MAX_OPPONENTS, most_shown
from csro_core.policies.library import default_initial
from csro_core.runner.rates import rate_of
from csro_core.store import Store
from csro_core.store.calls import typical_tokens
from csro_core.store.records import Caps, RunSettings

TYPICAL_SENT = 4_000
TYPICAL_WRITTEN = 3_000
"""Tokens of a call that are reckoned with where the store holds no answer of the model: rules, five opponents' programs
and feedback; a program of 100 lines and the thoughts behind it."""


@dataclass(frozen=True)
class Outlook:
    """What a run costs at most, by what is typical.

    Attributes:
        calls: model calls.
        sent: prompt tokens.
        written: answer tokens, thoughts included.
        usd: US dollars; 0.0 where the model is free, None where its price is not known.
        measured: True where the tokens are the mean of earlier answers of the model.
    """

    calls: int
    sent: float
    written: float
    usd: float | None
    measured: bool

    @property
    def sentence(self) -> str:
        """The outlook in words."""
        if self.usd == 0.0:
            return f"At most {self.calls:,} model calls, free of charge."
        basis = "as earlier calls here" if self.measured else "if calls are of the usual length"
        tokens = f"about {_rounded(self.sent + self.written)} tokens {basis}"
        price = "unpriced: nobody knows what that costs"
        if self.usd is not None:
            price = f"about {self.usd:,.2f} US dollars at the prices of {prices_date()}"
        return f"At most {self.calls:,} model calls, {tokens}; {price}."


def outlook(store: Store, settings: RunSettings, iterations: int) -> Outlook:
    """Returns what a run with these settings costs at most.

    Args:
        store: may hold earlier calls of the model.
        settings: of the run.
        iterations: how many.

    Raises:
        UsageError: the oracle or the game is unknown.
    """
    calls = iterations * (settings.attempts or make_oracle(settings.oracle).default_attempts)
    calls += most_summaries(settings, iterations) if settings.context == "summary" else 0
    known = typical_tokens(store.connections, settings.model)
    sent, written = known or (TYPICAL_SENT, TYPICAL_WRITTEN)
    rate = rate_of(settings.model)
    each = rate(round(sent), round(written))
    return Outlook(calls, calls * sent, calls * written, None if each is None else calls * each, known is not None)


def most_summaries(settings: RunSettings, iterations: int) -> int:
    """Returns how many policies a run has described by its model: each once, since the answer is kept.

    Every initial policy of both players may be met, and every one that an iteration adds but the last; no more than
    requests show.

    Args:
        settings: of the run.
        iterations: how many.

    Raises:
        UsageError: the game, or its choice of opponents, is unknown.
    """
    players = 1 if make_game(settings.game).symmetric else 2
    initial = len(settings.initial or default_initial(settings.game.name))
    met = min(iterations, players) * initial + max(0, iterations - 1)
    shown = iterations * (most_shown(settings.opponents) or MAX_OPPONENTS)
    return min(met, shown)


def checked_for(model: str, caps: Caps) -> Caps:
    """Returns the caps of a run.

    Raises:
        UsageError: money is the only cap, and the price of the model is not known.
    """
    others = (caps.calls, caps.tokens, caps.seconds)
    if caps.usd is not None and rate_of(model)(1, 1) is None and all(most is None for most in others):
        raise UsageError(
            f"--max-usd needs a model with a known price, and {model!r} is unpriced: give --max-calls, --max-tokens or "
            f"--max-seconds as well"
        )
    return caps


def _rounded(tokens: float) -> str:
    return f"{tokens / 1e6:,.1f} million" if tokens >= 1e6 else f"{round(tokens, -3):,.0f}"
