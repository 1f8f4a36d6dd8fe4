"""General-sum payoffs brought to one size, and how many steps a solver that iterates can afford.

Axes: `N_p` policies of player p; payoffs `[2, N_0, N_1]`, the payoff to each player.
"""

import numpy as np
from numpy.typing import NDArray

from csro_core.meta_solvers.base import Solution
from csro_core.meta_solvers.verify import nash_conv

_DIGITS = 12  # digits kept of a scaled payoff: some solvers are chaotic, and must not see how the unit was rounded
_WORK = 2.5e9  # cells read: one to two seconds of products of a matrix and a vector at 500 policies


def unit_payoffs(payoffs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns each player's payoffs shifted and scaled to [-1, 1]; all 0 where they are equal.

    What solvers here compute does not change with a constant added to the payoffs of a player, and must not change
    with their unit. An antisymmetric game stays antisymmetric.

    Args:
        payoffs: `[2, N_0, N_1]` finite.
    """
    low, high = payoffs.min(axis=(1, 2), keepdims=True), payoffs.max(axis=(1, 2), keepdims=True)
    centred = payoffs - (low / 2 + high / 2)
    size = np.abs(centred).max(axis=(1, 2), keepdims=True)
    scaled = np.divide(centred, size, out=np.zeros_like(centred), where=size > 0)
    rounded: NDArray[np.float64] = scaled.round(_DIGITS) + 0.0
    return rounded


def affordable_steps(payoffs: NDArray[np.float64], wanted: int) -> int:
    """Returns how many steps a solver makes: those that are wanted, fewer where the meta-game is large.

    Args:
        payoffs: `[2, N_0, N_1]`; a step reads all cells of a player.
        wanted: steps of a game of up to 158 x 158 policies and 100,000 steps, >= 1.
    """
    return max(1, min(wanted, int(_WORK / payoffs[0].size)))


def fewer_note(steps: int, wanted: int) -> str:
    """Returns a sentence where fewer steps were made than wanted, else ""."""
    return f"{steps:,} steps instead of {wanted:,}, since the meta-game is large" if steps < wanted else ""


def solution_of(
    payoffs: NDArray[np.float64], sigma: tuple[NDArray[np.float64], NDArray[np.float64]], note: str = ""
) -> Solution:
    """Returns meta-strategies with what they are worth in the meta-game.

    Args:
        payoffs: `[2, N_0, N_1]` in their own unit.
        sigma: `[N_0]` and `[N_1]`.
        note: see `Solution`.
    """
    return Solution(sigma, float(sigma[0] @ payoffs[0] @ sigma[1]), nash_conv(payoffs, sigma), note=note)
