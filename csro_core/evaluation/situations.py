"""Information states in plain words: poker and liar's dice have their own, any other game shows OpenSpiel's text.

The strings are those of OpenSpiel 2.0 (`kuhn_poker.cc`, `leduc_poker.cc`, `liars_dice.cc`, `InformationStateString`).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from csro_core.games.exact_tree import InformationState

_MOST = 120
_KUHN = re.compile(r"(\d)([pb]*)")
_LEDUC = re.compile(
    r"\[Observer: \d\]\[Private: (\d+)\]\[Round (\d)\].*?(?:\[Public: (\d+)\])?\[Round1: ([\d ]*)\]\[Round2: ([\d ]*)\]"
)
_RANKS = "JQK"


@dataclass(frozen=True)
class Words:
    """A situation in words.

    Attributes:
        text: when it happens, such as "facing a raise with J and no pair".
        actions: what the actions are called there, aligned with the legal actions.
    """

    text: str
    actions: tuple[str, ...]


def situation(game: str, state: InformationState) -> Words:
    """Returns an information state in words.

    Args:
        game: short name of the game.
        state: the information state.
    """
    special = _SPECIAL.get(game)
    found = special(state) if special is not None else None
    return found or _generic(state)


def _generic(state: InformationState) -> Words:
    shown = " ".join(state.key.split())
    if not shown:
        return Words("in its only move", tuple(f"choose {name}" for name in state.names))
    cut = shown if len(shown) <= _MOST else f"{shown[: _MOST - 1]}…"
    return Words(f'at "{cut}"', tuple(f"choose {name}" for name in state.names))


def _kuhn(state: InformationState) -> Words | None:
    read = _KUHN.fullmatch(state.key)
    if read is None or int(read[1]) >= len(_RANKS):
        return None
    card, before = _RANKS[int(read[1])], read[2]
    if before.endswith("b"):
        after = " after your pass" if len(before) == 2 else ""
        return Words(f"facing a bet{after} with {card}", ("fold", "call"))
    where = "after a pass" if before else "first to act"
    return Words(f"{where} with {card}", ("pass", "bet"))


def _leduc(state: InformationState) -> Words | None:
    read = _LEDUC.search(state.key)
    if read is None:
        return None
    private, turn, public, first, second = read.groups()
    # Two suits: cards 0 and 1 are jacks. With suit_isomorphism there are three cards.
    ranks = 1 if _isomorphic(state) else 2
    card = _rank(int(private), ranks)
    if card is None:
        return None
    bets = (second if turn == "2" else first).split()
    names = {0: "fold", 1: "call" if "2" in bets else "check", 2: "raise" if "2" in bets else "bet"}
    where = _betting(bets)
    before = f", round 1 {_history(first.split())}" if turn == "2" else ""
    board = _rank(int(public), ranks) if public is not None else None
    pair = "a pair of " + card + "s" if board == card else f"{card} and no pair (board {board})"
    holding = f"{card} before the board" if board is None else pair
    return Words(f"{where} with {holding}{before}", tuple(names.get(action, "act") for action in state.actions))


def _isomorphic(state: InformationState) -> bool:
    return bool(re.search(r"suit_isomorphism\s*=\s*[Tt]rue", str(state.observation.get("game", ""))))


def _rank(card: int, suits: int) -> str | None:
    number = card // suits
    return _RANKS[number] if number < len(_RANKS) else None


def _betting(bets: list[str]) -> str:
    raises = bets.count("2")
    if raises == 0:
        return "after a check" if bets else "first to act"
    return "facing a bet" if raises == 1 else "facing a raise"


def _history(bets: list[str]) -> str:
    words, raised = [], False
    for bet in bets:
        words.append(("raise" if raised else "bet") if bet == "2" else ("call" if raised else "check"))
        raised = raised or bet == "2"
    return "-".join(words) or "without a bet"


def _liars_dice(state: InformationState) -> Words | None:
    dice, *bids = state.key.split()
    if not dice.isdigit():
        return None
    shown = ", ".join(dice)
    where = f"facing the bid {bids[-1]}" if bids else "with the first bid"
    before = f" after {' '.join(bids[:-1])}" if len(bids) > 1 else ""
    names = tuple("call liar" if name == "Liar" else f"bid {name}" for name in state.names)
    return Words(f"{where}{before} holding {shown}", names)


_SPECIAL: Mapping[str, Callable[[InformationState], Words | None]] = MappingProxyType(
    {"kuhn_poker": _kuhn, "leduc_poker": _leduc, "liars_dice": _liars_dice}
)
