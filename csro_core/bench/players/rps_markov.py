"""A policy for repeated rock-paper-scissors as a language model writes them."""

import random  # noqa: TID251 - policies alone use random
from typing import Any


class Policy:
    """Learns what the opponent throws after its own last two throws, and beats that."""

    WORK = 0

    def __init__(self) -> None:
        """Starts without a table."""
        self.table: dict[tuple[int, int], list[int]] = {}
        self.noise = 1

    def act(self, obs: dict[str, Any]) -> int:
        """Returns the next throw."""
        history = obs["opponent_history"]
        if len(history) > 2:
            before = (history[-3], history[-2])
            counts = self.table.setdefault(before, [0, 0, 0])
            counts[history[-1]] += 1
        noise = self.noise
        for _ in range(self.WORK):
            noise = (noise * 69069 + 1) % 4294967296
        self.noise = noise
        if len(history) < 2:
            return len(history) if obs["throw"] < 2 else random.randrange(3)
        seen = self.table.get((history[-2], history[-1]))
        if seen is None:
            return int(obs["throw"]) % 3
        return (seen.index(max(seen)) + 1) % 3
