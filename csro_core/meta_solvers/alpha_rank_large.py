"""alpha-rank of two populations with too many profiles for a dense chain: by sweeps over the players.

Axes: `N_p` policies of player p.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SWEEPS = 2_000
_CLOSE = 1e-9  # total change of the distribution in a sweep
_LOOK = 10  # sweeps between two looks
_LEAST = 1e-9  # rate of a step below which it counts as this, relative to a neutral one's


def large_stationary(row_rates: Array, column_rates: Array) -> tuple[Array, bool]:
    """Returns the stationary distribution over pairs of policies.

    In turns one player's steps are balanced exactly while what the other's steps bring in is held as it was (block
    Gauss-Seidel). Rates below 1e-9 of the largest are raised to it, since otherwise nothing would settle.

    Args:
        row_rates: `[N_1, N_0, N_0]` of player 0's steps from policy to policy, for each policy of player 1.
        column_rates: `[N_0, N_1, N_1]` of player 1's steps, for each policy of player 0.

    Returns:
        `[N_0, N_1]` summing to 1, and whether it has settled.
    """
    largest = max(float(row_rates.max()), float(column_rates.max()))
    rows, columns = (_raised(rates, largest * _LEAST) for rates in (row_rates, column_rates))
    outflow = rows.sum(axis=2).T + columns.sum(axis=2)
    row_inverse, column_inverse = _inverse(rows, outflow.T), _inverse(columns, outflow)
    now = np.full(outflow.shape, 1.0 / outflow.size)
    for sweep in range(1, _SWEEPS + 1):
        before = now
        brought = np.matmul(now[:, np.newaxis, :], columns)[:, 0, :]
        now = np.matmul(row_inverse, brought.T[:, :, np.newaxis])[:, :, 0].T
        brought = np.matmul(now.T[:, np.newaxis, :], rows)[:, 0, :]
        now = np.matmul(column_inverse, brought.T[:, :, np.newaxis])[:, :, 0]
        now /= now.sum()
        if sweep % _LOOK == 0 and float(np.abs(now - before).sum()) <= _CLOSE:
            return now, True
    return now, False


def _raised(rates: Array, least: float) -> Array:
    raised: Array = np.maximum(rates, least)
    policies = raised.shape[1]
    raised[:, np.arange(policies), np.arange(policies)] = 0.0
    return raised


def _inverse(rates: Array, outflow: Array) -> Array:
    """Returns `[M, N, N]` what turns the inflow at a player's policies into weights, for each of the other's."""
    system = -rates.transpose(0, 2, 1)
    policies = rates.shape[1]
    system[:, np.arange(policies), np.arange(policies)] = outflow
    return np.asarray(np.linalg.inv(system), dtype=np.float64)
