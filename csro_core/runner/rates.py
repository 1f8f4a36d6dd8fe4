"""What tokens of a model cost, by its name on the command line."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

from csro_core.models.chat import Usage
from csro_core.models.prices import cost, price_of

Rate: TypeAlias = Callable[[int, int], float | None]
"""(tokens sent, tokens written, thoughts included) → US dollars, None where the price is not known."""


def rate_of(model: str) -> Rate:
    """Returns what tokens of a model cost today, none of them cached.

    Args:
        model: its name.

    Raises:
        UsageError: the name has no known form.
    """
    price = price_of(model, datetime.now(UTC).date())
    return lambda sent, written: cost(Usage(prompt=sent, output=written), price)
