"""Checks of game parameters, so that every game refuses a mistake in the same words."""

from collections.abc import Mapping
from typing import Any

from csro_core.errors import UsageError


def reject_unknown(game: str, given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Refuses a parameter that the game does not have.

    Args:
        game: name of the game, for the message.
        given: the parameters.
        known: the names that the game has.

    Raises:
        UsageError: there is a parameter outside `known`.
    """
    for name in given:
        if name not in known:
            raise UsageError(f"game {game} has no parameter {name!r}; it has: {', '.join(known)}")


def whole_number(name: str, value: Any, low: int, high: int) -> int:
    """Returns a parameter that must be a whole number from `low` to `high`.

    Raises:
        UsageError: it is something else.
    """
    if type(value) is not int or not low <= value <= high:
        raise UsageError(f"{name} must be a whole number from {low:,} to {high:,}, got {value!r}")
    return value
