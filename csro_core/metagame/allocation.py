"""Where further episodes of a meta-game are worth most: the cells that move sigma, and who seems to answer it best.

The payoff of policy i against sigma has the variance sum_j sigma_j^2 s_ij^2 / n_ij, for s_ij the spread of the episodes
of a cell and n_ij their number. These variances are what an estimated sigma suffers from: they hide a better response,
and they are the tolerance of `max-entropy-nash`. Each policy's counts with a weight between `LEAST_WEIGHT` and 1: fully
where the policy may well be the best response (or the rival that a finalist must beat to be admitted), hardly where it
is many standard errors behind. Minimising the weighted sum for a given number of episodes gives every cell episodes in
proportion to the square root of what it adds: the optimum allocation of stratified samples (Neyman 1934), with weights
in the spirit of the optimal computing budget allocation (Chen, Lin, Yuecesan and Chick 2000). Sigma is not known
beforehand, so this is done in rounds: play, solve, allocate again.

Cells without spread are never played further. Cells are taken as independent; that they share their seeds is left out.

Axes: `N_p` policies of player p.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Sigma = tuple[Floats, Floats]

LEAST_WEIGHT = 0.1
"""Weight of a policy that is far behind: without it the noise of its payoff would stay, and a tolerance with it."""

_REACH = 2.0  # standard errors behind the best at which a weight has fallen to exp(-1/2)
_PRIOR_EPISODES = 4.0  # how much the spread of the other cells counts where a cell has few episodes of its own
_HALVINGS = 60


@dataclass(frozen=True)
class Measured:
    """A meta-game as far as it is known.

    Attributes:
        payoffs: `[2, N_0, N_1]` means.
        stderr: `[2, N_0, N_1]` their standard errors; 0.0 where every episode is equal.
        episodes: `[N_0, N_1]` how many they rest on; 0 where a payoff is known without playing.
        symmetric: True where one population serves both seats: a cell and its mirror image are the same matches.
    """

    payoffs: Floats
    stderr: Floats
    episodes: Counts
    symmetric: bool


@dataclass(frozen=True)
class Wish:
    """What a round may spend, and what is enough.

    Attributes:
        budget: most further episodes of all cells together.
        most: most episodes of a cell.
        stderr: standard error that a policy's payoff against sigma shall have, in the unit of the game; a policy far
            behind the best may have up to sqrt(1 / `LEAST_WEIGHT`) = 3.2 times as much. None: the budget is spent.
    """

    budget: int
    most: int
    stderr: float | None = None


def further_episodes(measured: Measured, sigma: Sigma, wish: Wish) -> Counts:
    """Returns how many further episodes each cell should have next.

    Args:
        measured: what is known; no cell may be missing.
        sigma: `[N_0]` and `[N_1]`, the solution of that meta-game.
        wish: see `Wish`.

    Returns:
        `[N_0, N_1]` even numbers, >= 0, symmetric where the game is; none at all where everything is known well enough.
    """
    known = _Known(measured, sigma)
    counts, symmetric = measured.episodes.astype(np.float64), measured.symmetric
    upper = np.maximum(counts, wish.most)
    if wish.stderr is not None:
        upper = _enough(known, counts, upper, wish.stderr)
    once = np.triu(np.ones(counts.shape, dtype=np.bool_)) if symmetric else np.ones(counts.shape, dtype=np.bool_)
    if symmetric:
        upper = np.maximum(upper, upper.T)
    pull = np.sqrt(known.worth())
    free = once & (pull > 0) & (upper > counts)
    pairs = np.zeros(counts.shape, dtype=np.int64)
    pairs[free] = _filled(pull[free], counts[free], upper[free], wish.budget)
    return 2 * (np.maximum(pairs, pairs.T) if symmetric else pairs)


class _Known:
    """Spread of the cells, and how much the payoff of every policy matters."""

    def __init__(self, measured: Measured, sigma: Sigma) -> None:
        variances = _variances(measured)
        # From here on everything is seen by the player whose policies are the rows.
        self.variances = (variances[0], variances[1].T)
        self.counts = (measured.episodes, measured.episodes.T)
        self.opposing = (sigma[1] ** 2, sigma[0] ** 2)
        against = (measured.payoffs[0] @ sigma[1], measured.payoffs[1].T @ sigma[0])
        self.weights = tuple(
            _weights(payoffs, self.squared_stderr(player)) for player, payoffs in enumerate(against)
        )

    def squared_stderr(self, player: int, counts: Floats | None = None) -> Floats:
        """Returns `[N_p]` the variance of each policy's payoff against sigma, with these `[N_p, N_-p]` counts."""
        episodes = np.maximum(self.counts[player] if counts is None else counts, 1)
        return np.asarray((self.variances[player] / episodes) @ self.opposing[player])

    def worth(self) -> Floats:
        """Returns `[N_0, N_1]` what a cell adds to the weighted sum of variances, times its episodes."""
        first, second = (
            np.outer(self.weights[player], self.opposing[player]) * self.variances[player] for player in (0, 1)
        )
        return np.asarray(first + second.T, dtype=np.float64)


