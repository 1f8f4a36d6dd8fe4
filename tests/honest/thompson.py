"""Thompson sampling over a few predictors."""
import math
import random
from typing import List
class Arm:
    def __init__(self, name: str, fn) -> None:
        self.name, self.fn = name, fn
        self.alpha = self.beta = 1.0
    def sample(self) -> float:
        return random.betavariate(self.alpha, self.beta)
class Policy:
    def __init__(self) -> None:
        self.arms: List[Arm] = [
            Arm("freq", lambda m, h: max(range(3), key=h.count)),
            Arm("last", lambda m, h: h[-1]),
            Arm("next", lambda m, h: (h[-1] + 1) % 3),
            Arm("me", lambda m, h: (m[-1] + 1) % 3),
        ]
        self.pending: List[int] = []
    def act(self, obs) -> int:
        m, h = obs["my_history"], obs["opponent_history"]
        if not h:
            return random.choice(obs["legal_actions"])
        for arm, guess in zip(self.arms, self.pending):
            if guess == h[-1]:
                arm.alpha += 1
            else:
                arm.beta += 1
        self.pending = [arm.fn(m, h) for arm in self.arms]
        draws = [math.log(arm.sample() + 1e-12) for arm in self.arms]
        return (self.pending[draws.index(max(draws))] + 1) % 3
