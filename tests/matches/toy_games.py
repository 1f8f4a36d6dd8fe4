"""A turn-based toy game for the general protocol, and the games of the registry beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from csro_core.games import make_game
from csro_core.games.base import GameSpec, Turn
from csro_core.seeds import derive

NIM = GameSpec("toy_nim")


@dataclass(frozen=True)
class Nim:
    """Players take 1 or 2 stones from 7 or 8 in turn (a chance move says how many); who takes the last one wins 1.

    Who has forfeited takes 1 stone whenever it is on turn.
    """

    spec: GameSpec = NIM
    title: str = "toy nim"
    unit: str = "games"
    min_return: float = -1.0
    max_return: float = 1.0
    symmetric: bool = True
    zero_sum: bool = True
    lockstep: None = None
    screening: GameSpec = NIM
    action_names: tuple[tuple[str, ...], tuple[str, ...]] = (("none", "one", "two"), ("none", "one", "two"))

    def rules_text(self) -> str:
        return "take 1 or 2 stones"

    def observation_text(self) -> str:
        return "stones, taken"

    def first_observation(self, player: int) -> dict[str, Any]:
        return {"stones": 0, "taken": [], "player": player, "legal_actions": [1, 2]}

    def new_episodes(self, seeds: Sequence[int]) -> "NimEpisodes":
        return NimEpisodes(seeds)


class NimEpisodes:
    def __init__(self, seeds: Sequence[int]) -> None:
        self.stones = [7 + derive(seed, "stones") % 2 for seed in seeds]
        self.taken: list[list[int]] = [[] for _ in seeds]
        self.seen = [[0, 0] for _ in seeds]
        self.logs = [bytearray() for _ in seeds]
        self.winner = [0] * len(seeds)

    def pending(self) -> list[Turn]:
        turns = []
        for episode, stones in enumerate(self.stones):
            if stones:
                player = len(self.taken[episode]) % 2
                news = self.taken[episode][self.seen[episode][player] :]
                legal = [1, 2] if stones > 1 else [1]
                turns.append(Turn(episode, player, {"stones": stones, "legal_actions": legal}, {"taken": news}))
        return turns

    def apply(self, actions: Sequence[int | None]) -> None:
        turns = self.pending()
        assert len(actions) == len(turns)
        for turn, action in zip(turns, actions, strict=True):
            taken = 1 if action is None else action
            self.seen[turn.episode][turn.player] = len(self.taken[turn.episode])
            self.taken[turn.episode].append(taken)
            self.stones[turn.episode] -= taken
            byte = 255 if action is None else action
            self.logs[turn.episode] += bytes([byte, 255] if turn.player == 0 else [255, byte])
            self.winner[turn.episode] = turn.player

    def returns(self) -> np.ndarray:
        assert not any(self.stones)
        return np.array([[1.0, -1.0] if winner == 0 else [-1.0, 1.0] for winner in self.winner])

    def moves(self) -> list[bytes]:
        return [bytes(log) for log in self.logs]


def make_toy_game(spec: GameSpec):
    return Nim() if spec.name == NIM.name else make_game(spec)
