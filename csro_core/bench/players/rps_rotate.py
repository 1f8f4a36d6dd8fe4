"""A trivial policy for repeated rock-paper-scissors."""

import random  # noqa: TID251 - policies alone use random
from typing import Any


class Policy:
    """Rock, paper, scissors, and again."""

    WORK = 0

    def act(self, obs: dict[str, Any]) -> int:
        """Returns the next throw."""
        throw: int = obs["throw"]
        return throw % 3 if throw >= 0 else random.randrange(3)
