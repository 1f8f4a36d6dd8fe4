"""Rules and observations of OpenSpiel's games in words, written from the game object.

Three games have their rules in our own words; they hold for the default parameters only (any number of dice and sides
in liar's dice). Everything else is what the object tells: who moves when, chance, who sees what, and the returns.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csro_core.games.base import GameSpec
from csro_core.games.openspiel_names import pyspiel

POKER = frozenset({"kuhn_poker", "leduc_poker", "universal_poker"})
"""Games in which whoever forfeits folds where it can and checks where it cannot: action 0 folds or passes."""

_KUHN = """\
Kuhn poker, the smallest poker. The deck has three cards: 0, 1 and 2; a higher card wins. Both players put 1 chip into
the pot and get one card each, which only they see; the third card stays hidden.
Actions: 0 pass, 1 bet. Player 0 acts first. A bet adds 1 chip; there is one bet at most. After a pass by player 0,
player 1 may pass too (showdown for the antes) or bet; whoever faces a bet passes, which folds and loses the ante, or
bets, which calls it (showdown for two chips each).
The return is the chips won in the hand, -2 to 2; the opponent gets the negative of it.
The information state is the own card, followed by the moves so far: "p" pass, "b" bet ("1pb": card 1, player 0 passed,
player 1 bet)."""

_LEDUC = """\
Leduc poker, one hand. The deck has six cards, numbered 0 to 5: two jacks (0, 1), two queens (2, 3), two kings (4, 5);
the rank of a card is card // 2. Both players put an ante of 1 chip into the pot and get one card each, which only they
see. A round of betting follows; then one board card is dealt, which both see, and a second round of betting follows.
Actions: 0 fold, 1 call (check where there is nothing to call), 2 raise (bet where there is nothing to call). A raise
adds 2 chips in round 1 and 4 chips in round 2 to what there is to call; each round has at most two raises. Folding is
legal only where there is something to call. Player 0 acts first in both rounds.
Whoever folds loses what it has put in. Otherwise there is a showdown: a card that pairs the board wins; if nobody has
a pair, the higher rank wins; equal ranks split the pot.
The return is the chips won in the hand, -13 to 13; the opponent gets the negative of it.
The information state names the own card (Private), the round, the board card (Public) from round 2 on, the pot, the
money that both have left, and the actions of both rounds in order (Round1, Round2)."""

_DICE = """\
Liar's dice: both players roll {dice} of {sides} sides and see only their own. They take turns, player 0 first, to bid
a quantity and a face: "2-4" says that among all dice at least two show a 4. The highest face, {sides}, is wild: it
counts as every face. A bid must be higher than the one before: {order}. Instead of bidding, a
player may say "Liar", the last action: all dice are shown, and whoever said it wins if the last bid is false, and loses
if it is true. The first player cannot say it.
The return is 1 for the winner and -1 for the loser.
The information state is the own roll followed by the bids so far."""

_ORDER = MappingProxyType(
    {
        "reset-face": "a higher quantity with any face, or the same quantity with a higher face",
        "reset-quantity": "a higher face with any quantity, or the same face with a higher quantity",
    }
)

_OBSERVATION = """\
obs is the player's own dict. It stays the same object for the whole episode and is brought up to date before every act.
obs["game"]               name of the game, with its parameters
obs["player"]             seat, 0 or 1; the seats {seats}
obs["legal_actions"]      numbers of the actions that may be chosen now, in order
obs["action_names"]       their names, in the same order
obs["information_state"]  {state}
obs["move_number"]        how many moves the player has made so far in this episode{tensor}
An example of the very first observation of player 0{dealt}:
{first}
An example of the very first observation of player 1:
{second}"""

_SHOWN_ENTRIES = 400
"""A matrix with more entries is not written out: a prompt would be nothing but numbers."""

_TENSOR = """
obs["tensor"]             list of numbers: OpenSpiel's tensor of the same information"""


@dataclass(frozen=True)
class Facts:
    """What words are made from.

    Attributes:
        spec: the game.
        long_name: for people.
        game: the `pyspiel.Game`.
        bounds: least and largest return.
        zero_sum: True where returns add up to 0.
        offset: taken off every return of a constant-sum game; else 0.
        symmetric: True where both seats play the same game.
        forfeit: the forfeit rule in a sentence.
        names: names of the actions of each player.
        first: first observation of each player.
        payoffs: `[2, A_0, A_1]` payoffs of the one step, or of the step that is repeated; None for other games.
    """

    spec: GameSpec
    long_name: str
    game: Any
    bounds: tuple[float, float]
    zero_sum: bool
    offset: float
    symmetric: bool
    forfeit: str
    names: tuple[tuple[str, ...], tuple[str, ...]]
    first: tuple[dict[str, Any], dict[str, Any]]
    payoffs: NDArray[np.float64] | None = None


