"""Perfect play where every position of a game can be looked at: tic-tac-toe, nim. A policy gets it as a decision list.

A policy sees no position and cannot search, so what is written are the best moves in the situations that it can come
to, the likeliest first, compiled like anything else.
"""

import heapq
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from csro_core.games.base import GameSpec, SpecKey
from csro_core.games.openspiel import load_openspiel
from csro_core.games.openspiel_names import pyspiel
from csro_core.models.synthesiser.openspiel_compile import Wish
from csro_core.models.synthesiser.openspiel_genome import Situation, action_odds
from csro_core.models.synthesiser.openspiel_reading import Reading

MAX_POSITIONS = 20_000
"""Positions above which a game is not solved; tic-tac-toe has 4,520 before its ends, which take 0.03 s once."""

MAX_SIZE = 700
"""Longest episode times number of actions, above which it is not tried: positions of a go board are dear."""

MAX_WISHES = 400
_DOUBT = 0.2
"""Share of random moves among those that the opponent is expected to make."""


class _TooManyError(Exception):
    """The game has too many positions."""


class Positions:
    """The values of all positions of a game, by their pictures."""

    def __init__(self, game: Any) -> None:
        """Solves the game.

        Raises:
            _TooManyError: it has more than `MAX_POSITIONS`.
        """
        self.game = game
        self._values: dict[str, float] = {}
        self.value(game.new_initial_state())

    def value(self, state: Any) -> float:
        """Returns what perfect play earns the first player.

        Raises:
            _TooManyError: there are more than `MAX_POSITIONS`.
        """
        if state.is_terminal():
            return float(state.returns()[0])
        player = state.current_player()
        picture = f"{player} {state}"
        known = self._values.get(picture)
        if known is None:
            if len(self._values) >= MAX_POSITIONS:
                raise _TooManyError
            values = [self.value(state.child(action)) for action in state.legal_actions()]
            known = max(values) if player == 0 else min(values)
            self._values[picture] = known
        return known

    def best(self, state: Any) -> int:
        """Returns the best action; of equals the one after which most replies are mistakes."""
        sign = 1 - 2 * state.current_player()

        def worth(action: int) -> tuple[float, float]:
            child = state.child(action)
            if child.is_terminal():
                return sign * self.value(child), sign * self.value(child)
            replies = [sign * self.value(child.child(reply)) for reply in child.legal_actions()]
            return sign * self.value(child), sum(replies) / len(replies)

        return int(max(state.legal_actions(), key=worth))


def positions_of(spec: GameSpec) -> Positions | None:
    """Returns a solved game; None where it hides something, leaves something to chance, or has too many positions."""
    return _positions(SpecKey(spec))


@lru_cache(maxsize=8)
def _positions(named: SpecKey) -> Positions | None:
    game = load_openspiel(named.spec)
    kind = game.get_type()
    plain = (
        kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
        and kind.chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC
        and kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
        and kind.utility in (pyspiel.GameType.Utility.ZERO_SUM, pyspiel.GameType.Utility.CONSTANT_SUM)
        and kind.provides_information_state_string
        and game.max_game_length() * game.num_distinct_actions() <= MAX_SIZE
    )
    try:
        return Positions(game) if plain else None
    except (_TooManyError, RecursionError):
        return None


def perfect_wishes(solved: Positions, player: int, readings: Sequence[Reading]) -> list[Wish]:
    """Returns the best moves in the situations that a perfect player comes to, the likeliest ones."""
    state = solved.game.new_initial_state()
    # (minus the odds, a number that decides between equals, the state, own moves so far, the opponent's)
    queue: list[tuple[float, int, Any, int, int]] = [(-1.0, 0, state, 0, 0)]
    wishes: list[Wish] = []
    number = 0
    while queue and len(wishes) < MAX_WISHES:
        minus, _, state, own, other = heapq.heappop(queue)
        if state.is_terminal():
            continue
        turn = state.current_player()
        legal = tuple(state.legal_actions())
        names = tuple(state.action_to_string(turn, action) for action in legal)
        if turn == player:
            seen = Situation(state.information_state_string(turn), legal, names, own, turn)
            best = solved.best(state)
            wishes.append(Wish(seen, {action: float(action == best) for action in legal}, -minus))
            odds = {best: 1.0}
        else:
            seen = Situation(state.information_state_string(turn), legal, names, other, turn)
            odds = _expected(seen, readings)
        for action, share in odds.items():
            number += 1
            moved = (own + 1, other) if turn == player else (own, other + 1)
            heapq.heappush(queue, (minus * share, number, state.child(action), *moved))
    return wishes


def _expected(seen: Situation, readings: Sequence[Reading]) -> dict[int, float]:
    """Returns the odds of the opponent's moves: what the texts say, and some doubt."""
    odds = dict.fromkeys(seen.legal, _DOUBT / len(seen.legal))
    for reading in readings:
        for action, share in action_odds(reading.genome, seen).items():
            odds[action] += (1 - _DOUBT) * reading.weight * share
    return odds
