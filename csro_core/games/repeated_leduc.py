"""Repeated Leduc poker: the smallest poker with a board card, by default 100 hands against the same opponent.

OpenSpiel's own `repeated_leduc_poker` is not used: it shows a folded opponent's card, forgets past hands and asks for
an extra action between hands. Its maintainers advise an outer loop over single hands, which this is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from csro_core.errors import UsageError
from csro_core.games.base import GameSpec, LockstepStage, Parameter, Turn
from csro_core.games.parameters import reject_unknown, whole_number
from csro_core.games.repeated_leduc_episode import LeducEpisode, first_news
from csro_core.games.repeated_leduc_hands import CALL, Deal, dealt_codes, leduc_rules
from csro_core.seeds import generator

NAME = "repeated_leduc"
DEFAULT_HANDS = 100
MAX_HANDS = 10_000
ACTION_NAMES = ("fold", "call", "raise")

_RULES = """\
Repeated Leduc poker: two players play {hands} of Leduc poker, one after the other, against each other.
The deck has six cards: two jacks, two queens, two kings; K is higher than Q, and Q higher than J. It is shuffled anew
for every hand. Both players put an ante of 1 chip into the pot and get one card each, which only they see. A round of
betting follows; then one board card is dealt, which both see, and a second round of betting follows.
Actions: 0 fold, 1 call (check where there is nothing to call), 2 raise (bet where there is nothing to call). A raise
adds 2 chips in round 1 and 4 chips in round 2 to what there is to call; each round has at most two raises. Folding is
legal only where there is something to call. Player 0 acts first in both rounds of every hand; seats do not change
within an episode, and every pair of policies plays both orders.
Whoever folds loses what it has put in. Otherwise there is a showdown: a card that pairs the board wins; if nobody has
a pair, the higher card wins; equal cards split the pot. A hand wins or loses at most {most} chips.
{shown} Nothing is carried from one episode to the next. The return is the sum over all hands, in {unit}; the opponent
gets the negative of it.
A player that fails (an exception, an action that is not legal, too much time or memory) forfeits: for the rest of the
episode it folds where it can and checks where it cannot fold, and is not asked again."""

_HIDDEN = "Cards are shown at a showdown only: after a fold nobody learns the other's card."
_REVEALED = "After every hand both cards are shown, even when somebody has folded."

_OBSERVATION = """\
obs is the player's own dict. It stays the same object for the whole episode; obs["past_hands"] grows in place.
obs["hand"]           number of this hand, from 0 to num_hands - 1
obs["num_hands"]      hands of the episode, {hands}
obs["player"]         seat: 0 acts first in every round, 1 second
obs["my_card"]        "J", "Q" or "K"
obs["board_card"]     None in round 1, then "J", "Q" or "K"
obs["round"]          1 or 2
obs["pot"]            chips in the middle, antes included
obs["to_call"]        chips that a call costs; 0 where it is a check
obs["betting"]        two lists: the actions of both players in round 1 and in round 2 of this hand, oldest first
obs["my_total"]       chips won (negative: lost) in the hands before this one
obs["past_hands"]     list of the hands before this one, oldest first, each a dict of "my_card", "opponent_card" (None
                      unless it was shown), "board_card" (None where round 2 was not reached), "betting" (two lists, as
                      above), "player" (own seat) and "my_return" (chips won)
