"""Checks of a meta-game before it is solved, and of meta-strategies after.

Axes: `N_p` policies of player p; payoffs `[2, N_0, N_1]`, the payoff to each player.
"""

import numpy as np
from numpy.typing import NDArray

FOR_GENERAL_SUM = (
    "logit, prd, regret-matching, regret-matching-plus, alpha-rank, alpha-rank-finite, shor, shor-eval, "
    "shor-true-regret or uniform"
)
"""The meta-solvers that handle games that are not zero-sum, for messages."""

_ROUNDING = 1e-9


def check_payoffs(
    payoffs: NDArray[np.float64], stderr: NDArray[np.float64] | None = None, symmetric: bool = False
) -> None:
    """Checks what every meta-solver takes for granted.

    Args:
        payoffs: `[2, N_0, N_1]`.
        stderr: the same shape, or None.
        symmetric: True where both players choose from one population.

    Raises:
        ValueError: wrong shape, no policy, a number that is not finite, a negative standard error, or a game that
            is said to be symmetric and is not.
    """
    if payoffs.ndim != 3 or payoffs.shape[0] != 2 or 0 in payoffs.shape:
        raise ValueError(f"payoffs must have shape [2, N_0, N_1] with N_0, N_1 >= 1, got {list(payoffs.shape)}")
    if not np.isfinite(payoffs).all():
        bad = int((~np.isfinite(payoffs)).sum())
        raise ValueError(f"payoffs must be finite, got {bad} entries that are not; play the missing cells first")
    if stderr is not None:
        if stderr.shape != payoffs.shape:
            raise ValueError(
                f"standard errors must have the payoffs' shape {list(payoffs.shape)}, got {list(stderr.shape)}"
            )
        if not (np.isfinite(stderr).all() and (stderr >= 0).all()):
            raise ValueError("standard errors must be finite and not negative; play at least 2 episodes a cell")
    if symmetric and not _is_symmetric(payoffs):
        raise ValueError(
            f"a symmetric meta-game has payoffs[1] equal to payoffs[0] transposed, "
            f"got shape {list(payoffs.shape)} with other entries; pass symmetric=False"
        )


def require_zero_sum(payoffs: NDArray[np.float64]) -> None:
    """Checks that the payoffs of the two players add up to 0 in every cell.

    Raises:
        ValueError: they do not.
    """
    total = float(np.abs(payoffs[0] + payoffs[1]).max())
    if total > _ROUNDING * float(np.abs(payoffs).max()):
        raise ValueError(
            f"this meta-solver handles zero-sum games only: the payoffs of the two players must add up to 0 in "
            f"every cell, got a cell that is off by {total:g}; choose {FOR_GENERAL_SUM}"
        )


def gains(
    payoffs: NDArray[np.float64], sigma: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> tuple[float, float]:
    """Returns what each player gains by its best response to the other's meta-strategy.

    Source: Lanctot et al. 2017 (arXiv 1711.00832), section 2; OpenSpiel's `nash_conv`.

    Args:
        payoffs: `[2, N_0, N_1]`.
        sigma: `[N_0]` and `[N_1]`.

    Returns:
        max_i u_p(i, sigma_-p) - u_p(sigma), for p = 0 and 1; never below 0 but for rounding, which is cut off.
    """
    by_row = payoffs[0] @ sigma[1]
    by_column = sigma[0] @ payoffs[1]
    return (
        max(0.0, float(by_row.max() - sigma[0] @ by_row)),
        max(0.0, float(by_column.max() - by_column @ sigma[1])),
    )


def nash_conv(
    payoffs: NDArray[np.float64], sigma: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> float:
    """Returns NashConv of the meta-game at sigma: the sum over players of `gains`."""
    return sum(gains(payoffs, sigma))


def _is_symmetric(payoffs: NDArray[np.float64]) -> bool:
    if payoffs.shape[1] != payoffs.shape[2]:
        return False
    difference = float(np.abs(payoffs[1] - payoffs[0].T).max())
    return difference <= _ROUNDING * float(np.abs(payoffs).max())
