"""How long an episode of a game is: what decides how many of them a payoff cell, a screen or a probe needs."""

from functools import lru_cache

from csro_core.games.base import Game, GameSpec
from csro_core.games.openspiel_episodes import Draws

_SAMPLED = 32
_MOST_ACTS = 4_000


def mean_acts(game: Game) -> float:
    """Returns how often policies act in an episode, both together, when they choose uniformly at random.

    Known exactly where both act at every step; else the mean of up to 32 episodes, the same ones every time.
    """
    stage = game.lockstep
    return 2.0 * stage.num_steps if stage is not None else _sampled(_Keyed(game))


class _Keyed:
    """A game that can be looked up in a cache by its identity."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.spec: GameSpec = game.spec

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keyed) and other.spec == self.spec

    def __hash__(self) -> int:
        return hash(self.spec.key)


@lru_cache(maxsize=64)
def _sampled(keyed: _Keyed) -> float:
    draws = Draws(1)
    acts, episodes = 0, 0
    while episodes < _SAMPLED and acts < _MOST_ACTS:
        batch = keyed.game.new_episodes([episodes])
        legal: dict[int, list[int]] = {}
        while turns := batch.pending():
            for turn in turns:
                legal[turn.player] = turn.assign.get("legal_actions", legal.get(turn.player, []))
            batch.apply([legal[turn.player][draws.below(len(legal[turn.player]))] for turn in turns])
            acts += len(turns)
        episodes += 1
    return acts / episodes
