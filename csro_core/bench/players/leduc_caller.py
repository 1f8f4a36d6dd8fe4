"""A trivial policy for repeated Leduc poker."""

from typing import Any


class Policy:
    """Calls or checks, always."""

    WORK = 0

    def act(self, obs: dict[str, Any]) -> int:
        """Returns the next action."""
        return 1
