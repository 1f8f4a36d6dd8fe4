"""One episode of repeated Leduc poker: whose turn it is, what is new to that player, and who has won what."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from csro_core.games.base import Turn
from csro_core.games.repeated_leduc_hands import CALL, FOLD, RAISE, Deal, Rules, Spot
from csro_core.games.stage import NO_ACTION

_LOGGED = tuple(
    tuple(bytes((NO_ACTION, action) if player else (action, NO_ACTION)) for action in (FOLD, CALL, RAISE))
    for player in (0, 1)
)
_NOT_ASKED = bytes((NO_ACTION, NO_ACTION))


class LeducEpisode:
    """Some hands, one after the other. Player 0 acts first in every hand.

    Attributes:
        turn: who has to act and what is new to that player; None when the episode is over.
        total: chips that player 0 has won in the hands that are over; player 1 has won the negative of it.
        log: two bytes (player 0, player 1) an act; 255 = not on turn, both 255 = played by the forfeit rule.
    """

    __slots__ = (
        "_deal", "_deals", "_forfeited", "_hand", "_number", "_past", "_reveal", "_rules", "_seen", "_seen_cards",
        "_seen_totals", "_spot", "log", "total", "turn",
    )  # fmt: skip

    def __init__(self, rules: Rules, deals: list[Deal], number: int, reveal: bool) -> None:
        """Deals the first hand.

        Args:
            rules: of one hand.
            deals: the cards of every hand.
            number: of the episode in its batch.
            reveal: True where a hand's record shows the opponent's card even without a showdown.
        """
        self._rules = rules
        self._deals = deals
        self._number = number
        self._reveal = reveal
        self._hand = 0
        self._deal = deals[0]
        self._spot = rules.first
        self._forfeited = [False, False]
        # What each player was last told: the spot, its card, its total; and the record of the last hand, still unread.
        self._seen: list[Spot | None] = [None, None]
        self._seen_cards = ["", ""]
        self._seen_totals = [0, 0]
        self._past: list[dict[str, Any] | None] = [None, None]
        self.total = 0
        self.log = bytearray()
        self.turn: Turn | None = self._next_turn()

    def allows(self, action: int | None) -> bool:
        """Returns True where the player on turn may do this; None, to forfeit, it always may."""
        # Exactly int: True is an int to isinstance, but not the name of an action.
        return action is None or (type(action) is int and action in self._spot.after)

    def act(self, action: int | None) -> Turn | None:
        """Plays on to the next question.

        Args:
            action: what the player on turn does, one that `allows` accepts; None: it forfeits, and from now on folds
                where it can and checks where it cannot.

        Returns:
            The new `turn`.
        """
        spot = self._spot
        if action is None:
            self._forfeited[spot.player] = True
        else:
            self.log += _LOGGED[spot.player][action]
            self._step(spot.after[action])
        if True in self._forfeited:
            self._play_forfeits()
        self.turn = self._next_turn() if self._hand < len(self._deals) else None
        return self.turn

    def _play_forfeits(self) -> None:
        while self._hand < len(self._deals) and self._forfeited[self._spot.player]:
            after = self._spot.after
            self.log += _NOT_ASKED
            self._step(after[FOLD] if FOLD in after else after[CALL])

    def _step(self, spot: Spot) -> None:
        if spot.after:
            self._spot = spot
            return
        deal = self._deal
        won = spot.chips * deal.sign if spot.shown_down else spot.chips
        self.total += won
        shown = spot.shown_down or self._reveal
        board = deal.board if spot.round == 2 else None
        first, second = deal.cards
        self._past = [
            _record(first, second if shown else None, board, spot, (0, won)),
            _record(second, first if shown else None, board, spot, (1, -won)),
        ]
        self._hand += 1
        self._spot = self._rules.first
        if self._hand < len(self._deals):
            self._deal = self._deals[self._hand]

    def _next_turn(self) -> Turn:
        """Returns the next question, with the news of the player on turn, who then counts as told."""
        spot = self._spot
        player = spot.player
        seen = self._seen[player]
        self._seen[player] = spot
        if seen is None:
            return self._first_turn(spot, player)
        assign = _change(seen, spot).assign()
        past = self._past[player]
        if past is None:
            if spot.round != seen.round:
                assign["board_card"] = self._deal.board
            return Turn(self._number, player, assign, {})
        self._past[player] = None
        assign["hand"] = self._hand
        if seen.round == 2:
            assign["board_card"] = None
        card = self._deal.cards[player]
        if card != self._seen_cards[player]:
            assign["my_card"] = self._seen_cards[player] = card
        total = -self.total if player else self.total
        if total != self._seen_totals[player]:
            assign["my_total"] = self._seen_totals[player] = total
        return Turn(self._number, player, assign, {"past_hands": [past]})

    def _first_turn(self, spot: Spot, player: int) -> Turn:
        card = self._seen_cards[player] = self._deal.cards[player]
        return Turn(self._number, player, first_news(spot, card, len(self._deals)), {})


def first_news(spot: Spot, card: str, num_hands: int) -> dict[str, Any]:
    """Returns the whole `obs` of the player on turn in the first hand.

    Args:
        spot: in round 1.
        card: the player's own.
        num_hands: hands of the episode.
    """
    return {
        "hand": 0,
        "num_hands": num_hands,
        "player": spot.player,
        "my_card": card,
        "board_card": None,
        "round": spot.round,
        "pot": spot.pot,
        "to_call": spot.to_call,
        "betting": [list(spot.betting[0]), list(spot.betting[1])],
        "my_total": 0,
        "past_hands": [],
        "legal_actions": spot.legal_actions,
    }


@dataclass(frozen=True, eq=False)
class _Change:
    """What is different between two spots, for everybody to see.

    Attributes:
        values: new values of `obs` that are no lists.
        betting: the new betting; None where it is the same.
        legal_actions: the new ones; None where they are the same.
    """

    values: dict[str, Any]
    betting: tuple[list[int], list[int]] | None
    legal_actions: list[int] | None

    def assign(self) -> dict[str, Any]:
        """Returns new values of `obs`. Its lists are fresh, since marshal keeps shared lists shared."""
        values = self.values.copy()
        if self.betting is not None:
            first, second = self.betting
            values["betting"] = [first.copy(), second.copy()]
        if self.legal_actions is not None:
            values["legal_actions"] = self.legal_actions.copy()
        return values


@cache
def _change(seen: Spot, spot: Spot) -> _Change:
    """Returns the public difference between two spots; there are few spots, so every pair is compared once."""
    values = {"round": spot.round, "pot": spot.pot, "to_call": spot.to_call}
    return _Change(
        values={key: value for key, value in values.items() if value != getattr(seen, key)},
        betting=None if spot is seen else (list(spot.betting[0]), list(spot.betting[1])),
        legal_actions=None if spot.after.keys() == seen.after.keys() else spot.legal_actions,
    )


def _record(
    own: str, other: str | None, board: str | None, spot: Spot, player_and_return: tuple[int, int]
) -> dict[str, Any]:
    return {
        "my_card": own,
        "opponent_card": other,
        "board_card": board,
        "betting": [list(spot.betting[0]), list(spot.betting[1])],
        "player": player_and_return[0],
        "my_return": player_and_return[1],
    }
