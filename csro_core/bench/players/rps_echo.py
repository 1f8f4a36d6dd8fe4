"""A trivial policy for repeated rock-paper-scissors."""

import random  # noqa: TID251 - policies alone use random
from typing import Any


class Policy:
    """Throws what the opponent threw last."""

    WORK = 0

    def act(self, obs: dict[str, Any]) -> int:
        """Returns the next throw."""
        theirs: list[int] = obs["opponent_history"]
        if theirs:
            return theirs[-1]
        return 0 if obs["throw"] == 0 else random.randrange(3)
