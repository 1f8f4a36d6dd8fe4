"""Policies that a mixture of others makes superfluous, by linear programming."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from csro_core.meta_solvers.nash import maximin_program

_TRIALS = 2_000
_ACCURACY = 1e-7  # of the linear program, relative to the largest payoff
_NOTABLE = 1e-6  # a policy that loses less than this share of the largest payoff is no worse
_SHOWN = 1e-6  # weights below are left out of the mixture


@dataclass(frozen=True)
class Dominated:
    """A policy that a mixture of other policies dominates.

    Attributes:
        policy: its index.
        strict: True: it earns less against every opponent; False: never more, and less against some.
        by: the mixture as (index, weight), the heaviest first; weights sum to 1.
    """

    policy: int
    strict: bool
    by: tuple[tuple[int, float], ...]


def dominated(
    payoffs: NDArray[np.float64], on_progress: Callable[[int, int], None] | None = None
) -> tuple[Dominated, ...]:
    """Returns the dominated policies of a player, by index.

    A best response to a mixture in which every opponent has weight is dominated by nothing, not even weakly; so a few
    thousand random mixtures clear most policies, and linear programs decide about the others. A policy that was found
    dominated is left out of later mixtures: whatever it dominates, its own dominators do.

    Source: Shoham and Leyton-Brown 2009, Multiagent Systems, section 4.5 (the linear programs); Osborne and Rubinstein
    1994, A Course in Game Theory, lemma 60.1 and exercise 64.2 (best responses).

    Args:
        payoffs: `[N, M]` payoffs to the player; row: its policy, column: the opponent's.
        on_progress: hears (policies decided, N); may raise to end it.
    """
    count = payoffs.shape[0]
    scale = float(np.abs(payoffs).max()) or 1.0
    table = payoffs / scale
    open_questions = np.flatnonzero(~_best_somewhere(table))
    alive = np.ones(count, dtype=bool)
    found: list[Dominated] = []
    for place, policy in enumerate(open_questions):
        if on_progress is not None:
            on_progress(count - open_questions.size + place, count)
        others = np.flatnonzero(alive & (np.arange(count) != policy))
        verdict = _dominator(table, int(policy), others)
        if verdict is not None:
            alive[policy] = False
            found.append(verdict)
    if on_progress is not None:
        on_progress(count, count)
    return tuple(found)


def _best_somewhere(table: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Returns `[N]` whether a policy was seen to be the only best response to a mixture of full support."""
    count, opponents = table.shape
    random = np.random.default_rng(0)
    # From nearly pure to nearly even: even mixtures alone would all be answered by the same few policies.
    concentrations = np.repeat([0.01, 0.03, 0.1, 0.3, 1.0], _TRIALS // 5)
    mixtures = np.stack([random.gamma(one, size=opponents) for one in concentrations], axis=1) + 1e-12
    mixtures = 0.999 * mixtures / mixtures.sum(axis=0) + 0.001 / opponents
    earned = table @ mixtures
    if count == 1:
        return np.array([True])
    top = np.partition(earned, -2, axis=0)[-2:]
    clear = top[1] - top[0] > 1e-9
    best = np.zeros(count, dtype=bool)
    best[np.argmax(earned, axis=0)[clear]] = True
    return best


def _dominator(table: NDArray[np.float64], policy: int, others: NDArray[np.intp]) -> Dominated | None:
    """Returns how others dominate a policy, None where they do not."""
    if others.size == 0:
        return None
    ahead = table[others] - table[policy]
    pure = _pure_dominator(ahead)
    if pure is not None:
        place, strict = pure
        return Dominated(policy, strict, ((int(others[place]), 1.0),))
    weights = _strict_mixture(ahead)
    if weights is not None:
        worst = float((weights @ ahead).min())
        if worst > _NOTABLE:
            return Dominated(policy, True, _listed(weights, others))
        if worst < -_ACCURACY:
            return None  # every mixture earns less somewhere
    weights = _weak_mixture(ahead)
    if weights is not None:
        gained = weights @ ahead
        if float(gained.min()) >= -_ACCURACY and float(gained.max()) > 10 * _NOTABLE:
            return Dominated(policy, False, _listed(weights, others))
    return None


def _pure_dominator(ahead: NDArray[np.float64]) -> tuple[int, bool] | None:
    """Returns (a row that is nowhere below 0 and somewhere above, whether it is above everywhere), if there is one."""
    lowest = ahead.min(axis=1)
    best = int(np.argmax(lowest))
    if lowest[best] > 0:
        return best, True
    weak = np.flatnonzero((lowest >= 0) & (ahead.max(axis=1) > 0))
    return (int(weak[0]), False) if weak.size else None


def _strict_mixture(ahead: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Returns the weights w that maximise min_s (w^T ahead)_s; None where the program gave no answer."""
    answer = maximin_program(ahead, "highs")
    return None if answer.x is None else np.asarray(answer.x[:-1], dtype=np.float64)


def _weak_mixture(ahead: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Returns the weights w >= 0 of sum 1 that maximise sum_s (w^T ahead)_s under w^T ahead >= 0, if any."""
    others, opponents = ahead.shape
    answer = linprog(
        -ahead.sum(axis=1),
        A_ub=-ahead.T,
        b_ub=np.zeros(opponents),
        A_eq=np.ones((1, others)),
        b_eq=[1.0],
        bounds=(0.0, None),
        method="highs",
    )
    return None if answer.x is None else np.asarray(answer.x, dtype=np.float64)


def _listed(weights: NDArray[np.float64], others: NDArray[np.intp]) -> tuple[tuple[int, float], ...]:
    clipped = np.where(weights > _SHOWN, weights, 0.0)
    clipped = clipped / clipped.sum()
    order = [int(place) for place in np.argsort(-clipped, kind="stable") if clipped[place] > 0]
    return tuple((int(others[place]), float(clipped[place])) for place in order)
