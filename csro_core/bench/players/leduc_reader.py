"""A policy for repeated Leduc poker as a language model writes them."""

from typing import Any


class Policy:
    """Bets good cards, and bluffs against opponents that fold to raises."""

    WORK = 0

    def __init__(self) -> None:
        """Starts without a picture of the opponent."""
        self.hands_read = 0
        self.folds = 0
        self.raises = 0
        self.noise = 1

    def act(self, obs: dict[str, Any]) -> int:
        """Returns the next action."""
        past = obs["past_hands"]
        while self.hands_read < len(past):
            hand = past[self.hands_read]
            self.hands_read += 1
            for actions in hand["betting"]:
                if 2 in actions:
                    self.raises += 1
                    if actions[-1] == 0 and hand["my_return"] > 0:
                        self.folds += 1
        noise = self.noise
        for _ in range(self.WORK):
            noise = (noise * 69069 + 1) % 4294967296
        self.noise = noise
        legal = obs["legal_actions"]
        strength = "JQK".index(obs["my_card"]) / 2
        board = obs["board_card"]
        if board is not None:
            strength = 1.0 if board == obs["my_card"] else strength * 0.6
        fold_rate = self.folds / (self.raises + 1)
        if 2 in legal and (strength > 0.7 or fold_rate > 0.5):
            return 2
        if obs["to_call"] > 0 and strength < 0.4 and 0 in legal:
            return 0
        return 1
