"""The payoff tensor of a meta-game, built from cells: means with errors, counts and per-episode samples.

Axes: `N_p` policies of player p, `E` episodes of the longest cell. Everything is the payoff *to that player*.

Errors of cells whose episodes are all equal: two deterministic policies give equal episodes and their payoff is
known exactly, so the standard error is 0.0. Luck can look the same: a payoff that differs in a share q of the
episodes comes out equal E times with probability about (1 - q)^E, which is nothing in a match of 1,000 throws and
a lot in a one-shot game with few outcomes (0.43 for q = 0.1 and E = 8). So play one-shot games for many episodes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csro_core.metagame.cells import Cell, Key, KnownCells
from csro_core.metagame.population import Entry, Populations


@dataclass(frozen=True)
class PayoffTable:
    """The estimated meta-game. Cells that were never played hold NaN.

    Clean means: without the episodes that the player's opponent forfeited, so that nobody wins by breaking the other.

    Attributes:
        played: `[2, N_0, N_1]` mean payoffs as played.
        played_stderr: `[2, N_0, N_1]` standard errors; 0.0 where all episodes are equal, NaN from a single one.
        clean: `[2, N_0, N_1]` mean clean payoffs; NaN where no clean episode is left.
        clean_stderr: `[2, N_0, N_1]` standard errors of those.
        episodes: `[N_0, N_1]` episodes played; 0 where a payoff is 0 by symmetry (a policy against itself).
        samples: `[2, N_0, N_1, E]` returns as played; NaN beyond what was played.
        clean_samples: `[2, N_0, N_1, E]` the same with NaN where the opponent forfeited.
        known: `[N_0, N_1]` True where the cell was played or follows from symmetry.
        forfeits: `[N_0, N_1, 2]` how many episodes the row and the column policy forfeited.
    """

    played: NDArray[np.float64]
    played_stderr: NDArray[np.float64]
    clean: NDArray[np.float64]
    clean_stderr: NDArray[np.float64]
    episodes: NDArray[np.int64]
    samples: NDArray[np.float64]
    clean_samples: NDArray[np.float64]
    known: NDArray[np.bool_]
    forfeits: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which cell says how two policies do against each other.

    Attributes:
        first: the policy that sits first in the cell.
        second: the other one.
        mirrored: True where the cell's second policy is the row policy.
    """

    first: Entry
    second: Entry
    mirrored: bool

    @property
    def key(self) -> Key:
        """Identity of the cell: the two tree hashes."""
        return self.first.tree_hash, self.second.tree_hash


def pairing(row: Entry, column: Entry, symmetric: bool, zero_sum: bool) -> Pairing | None:
    """Returns the cell that is played for a pair. This is the one place where symmetry saves work.

    In a symmetric game one ordered cell per unordered pair of syntax trees is played, with the lexicographically
    smaller tree hash as its row; the other one is its mirror image.

    Args:
        row: policy of player 0.
        column: policy of player 1.
        symmetric: True where one population serves both seats.
        zero_sum: True where the two returns of every episode add up to 0.

    Returns:
        The pairing, or None where the payoff is exactly 0 without playing: equal syntax trees in a symmetric
        zero-sum game.
    """
    if symmetric and zero_sum and row.tree_hash == column.tree_hash:
        return None
    if symmetric and row.tree_hash > column.tree_hash:
        return Pairing(column, row, mirrored=True)
    return Pairing(row, column, mirrored=False)


def build_table(populations: Populations, cells: KnownCells, zero_sum: bool) -> PayoffTable:
    """Collects the cells of all pairs.

    Args:
        populations: who plays.
        cells: where the cells are kept; a pair without one is marked unknown.
        zero_sum: True where the two returns of every episode add up to 0.

    Returns:
        The table; `complete` where no cell is missing.
    """
    rows, columns = populations.of(0), populations.against(0)
    pairs = [[pairing(row, column, populations.symmetric, zero_sum) for column in columns] for row in rows]
    found = cells.many({pair.key for line in pairs for pair in line if pair is not None})
    length = max((cell.episodes for cell in found.values()), default=2)  # two zeros have a standard error: 0

    shape = (len(rows), len(columns))
    samples = np.full((2, *shape, length), np.nan)
    clean = np.full((2, *shape, length), np.nan)
    episodes = np.zeros(shape, dtype=np.int64)
    forfeits = np.zeros((*shape, 2), dtype=np.int64)
    known = np.zeros(shape, dtype=np.bool_)
    for i, line in enumerate(pairs):
        for j, pair in enumerate(line):
            if pair is None:
                samples[:, i, j] = clean[:, i, j] = 0.0
                known[i, j] = True
                continue
            cell = found.get(pair.key)
            if cell is None:
                continue
            returns, lost = _seen_from_row(cell, pair, populations.symmetric)
            count = cell.episodes
            samples[:, i, j, :count] = returns.T
            clean[:, i, j, :count] = np.where(lost[:, ::-1], np.nan, returns).T
            episodes[i, j] = count
            forfeits[i, j] = lost.sum(axis=0)
            known[i, j] = True
    played_mean, played_stderr = mean_and_stderr(samples)
    clean_mean, clean_stderr = mean_and_stderr(clean)
    return PayoffTable(
        played_mean, played_stderr, clean_mean, clean_stderr, episodes, samples, clean, known, forfeits
    )


def _seen_from_row(
    cell: Cell, pair: Pairing, symmetric: bool
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Returns `[E, 2]` returns and forfeits, row policy first."""
    if symmetric and pair.first.tree_hash == pair.second.tree_hash:
        # A policy against itself in a general-sum game: both seats are the same policy, so both count alike.
        both = cell.returns.mean(axis=1, keepdims=True).repeat(2, axis=1)
        return both, cell.forfeits.any(axis=1, keepdims=True).repeat(2, axis=1)
    seen = cell.mirrored() if pair.mirrored else cell
    return seen.returns, seen.forfeits


def mean_and_stderr(samples: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Averages over the last axis without NaN.

    Seats alternate between episodes, so a difference between seats counts as spread: errors are a little large.

    Args:
        samples: `[..., E]`, NaN = no sample.

    Returns:
        Means `[...]`, NaN without a sample, and standard errors `[...]`: 0.0 where all of at least two samples are
        equal, NaN where there are fewer than two.
    """
    present = ~np.isnan(samples)
    count = present.sum(axis=-1)
    some = np.maximum(count, 1)
    filled = np.where(present, samples, 0.0)
    # A mean of equal numbers can differ from them by rounding; taking one of them off first makes it exact.
    base = np.take_along_axis(filled, present.argmax(axis=-1)[..., np.newaxis], axis=-1)
    shifted = np.where(present, samples - base, 0.0)
    shift = shifted.sum(axis=-1) / some
    deviations = np.where(present, shifted - shift[..., np.newaxis], 0.0)
    variance = (deviations**2).sum(axis=-1) / np.maximum(count - 1, 1)
    mean = np.where(count > 0, base[..., 0] + shift, np.nan)
    stderr = np.where(count > 1, np.sqrt(variance / some), np.nan)
    return mean, stderr