obs["legal_actions"]  of 0 fold, 1 call or check, 2 raise
The very first observation of player 0, where it has a queen:
{first}"""


@dataclass(frozen=True)
class LeducGame:
    """The game; satisfies the protocol `Game` (see there for the properties).

    Attributes:
        num_hands: hands of an episode, >= 1.
        reveal: True where both cards are shown after every hand.
    """

    num_hands: int
    reveal: bool

    @property
    def spec(self) -> GameSpec:
        """Name and parameters."""
        parameters: dict[str, Parameter] = {}
        if self.num_hands != DEFAULT_HANDS:
            parameters["num_hands"] = self.num_hands
        if self.reveal:
            parameters["reveal"] = True
        return GameSpec(NAME, parameters)

    @property
    def title(self) -> str:
        """A name for people."""
        return f"repeated Leduc poker ({self._hands}{', cards always shown' if self.reveal else ''})"

    @property
    def unit(self) -> str:
        """Unit of a return."""
        return f"chips per {self._hands}"

    @property
    def min_return(self) -> float:
        """Least possible return of a player, in chips."""
        return -self.max_return

    @property
    def max_return(self) -> float:
        """Largest possible return of a player, in chips."""
        return float(leduc_rules().most_chips * self.num_hands)

    @property
    def symmetric(self) -> bool:
        """True: both seats play by the same rules, though acting second is worth more."""
        return True

    @property
    def zero_sum(self) -> bool:
        """True: one wins what the other loses."""
        return True

    @property
    def action_names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of the actions of each player."""
        return ACTION_NAMES, ACTION_NAMES

    @property
    def lockstep(self) -> LockstepStage | None:
        """None: players take turns."""
        return None

    @property
    def screening(self) -> GameSpec:
        """The game itself: fewer hands would leave nothing to learn the opponent from."""
        return self.spec

    def rules_text(self) -> str:
        """Returns the rules in the exact words for people and prompts."""
        return _RULES.format(
            hands=self._hands,
            most=leduc_rules().most_chips,
            unit=self.unit,
            shown=_REVEALED if self.reveal else _HIDDEN,
        )

    def observation_text(self) -> str:
        """Returns what `obs` holds, with the first observation of player 0."""
        return _OBSERVATION.format(hands=f"{self.num_hands:,}", first=self.first_observation(0))

    def first_observation(self, player: int) -> dict[str, Any]:
        """Returns an `obs` that `player` may see at its first action: it has a queen, and player 0 has checked."""
        spot = leduc_rules().first
        return first_news(spot.after[CALL] if player else spot, "Q", self.num_hands)

    def new_episodes(self, seeds: Sequence[int]) -> "LeducEpisodes":
        """Returns a fresh batch; an episode's seed decides the cards of all its hands, by seat."""
        return LeducEpisodes(self, seeds)

    @property
    def _hands(self) -> str:
        return f"{self.num_hands:,} hand{'s' if self.num_hands > 1 else ''}"


def build(parameters: Mapping[str, Parameter]) -> LeducGame:
    """Returns the game.

    Args:
        parameters: `num_hands`, 1 to 10,000 (default 100); `reveal`, true or false (default false).

    Raises:
        UsageError: a parameter is unknown or wrong, or OpenSpiel is not installed.
    """
    reject_unknown(NAME, parameters, ("num_hands", "reveal"))
    hands = whole_number("num_hands", parameters.get("num_hands", DEFAULT_HANDS), 1, MAX_HANDS)
    reveal = parameters.get("reveal", False)
    if type(reveal) is not bool:
        raise UsageError(f"reveal must be true or false, got {reveal!r}")
    leduc_rules()
    return LeducGame(hands, reveal)


def deal_hands(seed: int, num_hands: int) -> list[Deal]:
    """Returns the cards of the hands of one episode.

    Args:
        seed: of the episode; equal seeds give equal cards to each seat.
        num_hands: how many.
    """
    known = leduc_rules().deals
    codes = dealt_codes(generator(seed, "leduc deals"), num_hands)
    # Every code that a deck of six can give is known.
    return [cast(Deal, known[code]) for code in codes]


class LeducEpisodes:
    """A batch of episodes; each goes its own way, one act of one player at a time."""

    def __init__(self, game: LeducGame, seeds: Sequence[int]) -> None:
        """Deals every hand of every episode."""
        self._episodes = [
            LeducEpisode(leduc_rules(), deal_hands(seed, game.num_hands), number, game.reveal)
            for number, seed in enumerate(seeds)
        ]
        self._turns = [episode.turn for episode in self._episodes if episode.turn is not None]

    def pending(self) -> list[Turn]:
        """Returns one turn for each episode that is not over, in order."""
        return list(self._turns)

    def apply(self, actions: Sequence[int | None]) -> None:
        """Plays one act in every episode that is not over.

        Args:
            actions: one action per pending turn, in the same order; None: that player has forfeited.

        Raises:
            ValueError: there are too few or too many actions, or one is not legal. Nothing has moved.
        """
        if len(actions) != len(self._turns):
            raise ValueError(f"one action per pending turn is needed: {len(self._turns)}, got {len(actions)}")
        waiting = [self._episodes[turn.episode] for turn in self._turns]
        for episode, action in zip(waiting, actions, strict=True):
            if not episode.allows(action):
                raise ValueError(f"an action must be legal in its episode (or None), got {action!r}")
        following = [episode.act(action) for episode, action in zip(waiting, actions, strict=True)]
        self._turns = [turn for turn in following if turn is not None]

    def returns(self) -> NDArray[np.float64]:
        """Returns `[E, 2]` chips won by player 0 and player 1.

        Raises:
            ValueError: some episode is not over.
        """
        if self._turns:
            raise ValueError(f"returns are known when nothing is pending; {len(self._turns)} episodes are not over")
        return np.array([(one.total, -one.total) for one in self._episodes], dtype=np.float64).reshape(-1, 2)

    def moves(self) -> list[bytes]:
        """Returns the logs: two bytes an act, 255 = not on turn; two 255 = an act by the forfeit rule."""
        return [bytes(one.log) for one in self._episodes]
