"""What a style of Leduc poker is worth against other styles: exactly, without playing a hand.

Arrays over hands are `[3, 3]`: own card and board, both by rank J, Q, K. Chips are per hand, mean of both seats.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from csro_core.games.repeated_leduc_hands import RAISE, Spot, leduc_rules
from csro_core.models.synthesiser.leduc_genome import STEPS, Shares, Style

Vector = NDArray[np.float64]

_STRENGTH = np.array([[2, 0, 0], [0, 2, 1], [1, 1, 2]])
"""`[own card, board]` strength in round 2 (see `leduc_genome`)."""

_TABLES = ("bets", "raises", "calls")
_LEAST_LOSS = 0.1
_STEPS_OF_CHANGE = (-8, -4, -2, 2, 4, 8)


@dataclass(frozen=True, eq=False)
class _Ending:
    """A way in which a hand ends: who did what in which spot, and what the first player wins (see `Spot`)."""

    acts: tuple[tuple[Spot, int], ...]
    spot: Spot


class Target:
    """Opponents to be answered: knows what any style earns against their mean."""

    def __init__(self, opponents: Sequence[tuple[Style, float]]) -> None:
        """Sums the opponents up.

        Args:
            opponents: styles and their weights, > 0; one of them is met for a whole episode.
        """
        total = sum(weight for _, weight in opponents)
        self._stakes: list[tuple[int, _Ending, Vector]] = []
        for seat in (0, 1):
            for ending in _endings():
                reach = sum(
                    (weight / total * _reach(style, ending, 1 - seat) for style, weight in opponents), np.zeros((3, 3))
                )
                chips = _chips(ending.spot) * (1 if seat == 0 or ending.spot.shown_down else -1)
                stake: Vector = np.einsum("oxb,oxb,xb->ob", _dealt(), chips, reach) / 2
                self._stakes.append((seat, ending, stake))

    def worth(self, style: Style) -> float:
        """Returns the chips that a style wins per hand."""
        return float(sum((stake * _reach(style, ending, seat)).sum() for seat, ending, stake in self._stakes))


def unyielding(opponents: Sequence[tuple[Style, float]]) -> Target:
    """Returns opponents as a target in which those weigh little that lose much to who knows them.

    Args:
        opponents: styles and their weights, > 0. A weight is divided by the square of `loss_at_worst`.
    """
    return Target([(style, weight / max(_LEAST_LOSS, loss_at_worst(style)) ** 2) for style, weight in opponents])


def improved(style: Style, target: Target, rng: np.random.Generator, tries: int, caution: float = 0.0) -> Style:
    """Returns a style that answers the target better, some chances away from this one.

    Args:
        style: where the climb begins.
        target: the opponents.
        rng: the randomness.
        tries: how many changes of one chance are tried.
        caution: what a chip lost to the best answer to the style weighs against a chip won from the target, >= 0; a
            full answer to one opponent is easy prey for the next (M. Johanson, M. Zinkevich and M. Bowling,
            "Computing Robust Counter-Strategies", NeurIPS 2007).
    """

    def value(candidate: Style) -> float:
        return target.worth(candidate) - (caution * loss_at_worst(candidate) if caution else 0.0)

    best = value(style)
    for _ in range(tries):
        changed = nudged(style, rng)
        gained = value(changed)
        if gained > best:
            style, best = changed, gained
    return style


def nudged(style: Style, rng: np.random.Generator) -> Style:
    """Returns the style with one chance moved by a tenth to four tenths."""
    table = _TABLES[int(rng.integers(3))]
    stage, hand = int(rng.integers(2)), int(rng.integers(3))
    shares: Shares = getattr(style, table)
    step = _STEPS_OF_CHANGE[int(rng.integers(len(_STEPS_OF_CHANGE)))]
    level = min(STEPS, max(0, round(shares[stage][hand] * STEPS) + step))
    rows = [list(row) for row in shares]
    rows[stage][hand] = level / STEPS
    first, second = (_row(row) for row in rows)
    if table == "bets":
        return replace(style, bets=(first, second))
    return replace(style, raises=(first, second)) if table == "raises" else replace(style, calls=(first, second))


def _row(values: Sequence[float]) -> tuple[float, float, float]:
    low, middle, high = values
    return low, middle, high


@cache
def _endings() -> tuple[_Ending, ...]:
    return tuple(_walk(leduc_rules().first, ()))


def _walk(spot: Spot, acts: tuple[tuple[Spot, int], ...]) -> Iterator[_Ending]:
    if spot.over:
        yield _Ending(acts, spot)
    for action, following in spot.after.items():
        yield from _walk(following, (*acts, (spot, action)))


@cache
def _dealt() -> Vector:
    """Returns `[own, opponent's, board]` chances of a deal."""
    chances = np.zeros((3, 3, 3))
    for own, other, board in np.ndindex(3, 3, 3):
        chances[own, other, board] = 2 * (2 - (own == other)) * max(0, 2 - (board == own) - (board == other)) / 120
    return chances


@cache
def _signs() -> Vector:
    """Returns `[own, opponent's, board]` 1 where the own hand wins a showdown, -1 where it loses."""
    deals = leduc_rules().deals
    signs = [0 if deal is None else deal.sign for deal in deals]
    return np.array(signs, dtype=np.float64).reshape(3, 3, 3)


def _chips(spot: Spot) -> Vector:
    """Returns `[own, opponent's, board]` chips of the first player; of the own side at a showdown."""
    return spot.chips * (_signs() if spot.shown_down else np.ones((3, 3, 3)))


def _reach(style: Style, ending: _Ending, player: int) -> Vector:
    """Returns `[own card, board]` the chance that a player's own acts lead to this ending."""
    reach = np.ones((3, 3))
    for spot, action in ending.acts:
        if spot.player == player:
            reach *= _chances(style, spot.round - 1, spot.to_call > 0, RAISE in spot.after)[action]
    return reach


