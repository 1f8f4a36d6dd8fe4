"""Episodes of an OpenSpiel game: whose turn it is, what is new to whom, who has forfeited, and the log.

Chance is drawn by hand from the episode's seed: the n-th chance move uses the n-th number of the episode, so that two
pairs of policies on the same seed meet the same cards for as long as the game asks for the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from csro_core.games.base import Turn
from csro_core.games.openspiel_tree import BOTH, CHANCE, OVER, Move, Sight, Tree
from csro_core.games.stage import NO_ACTION
from csro_core.seeds import derive

_MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Forfeits:
    """What happens to a player that fails.

    Attributes:
        plays_on: True: the least legal action is played for it (poker: it folds where it can, else checks) and the
            opponent goes on; False: the episode ends at once.
        returns: `[3]` returns to both players where player 0, where player 1, and where both have forfeited.
    """

    plays_on: bool
    returns: tuple[tuple[float, float], tuple[float, float], tuple[float, float]]


class Draws:
    """Numbers in [0, 1) from a seed: SplitMix64. A numpy generator takes longer to make than a hand takes to play.

    Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014, figure 17.
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        """Starts the stream."""
        self._state = seed & _MASK

    def share(self) -> float:
        """Returns the next number, in [0, 1)."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return ((mixed ^ (mixed >> 31)) >> 11) * 2.0**-53

    def below(self, count: int) -> int:
        """Returns a whole number from 0 to `count - 1`."""
        return int(self.share() * count)


class Play:
    """One episode.

    Attributes:
        turns: the players who have to act now, with what is new to them; empty when the episode is over.
        returns: of both players, when it is over.
        log: two bytes (player 0, player 1) a move; 255 = not on turn, both 255 = played by the forfeit rule.
    """

    __slots__ = (
        "_draws", "_gone", "_moves", "_node", "_number", "_rules", "_seed", "_state", "_told", "_tree", "log",
        "returns", "turns",
    )  # fmt: skip

    def __init__(self, tree: Tree, rules: "Served", number: int, seed: int) -> None:
        """Starts; chance moves at the beginning are made at once."""
        self._tree = tree
        self._rules = rules
        self._number = number
        self._seed = seed
        self._draws: Draws | None = None
        self._state: Any = None
        self._node = tree.root
        self._gone = [False, False]
        self._moves = [0, 0]
        self._told: list[list[int] | None] = [None, None]
        self.log = bytearray()
        self.returns = (0.0, 0.0)
        self.turns: list[Turn] = []
        self._settle()

    def allows(self, action: int | None, player: int) -> bool:
        """Returns True where this is a legal action of a player on turn, or None, to forfeit."""
        if action is None:
            return True
        sight = self._node.sights[player]
        # Exactly int: True is an int to isinstance, but not the name of an action.
        return type(action) is int and sight is not None and action in sight.legal

    def act(self, actions: Sequence[int | None]) -> None:
        """Plays on to the next question.

        Args:
            actions: one for each of `turns`; None: that player forfeits.
        """
        player = self._node.player
        if player >= 0 and actions[0] is not None:
            # The usual case, in a few steps: one player is on turn and acts.
            action = actions[0]
            self.log += bytes((NO_ACTION, action) if player else (action, NO_ACTION))
            self._step(action)
            self._settle()
            return
        by_player: list[int | None] = [None, None]
        for turn, chosen in zip(self.turns, actions, strict=True):
            self._gone[turn.player] |= chosen is None
            by_player[turn.player] = chosen
        forfeits = self._rules.forfeits
        if True in self._gone and not forfeits.plays_on:
            self.log += bytes(NO_ACTION if action is None else action for action in by_player)
            self._end(forfeits.returns[2 if all(self._gone) else int(self._gone[1])])
            return
        self._make(by_player)
        self._settle()

    def _make(self, by_player: list[int | None]) -> None:
        """Makes the move of a node; for whoever has forfeited or has nothing to choose, the least legal action."""
        node = self._node
        self.log += bytes(NO_ACTION if action is None else action for action in by_player)
        chosen = [
            action if action is not None else (sight.legal[0] if sight is not None else 0)
            for action, sight in zip(by_player, node.sights, strict=True)
        ]
        self._step((chosen[0], chosen[1]) if node.player == BOTH else chosen[node.player])

    def _step(self, move: Move) -> None:
        node = self._node
        child = node.children.get(move)
        if child is None:
            if self._state is None:
                self._state = self._tree.state_of(node)
            child = self._tree.grow(node, move, self._state)
        else:
            self._state = None
        self._node = child

    def _settle(self) -> None:
        """Makes all moves that nobody has to be asked for, then finds out who is next."""
        while True:
            node = self._node
            player = node.player
            if player >= 0 and not self._gone[player] and node.sights[player] is not None:
                self.turns = [self._turn(player)]
                return
            if player == CHANCE:
                if self._draws is None:
                    self._draws = Draws(derive(self._seed, "openspiel chance"))
                self._step(node.drawn(self._draws.share()))
                continue
            if player == OVER:
                first, second = node.returns
                self._end((first - self._rules.offset, second - self._rules.offset))
                return
            asked = [one for one in (0, 1) if node.sights[one] is not None and not self._gone[one]]
            if asked:
                self.turns = [self._turn(one) for one in asked]
                return
            self._make([None, None])

    def _end(self, returns: tuple[float, float]) -> None:
        self.returns = returns
        self.turns = []
        self._state = None

    def _turn(self, player: int) -> Turn:
        """Returns the question to a player, who then counts as told. Lists are fresh: marshal keeps shared ones."""
        sight = cast(Sight, self._node.sights[player])
        made = self._moves[player]
        self._moves[player] = made + 1
        told = self._told[player]
        if told is None:
            self._told[player] = sight.legal
            return Turn(self._number, player, first_news(sight, player, self._rules.shown, made), {})
        assign: dict[str, Any] = {"information_state": sight.state, "move_number": made}
        if told is not sight.legal:  # equal choices are one list
            self._told[player] = sight.legal
            assign["legal_actions"] = sight.legal.copy()
            assign["action_names"] = sight.names.copy()
        if sight.tensor is not None:
            assign["tensor"] = sight.tensor.copy()
        return Turn(self._number, player, assign, {})


def first_news(sight: Sight, player: int, name: str, made: int = 0) -> dict[str, Any]:
    """Returns a whole observation.

    Args:
        sight: what the player sees.
        player: its seat.
        name: the game, as policies read it.
        made: how many moves it has made.
    """
    news: dict[str, Any] = {
        "game": name,
        "player": player,
        "legal_actions": sight.legal.copy(),
        "action_names": sight.names.copy(),
        "information_state": sight.state,
        "move_number": made,
    }
    if sight.tensor is not None:
        news["tensor"] = sight.tensor.copy()
    return news


@dataclass(frozen=True, eq=False)
class Served:
    """What episodes need to know of the game.

    Attributes:
        shown: the game's name as policies read it.
        forfeits: what happens to a player that fails.
        offset: taken off every return, so that constant-sum games add up to 0.
    """

    shown: str
    forfeits: Forfeits
    offset: float


class OpenSpielEpisodes:
    """A batch of episodes; each goes its own way."""

    def __init__(self, tree: Tree, rules: Served, seeds: Sequence[int]) -> None:
        """Starts one episode a seed."""
        self._plays = [Play(tree, rules, number, seed) for number, seed in enumerate(seeds)]
        self._live = [play for play in self._plays if play.turns]
        self._turns = [turn for play in self._live for turn in play.turns]

    def pending(self) -> list[Turn]:
        """Returns who must act now, in order of (episode, player)."""
        return list(self._turns)

    def apply(self, actions: Sequence[int | None]) -> None:
        """Moves every episode that is not over on.

        Args:
            actions: one action per pending turn, in the same order; None: that player has forfeited.

        Raises:
            ValueError: there are too few or too many actions, or one is not legal. Nothing has moved.
        """
        turns = self._turns
        if len(actions) != len(turns):
            raise ValueError(f"one action per pending turn is needed: {len(turns)}, got {len(actions)}")
        for turn, action in zip(turns, actions, strict=True):
            if not self._plays[turn.episode].allows(action, turn.player):
                raise ValueError(f"an action must be legal in its episode (or None), got {action!r}")
        place = 0
        for play in self._live:
            count = len(play.turns)
            play.act(actions[place : place + count])
            place += count
        self._live = [play for play in self._live if play.turns]
        self._turns = [turn for play in self._live for turn in play.turns]

    def returns(self) -> NDArray[np.float64]:
        """Returns `[E, 2]` episode returns.

        Raises:
            ValueError: some episode is not over.
        """
        if self._live:
            raise ValueError(f"returns are known when nothing is pending; {len(self._live)} episodes are not over")
        return np.array([play.returns for play in self._plays], dtype=np.float64).reshape(-1, 2)

    def moves(self) -> list[bytes]:
        """Returns the logs: two bytes a move, 255 = not on turn; two 255 = a move by the forfeit rule."""
        return [bytes(play.log) for play in self._plays]