def _variances(measured: Measured) -> Floats:
    """Returns `[2, N_0, N_1]` the variance of an episode, 0.0 in cells that need no further one.

    A few episodes may look alike by luck, so each cell's own variance is mixed with the median of all.
    """
    episodes = np.broadcast_to(measured.episodes, measured.stderr.shape)
    own = np.where(episodes > 1, measured.stderr**2 * episodes, np.nan)
    noisy = own > 0
    if not noisy.any():
        return np.zeros(own.shape)
    freedom = episodes - 1
    mixed = (_PRIOR_EPISODES * float(np.median(own[noisy])) + freedom * own) / (_PRIOR_EPISODES + freedom)
    return np.where(noisy, mixed, 0.0)


def _weights(payoffs: Floats, squared_stderr: Floats) -> Floats:
    """Returns `[N]` how much the payoff of a policy matters: 1 for the best against sigma."""
    best = int(payoffs.argmax())
    spread = np.sqrt(squared_stderr + squared_stderr[best])
    behind = payoffs[best] - payoffs
    distance = np.divide(behind, spread, out=np.where(behind > 0, np.inf, 0.0), where=spread > 0)
    return np.asarray(np.maximum(LEAST_WEIGHT, np.exp(-((distance / _REACH) ** 2) / 2)), dtype=np.float64)


def _enough(known: _Known, counts: Floats, upper: Floats, stderr: float) -> Floats:
    """Returns `[N_0, N_1]` how many episodes are enough for the wanted standard errors: the most that any policy needs.

    Each policy's own need is the cheapest one: episodes in proportion to sigma_j s_ij.
    """
    needs = []
    for player, (have, most) in enumerate(((counts, upper), (counts.T, upper.T))):
        allowed = stderr**2 / known.weights[player]
        pull = np.sqrt(known.variances[player] * known.opposing[player])
        low = np.zeros(have.shape[0])  # level 0: `most` everywhere
        high = np.maximum(pull.max(axis=1), 1e-300)  # at that level nothing is added
        for _ in range(_HALVINGS):
            level = (low + high) / 2
            there = _at_level(pull, have, most, level[:, np.newaxis])
            satisfied = known.squared_stderr(player, there) <= allowed
            low, high = np.where(satisfied, level, low), np.where(satisfied, high, level)
        need = _at_level(pull, have, most, low[:, np.newaxis])
        lacking = known.squared_stderr(player, have) > allowed
        needs.append(np.where(lacking[:, np.newaxis], need, have))
    return np.asarray(np.maximum(needs[0], needs[1].T), dtype=np.float64)


def _at_level(pull: Floats, have: Floats, most: Floats, level: Floats | float) -> Floats:
    """Returns how many episodes each cell has at a level, between what it has and its most."""
    wanted = np.divide(pull, level, out=np.where(pull > 0, np.inf, 0.0), where=np.asarray(level) > 0)
    return np.asarray(np.clip(wanted, have, most))


def _filled(pull: Floats, have: Floats, most: Floats, budget: int) -> Counts:
    """Returns `[C]` pairs of further episodes of the cells, together at most `budget` episodes.

    The pairs that a level leaves in fractions go to the largest of them, the first of equal ones.
    """
    room = np.ceil((most - have) / 2)
    pairs = max(0, budget // 2)
    if not pull.size or pairs == 0:
        return np.zeros(pull.shape, dtype=np.int64)
    if float(room.sum()) <= pairs:
        return room.astype(np.int64)
    low, high = 0.0, float(pull.max())
    for _ in range(_HALVINGS):
        level = (low + high) / 2
        if float((_at_level(pull, have, most, level) - have).sum()) > 2 * pairs:
            low = level
        else:
            high = level
    wanted = (_at_level(pull, have, most, high) - have) / 2
    given = np.floor(wanted)
    left = pairs - int(given.sum())
    by_fraction = np.argsort(-(wanted - given), kind="stable")
    by_fraction = by_fraction[given[by_fraction] < room[by_fraction]][:left]
    given[by_fraction] += 1
    return given.astype(np.int64)
