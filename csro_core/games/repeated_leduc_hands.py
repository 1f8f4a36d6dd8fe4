"""The rules of one hand of Leduc poker as tables, read out of OpenSpiel's `leduc_poker` when they are first needed.

What may be done when, what it costs, and who wins are OpenSpiel's answers, asked once: the betting of a hand has few
spots, and they do not depend on the cards. Playing is then a walk through the tables. Live states would cost 0.8 µs
more an act; but above all they tell pot and call as text only, so that either every act reads a text or the rules of
betting are written here once more.

Source of the game: F. Southey et al., "Bayes' Bluff: Opponent Modelling in Poker", UAI 2005; OpenSpiel's
`open_spiel/games/leduc_poker/leduc_poker.h`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csro_core.errors import UsageError

try:
    import pyspiel
except ImportError:  # No wheel on this platform (requirements.txt says where); everything else works without it.
    pyspiel = None

FOLD, CALL, RAISE = 0, 1, 2
RANKS = "JQK"
DECK = 6
"""Cards, two of each rank; OpenSpiel's card c has rank c // 2."""

_STAKES = re.compile(r"\[Round (\d)\].*\[Pot: (\d+)\]\[Money: (\d+) (\d+)\]")
_WALKED_CARDS = (0, 4, 2)
"""A deal in which nobody ties: the second player has the better card."""


@dataclass(frozen=True, eq=False)
class Spot:
    """A point in the betting of a hand; the same whatever the cards.

    Attributes:
        number: index among the spots of a hand, 0 at its beginning.
        player: whose turn it is; -1 where the hand is over.
        round: 1 or 2; where the hand is over, the round it ended in.
        pot: chips in the middle; 0 where the hand is over and they have been paid out.
        to_call: chips that the player must add to call.
        betting: actions so far in round 1 and in round 2.
        after: legal action → the next spot.
        shown_down: True where the hand is over and the cards decide.
        chips: where the hand is over, what the winner wins; after a fold negative where player 1 wins.
    """

    number: int
    player: int
    round: int
    pot: int
    to_call: int
    betting: tuple[tuple[int, ...], tuple[int, ...]]
    after: Mapping[int, "Spot"]
    shown_down: bool
    chips: int

    @property
    def legal_actions(self) -> list[int]:
        """The legal actions in order; a fresh list."""
        return list(self.after)

    @property
    def over(self) -> bool:
        """True where the hand is over."""
        return not self.after


@dataclass(frozen=True, eq=False)
class Deal:
    """The cards of a hand by rank.

    Attributes:
        cards: of player 0 and of player 1.
        board: the card that both see from round 2 on.
        sign: who wins a showdown: 1 player 0, -1 player 1, 0 nobody.
    """

    cards: tuple[str, str]
    board: str
    sign: int


@dataclass(frozen=True, eq=False)
class Rules:
    """Everything about one hand.

    Attributes:
        first: the spot at the beginning.
        deals: by code, `9 * rank of player 0 + 3 * rank of player 1 + rank of the board`; None where three cards of
            a rank would be needed.
        most_chips: the most that can be won in a hand.
    """

    first: Spot
    deals: tuple[Deal | None, ...]
    most_chips: int


@lru_cache(maxsize=1)
def leduc_rules() -> Rules:
    """Returns the rules of a hand.

    Raises:
        UsageError: OpenSpiel is not installed.
    """
    if pyspiel is None:
        raise UsageError(
            "repeated_leduc needs OpenSpiel, whose rules it plays by; this system has not got it: "
            "install open-spiel (Linux, Windows, or a Mac with Apple silicon)"
        )
    game = pyspiel.load_game("leduc_poker")
    first = _Walk().spot(_dealt(game, _WALKED_CARDS), ((), ()))
    most = max(abs(spot.chips) for spot in spots(first))
    return Rules(first, _deals(game), most)


def spots(first: Spot) -> Iterator[Spot]:
    """Gives `first` and every spot that can follow."""
    yield first
    for spot in first.after.values():
        yield from spots(spot)


def dealt_codes(generator: np.random.Generator, hands: int) -> list[int]:
    """Returns the code (see `Rules.deals`) of each of some hands, dealt from a fresh deck every time.

    Args:
        generator: the chance.
        hands: how many, >= 0.
    """
    order = generator.random((hands, DECK)).argsort(axis=1, kind="stable")
    ranks: NDArray[np.int64] = order[:, :3] // 2
    codes: list[int] = (ranks @ np.array([9, 3, 1])).tolist()
    return codes


def _dealt(game: Any, cards: Sequence[int]) -> Any:
    """Returns a state of OpenSpiel after both players have their cards."""
    state = game.new_initial_state()
    state.apply_action(cards[0])
    state.apply_action(cards[1])
    return state


class _Walk:
    """One walk through the betting, which numbers the spots."""

    def __init__(self) -> None:
        self._count = 0

    def spot(self, state: Any, betting: tuple[tuple[int, ...], tuple[int, ...]]) -> Spot:
        """Returns the spot of a state of OpenSpiel (deal `_WALKED_CARDS`), with everything that can follow.

        Raises:
            ValueError: the text of the state is not as expected.
        """
        number = self._count
        self._count += 1
        # The state holds no numbers that could be asked for; its text does.
        found = _STAKES.search(state.information_state_string(0))
        if found is None:
            raise ValueError(f"OpenSpiel's text of a Leduc hand must name pot and money, got {state}")
        in_round, pot, *money = (int(digits) for digits in found.groups())
        player = -1 if state.is_terminal() else state.current_player()
        after = {action: self._after(state, action, betting, in_round) for action in _legal(state)}
        folded = state.is_terminal() and FOLD in betting[in_round - 1]
        return Spot(
            number=number,
            player=player,
            round=in_round,
            pot=pot,
            to_call=max(money) - min(money) if after else 0,
            betting=betting,
            after=after,
            shown_down=state.is_terminal() and not folded,
            chips=_chips(state, folded),
        )

    def _after(
        self, state: Any, action: int, betting: tuple[tuple[int, ...], tuple[int, ...]], in_round: int
    ) -> Spot:
        child = state.child(action)
        if child.is_chance_node():
            child.apply_action(_WALKED_CARDS[2])
        first, second = betting
        return self.spot(child, ((*first, action), second) if in_round == 1 else (first, (*second, action)))


def _legal(state: Any) -> list[int]:
    return [] if state.is_terminal() else sorted(state.legal_actions())


def _chips(state: Any, folded: bool) -> int:
    if not state.is_terminal():
        return 0
    return int(state.returns()[0]) if folded else int(state.returns()[1])


def _deals(game: Any) -> tuple[Deal | None, ...]:
    deals: list[Deal | None] = [None] * len(RANKS) ** 3
    for cards in permutations(range(DECK), 3):
        state = _dealt(game, cards)
        for action in (CALL, CALL, cards[2], CALL, CALL):
            state.apply_action(action)
        own, other, board = (card // 2 for card in cards)
        sign = int(np.sign(state.returns()[0]))
        deals[9 * own + 3 * other + board] = Deal((RANKS[own], RANKS[other]), RANKS[board], sign)
    return tuple(deals)
