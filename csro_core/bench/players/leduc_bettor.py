"""A trivial policy for repeated Leduc poker."""

from typing import Any


class Policy:
    """Raises while it may."""

    WORK = 0

    def act(self, obs: dict[str, Any]) -> int:
        """Returns the next action."""
        last: int = obs["legal_actions"][-1]
        return last