def written(spec: GameSpec) -> str:
    """Returns a spec as it is written on the command line."""
    inside = ", ".join(f"{key}={_value(value)}" for key, value in spec.parameters.items())
    return f"{spec.name}({inside})" if inside else spec.name


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def rules(facts: Facts) -> str:
    """Returns the rules."""
    own = _own_words(facts)
    opening = own if own is not None else _from_the_object(facts)
    unit = "" if own is not None else f"\n{_returns(facts)}"
    return (
        f"{opening}{unit}\nA policy may choose at random (import random): then its mean return counts. "
        f"Nothing is carried from one episode to the next.\n{facts.forfeit}"
    )


def observation(facts: Facts) -> str:
    """Returns what `obs` holds, with the first observation of each player."""
    kind = facts.game.get_type()
    if kind.provides_information_state_string:
        state = "text: everything that the player has seen so far in this episode, its own moves included"
    else:
        state = "text: the position; nothing is hidden in this game, so it says all that matters"
    chance = kind.chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC
    return _OBSERVATION.format(
        seats="play by the same rules" if facts.symmetric else "play different parts of the game",
        state=state,
        tensor=_TENSOR if "tensor" in facts.first[0] else "",
        dealt=" (chance decides what it is)" if chance else "",
        first=facts.first[0],
        second=facts.first[1],
    )


def _own_words(facts: Facts) -> str | None:
    name = facts.spec.name
    parameters: Mapping[str, Any] = facts.game.get_parameters()
    given = set(facts.spec.parameters) - {"tensor"}
    if name == "liars_dice" and given <= {"numdice", "dice_sides", "bidding_rule"}:
        dice = int(parameters.get("numdice", 1))
        order = _ORDER.get(str(parameters.get("bidding_rule", "reset-face")))
        sides = int(parameters.get("dice_sides", 6))
        many = "one die" if dice == 1 else f"{dice} dice"
        return None if order is None else _DICE.format(dice=many, sides=sides, order=order)
    if given:
        return None
    return {"kuhn_poker": _KUHN, "leduc_poker": _LEDUC}.get(name)


def _from_the_object(facts: Facts) -> str:
    kind = facts.game.get_type()
    together = kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    once = facts.game.max_game_length() == 1
    lines = [
        f"{facts.long_name}: the game {written(facts.spec)} of OpenSpiel, for two players.",
        "Both players choose at the same time" + (", once." if once else ", at every step.")
        if together
        else "The players move one after the other; who is asked is on turn.",
    ]
    if kind.chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC:
        lines.append("Chance moves too (cards, dice or the like), by the probabilities of the game.")
    if kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION:
        lines.append("Nothing is hidden: both players see every move that is over.")
    elif kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION:
        lines.append("Some of it is hidden: a player knows only its own information state.")
    if not once:
        lines.append(f"An episode has at most {facts.game.max_game_length():,} moves.")
    lines += [_actions(facts, player) for player in (0, 1)]
    if facts.payoffs is not None and facts.payoffs[0].size <= _SHOWN_ENTRIES:
        lines += _table(facts.payoffs, facts.zero_sum, once)
    return "\n".join(lines)


def _actions(facts: Facts, player: int) -> str:
    names = facts.names[player]
    shown = ", ".join(f"{number} {name}" for number, name in enumerate(names[:24]) if name != str(number))
    more = " …" if len(names) > 24 else ""
    told = f", such as {shown}{more}" if shown else ""
    return f"Player {player} chooses among {len(names)} actions, 0 to {len(names) - 1}{told}."


def _table(payoffs: NDArray[np.float64], zero_sum: bool, once: bool) -> list[str]:
    """Returns the payoffs as lines: those of player 0 only, where the others follow from them."""
    what = "the play" if once else "one step"
    lines = [f"Payoff of {what} to player 0; rows are its own actions, columns those of player 1:", *_rows(payoffs[0])]
    if zero_sum:
        return [*lines, "Player 1 gets the negative of it."]
    return [*lines, "Payoff to player 1; rows are the actions of player 0, columns its own:", *_rows(payoffs[1])]


def _rows(matrix: NDArray[np.float64]) -> list[str]:
    return ["  [" + ", ".join(f"{entry:g}" for entry in row) + "]" for row in matrix]


def _returns(facts: Facts) -> str:
    low, high = facts.bounds
    between = f"The return of an episode is between {low:g} and {high:g}"
    if facts.zero_sum and facts.offset:
        return f"{between}, counted from {facts.offset:g}, half of what there is; the opponent gets the negative of it."
    if facts.zero_sum:
        return f"{between}; the opponent gets the negative of it."
    if facts.game.get_type().utility == pyspiel.GameType.Utility.IDENTICAL:
        return f"{between}, and the same for both players: the payoff is common, and they play together."
    return f"{between}; the returns of the two players do not add up to a constant, so both may gain or lose together."
