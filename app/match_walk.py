"""A game in which players take turns, walked through again from its log: who did what, and what that player saw.

Chance is not in a log, but it follows from the episode's seed, so the game itself tells the cards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.match_charts import NO_ACTION, Replay
from csro_core.games.base import Game

_MOST_STEPS = 5_000


@dataclass(frozen=True)
class Act:
    """One act of one policy.

    Attributes:
        step: place in the log, from 0.
        policy: 0 the first policy of the match, 1 the second.
        action: name of the action, or that the policy has forfeited.
        seen: what it saw when it acted, in words.
    """

    step: int
    policy: int
    action: str
    seen: str


@dataclass(frozen=True)
class Walk:
    """An episode walked through.

    Attributes:
        replay: actions and rewards of the first policy for the figures.
        acts: every act in order.
        labels: `[2][T]` name of each policy's action at each step, "" where it was not on turn.
        has_score: True where the game tells a score before its end.
    """

    replay: Replay
    acts: tuple[Act, ...]
    labels: tuple[tuple[str, ...], tuple[str, ...]]
    has_score: bool


def walk(game: Game, log: bytes, seat: int, seed: int, total: float) -> Walk:
    """Plays a log again.

    Args:
        game: what was played.
        log: two bytes (first policy, second policy) a step, not compressed.
        seat: seat of the first policy.
        seed: of the episode.
        total: return of the first policy.

    Returns:
        As much as the log and the game agree on: an imported log may hold anything.
    """
    actions = np.frombuffer(log, dtype=np.uint8).reshape(-1, 2)[:_MOST_STEPS]
    steps = len(actions)
    labels = [[""] * steps, [""] * steps]
    scores: list[tuple[int, float]] = []
    acts: list[Act] = []
    episodes = game.new_episodes([seed])
    seen: list[dict[str, Any]] = [{}, {}]
    while turns := episodes.pending():
        place = len(episodes.moves()[0]) // 2
        if place >= steps:
            break
        chosen: list[int | None] = []
        for turn in turns:
            obs = seen[turn.player]
            obs.update(turn.assign)
            policy = turn.player ^ seat
            byte = int(actions[place, policy])
            chosen.append(None if byte == NO_ACTION else byte)
            labels[policy][place] = _named(game, obs, turn.player, byte)
            acts.append(Act(place, policy, labels[policy][place], _told(obs)))
            if "my_total" in obs:
                scores.append((place, float(obs["my_total"]) * (1 if policy == 0 else -1)))
        try:
            episodes.apply(chosen)
        except ValueError:  # The log is not one of this game.
            break
    rewards = _rewards(steps, scores, total)
    return Walk(Replay(actions.T, rewards), tuple(acts), (tuple(labels[0]), tuple(labels[1])), bool(scores))


def _named(game: Game, obs: dict[str, Any], player: int, action: int) -> str:
    if action == NO_ACTION:
        return "forfeited"
    legal, names = obs.get("legal_actions", []), obs.get("action_names", [])
    if action in legal and len(names) == len(legal):
        return str(names[legal.index(action)])
    known = game.action_names[player]
    return known[action] if action < len(known) else str(action)


def _told(obs: dict[str, Any]) -> str:
    """Returns what a player saw, on one line."""
    if "information_state" in obs:
        return str(obs["information_state"])
    if "my_card" in obs:
        board = f", board {obs['board_card']}" if obs.get("board_card") else ""
        return f"hand {obs['hand'] + 1}, card {obs['my_card']}{board}, pot {obs['pot']}, to call {obs['to_call']}"
    hidden = ("player", "legal_actions", "action_names")
    return ", ".join(f"{key} {value}" for key, value in obs.items() if key not in hidden)


def _rewards(steps: int, scores: Sequence[tuple[int, float]], total: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Returns `[T]` what the first policy's score grew by at each step; the last one brings what is missing."""
    score = np.zeros(steps)
    for place, value in scores:
        # Before the act at `place` the score was this; it came with the step before.
        score[max(place - 1, 0) :] = value
    if steps:
        score[-1] = total
    return np.diff(score, prepend=0.0)
