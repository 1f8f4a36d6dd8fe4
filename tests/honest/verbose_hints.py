"""A frequency counter, written the long way."""
from __future__ import annotations

import math
from collections import defaultdict
from typing import Any, Callable, ClassVar, Dict, Final, List, Optional, Sequence, Tuple, Union

Move = int
History = List[Move]
NUM_MOVES: Final[int] = 3
Scorer = Callable[[Dict[str, Any]], Union[int, float]]


class Policy:
    """Predicts the most frequent throw of the opponent, weighted by age, and beats it.

    Odd characters in a docstring: é ß 漢字 🎲 \t "quotes" 'single' \\ {braces} %s.
    """

    DECAY: ClassVar[float] = 0.95

    def __init__(self, window: int = 20, *, decay: Optional[float] = None) -> None:
        self._window: int = window
        self._decay: float = self.DECAY if decay is None else decay
        self._weights: Dict[Move, float] = defaultdict(float)
        self.last: Optional[Tuple[int, int]] = None

    def _recent(self, history: Sequence[Move]) -> Sequence[Move]:
        return history[-self._window :]

    def _predict(self, history: Sequence[Move]) -> Move:
        weights: List[float] = [0.0] * NUM_MOVES
        for age, move in enumerate(reversed(self._recent(history))):
            weights[move] += math.pow(self._decay, age)
        best: int = 0
        for move in range(NUM_MOVES):
            if weights[move] > weights[best]:
                best = move
        return best

    def act(self, obs: Dict[str, Any]) -> int:
        history: History = obs["opponent_history"]
        if not history:
            return 1
        predicted: Move = self._predict(history)
        self.last = (predicted, len(history))
        return int((predicted + 1) % NUM_MOVES)