@cache
def _ranks() -> NDArray[np.int64]:
    return np.repeat(np.arange(3)[:, None], 3, axis=1)


@lru_cache(maxsize=512)
def _chances(style: Style, stage: int, facing: bool, may_raise: bool) -> tuple[Vector, Vector, Vector]:
    """Returns `[own card, board]` chances to fold, call and raise (actions 0, 1, 2)."""
    strengths = _STRENGTH if stage else _ranks()
    if not facing:
        bet = np.array(style.bets[stage])[strengths]
        return np.zeros((3, 3)), 1 - bet, bet
    more = np.array(style.raises[stage])[strengths] * may_raise
    stay = (1 - more) * np.array(style.calls[stage])[strengths]
    return 1 - more - stay, stay, more


def loss_at_worst(style: Style) -> float:
    """Returns the chips per hand that the best answer to a style wins from it, >= 0 but for rounding.

    It follows from the rules and the style alone: the best answer is found by looking through the hand from its end.
    """
    return sum(float(_answer(leduc_rules().first, _dealt(), seat, style).sum()) for seat in (0, 1)) / 2


def steadied(style: Style, rng: np.random.Generator, tries: int) -> Style:
    """Returns a style that loses no more at worst, some chances away from this one.

    Args:
        style: where the climb begins.
        rng: the randomness.
        tries: how many changes of one chance are tried.
    """
    worst = loss_at_worst(style)
    for _ in range(tries):
        changed = nudged(style, rng)
        lost = loss_at_worst(changed)
        if lost < worst:
            style, worst = changed, lost
    return style


def _answer(spot: Spot, weights: Vector, seat: int, style: Style) -> Vector:
    """Returns `[own, board]` chips, times weights, that best play from a seat wins from here on against a style.

    Args:
        spot: where the hand stands.
        weights: `[own, opponent's, board]` chances of the cards, times those of what the opponent did with them.
        seat: who plays best.
        style: the opponent.
    """
    if spot.over:
        sign = 1 if seat == 0 or spot.shown_down else -1
        return np.asarray((sign * _chips(spot) * weights).sum(axis=1))
    if spot.player != seat:
        chances = _chances(style, spot.round - 1, spot.to_call > 0, RAISE in spot.after)
        parts = [_answer(after, weights * chances[action], seat, style) for action, after in spot.after.items()]
        return np.asarray(sum(parts))
    options = np.array([_answer(after, weights, seat, style) for after in spot.after.values()])
    if spot.round == 2:
        return np.asarray(options.max(axis=0))
    # The board is not known yet: one action for all boards.
    chosen = options.sum(axis=2).argmax(axis=0)
    return np.asarray(options[chosen, np.arange(3)])
