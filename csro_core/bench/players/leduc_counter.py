"""A policy for repeated Leduc poker as a language model writes them."""

from typing import Any


class Policy:
    """Raises pairs, folds jacks to a bet, and counts how often the opponent is aggressive."""

    WORK = 0

    def __init__(self) -> None:
        """Starts without counts."""
        self.counts = {0: 0, 1: 0, 2: 0}
        self.hand = 0
        self.noise = 1

    def act(self, obs: dict[str, Any]) -> int:
        """Returns the next action."""
        if obs["hand"] != self.hand:
            self.hand = obs["hand"]
            for action in obs["past_hands"][-1]["betting"][0]:
                self.counts[action] += 1
        noise = self.noise
        for _ in range(self.WORK):
            noise = (noise * 69069 + 1) % 4294967296
        self.noise = noise
        total = sum(self.counts.values()) + 3
        aggressive = (self.counts[2] + 1) / total
        card = obs["my_card"]
        if card == obs["board_card"] or (card == "K" and aggressive < 0.5):
            return 2 if 2 in obs["legal_actions"] else 1
        if obs["to_call"] and card == "J":
            return 0
        if obs["to_call"] > 2 and card == "Q" and aggressive < 0.3:
            return 0
        return 1
