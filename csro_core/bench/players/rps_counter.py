"""A policy for repeated rock-paper-scissors as a language model writes them."""

import random  # noqa: TID251 - policies alone use random
from typing import Any


class Policy:
    """Counts the opponent's throws, forgets slowly, and beats the most frequent one."""

    WORK = 0

    def __init__(self) -> None:
        """Starts without counts."""
        self.counts = [0.0, 0.0, 0.0]
        self.noise = 1

    def act(self, obs: dict[str, Any]) -> int:
        """Returns the next throw."""
        history = obs["opponent_history"]
        if history:
            for throw in range(3):
                self.counts[throw] *= 0.98
            self.counts[history[-1]] += 1.0
        noise = self.noise
        for _ in range(self.WORK):
            noise = (noise * 69069 + 1) % 4294967296
        self.noise = noise
        likely = self.counts.index(max(self.counts))
        return (likely + 1) % 3 if likely < 3 else random.randrange(3)
