"""What a style of Leduc poker is worth against other styles: exactly, without playing a hand.

Arrays over hands are `[3, 3]`: own card and board, both by rank J, Q, K. Chips are per hand, mean of both seats.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, reduce

import numpy as np
from numpy.typing import NDArray

from csro_core.games.repeated_leduc_hands import RAISE, Spot, leduc_rules
from csro_core.models.synthesiser.leduc_genome import STEPS, Shares, Style

Vector = NDArray[np.float64]

_STRENGTH = np.array([[2, 0, 0], [0, 2, 1], [1, 1, 2]])
"""`[own card, board]` strength in round 2 (see `leduc_genome`)."""

_TABLES = ("bets", "raises", "calls")
_LEAST_LOSS = 0.1
_NO_ACT = 24
"""The place in `_chances` of an act that does not take place, with the chance 1."""

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
        self._stakes: list[Vector] = []  # of each seat `[E, 3, 3]`, by ending, own card and board
        for seat in (0, 1):
            reach = sum((weight / total * _reach(style, 1 - seat) for style, weight in opponents), np.float64(0))
            parts = zip(_won(seat), np.asarray(reach), strict=True)
            self._stakes.append(np.array([np.einsum("oxb,oxb,xb->ob", _dealt(), *part) / 2 for part in parts]))

    def worth(self, style: Style) -> float:
        """Returns the chips that a style wins per hand."""
        parts = [stakes * _reach(style, seat) for seat, stakes in enumerate(self._stakes)]
        # One ending after the other: numpy's own order differs with the size, and the last digit decides climbs.
        return float(np.concatenate(parts).reshape(-1, 9).sum(axis=1).cumsum()[-1])


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


@cache
def _won(seat: int) -> Vector:
    """Returns `[E, own, opponent's, board]` chips that a seat wins at every ending."""
    chips = [
        ending.spot.chips * (_signs() if ending.spot.shown_down else np.full((3, 3, 3), 1 - 2 * seat))
        for ending in _endings()
    ]
    return np.array(chips)


@cache
def _own_acts(player: int) -> NDArray[np.int64]:
    """Returns `[E, K]` a player's acts on the way to every ending, as places in `_chances`, filled up with _NO_ACT."""
    acts = [
        [3 * _situation(spot) + action for spot, action in ending.acts if spot.player == player]
        for ending in _endings()
    ]
    most = max(len(own) for own in acts)
    return np.array([own + [_NO_ACT] * (most - len(own)) for own in acts])


def _situation(spot: Spot) -> int:
    """Returns the place of (round, something to call, a raise is allowed) in `_chances`."""
    return 4 * (spot.round - 1) + 2 * (spot.to_call > 0) + (RAISE in spot.after)


def _reach(style: Style, player: int) -> Vector:
    """Returns `[E, own card, board]` the chance that a player's own acts lead to every ending."""
    return np.asarray(_chances(style)[_own_acts(player)].prod(axis=1))


@lru_cache(maxsize=512)
def _chances(style: Style) -> Vector:
    """Returns `[25, own card, board]` chances to fold, call and raise in each of eight situations; last is 1."""
    chances = np.ones((_NO_ACT + 1, 3, 3))
    for stage, strengths in enumerate((np.repeat(np.arange(3)[:, None], 3, axis=1), _STRENGTH)):
        bet, more, calls = (
            np.array(shares[stage])[strengths] for shares in (style.bets, style.raises, style.calls)
        )
        for may_raise in (0, 1):
            chances[3 * (4 * stage + may_raise) :][:3] = np.zeros((3, 3)), 1 - bet, bet
            up = more * may_raise
            stay = (1 - up) * calls
            chances[3 * (4 * stage + 2 + may_raise) :][:3] = 1 - up - stay, stay, up
    return chances


def loss_at_worst(style: Style) -> float:
    """Returns the chips per hand that the best answer to a style wins from it, >= 0 but for rounding.

    It follows from the rules and the style alone: the best answer is found by looking through the hand from its end.
    """
    return sum(float(_best(leduc_rules().first, seat, iter(_ends(style, seat))).sum()) for seat in (0, 1)) / 2


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


def _ends(style: Style, seat: int) -> Vector:
    """Returns `[E, own, board]` chips that a seat wins at every ending, times the chance that a style leads there."""
    weights = _dealt()[None]
    for acts in _own_acts(1 - seat).T:
        weights = weights * _chances(style)[acts][:, None]
    return np.asarray((_won(seat) * weights).sum(axis=2))


def _best(spot: Spot, seat: int, ends: Iterator[Vector]) -> Vector:
    """Returns `[own, board]` chips, times weights, that best play from a seat wins from here on.

    Args:
        spot: where the hand stands.
        seat: who plays best.
        ends: of the endings that follow, in the order of `_endings`; taken up to the last one behind this spot.
    """
    if spot.over:
        return next(ends)
    options = [_best(after, seat, ends) for after in spot.after.values()]
    if spot.player != seat:
        return reduce(np.add, options)
    if spot.round == 2:
        return reduce(np.maximum, options)
    # The board is not known yet: one action for all boards.
    chosen = np.array([option.sum(axis=1) for option in options]).argmax(axis=0)
    return np.asarray(np.array(options)[chosen, np.arange(3)])
