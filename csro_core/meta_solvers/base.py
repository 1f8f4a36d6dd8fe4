"""The seam `MetaSolver`: payoff tensor in, one meta-strategy per player out. Imports numpy only.

Axes: `N_p` policies of player p. `payoffs` is `[2, N_0, N_1]`, the payoff to each player.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Solution:
    """Meta-strategies and how good they are in the meta-game they were computed from.

    Attributes:
        sigma: `[N_0]` and `[N_1]`, non-negative, each summing to 1. Equal where the meta-game is symmetric.
        value: payoff of sigma to player 0.
        nash_conv: NashConv of the meta-game at sigma, in the unit of the payoffs.
        epsilon: the tolerance that was granted: no policy gains more than this against sigma; 0.0 = none.
        note: one sentence where the solver did something else than its name says, else "".
    """

    sigma: tuple[NDArray[np.float64], NDArray[np.float64]]
    value: float
    nash_conv: float
    epsilon: float = 0.0
    note: str = ""


class MetaSolver(Protocol):
    """Computes meta-strategies."""

    @property
    def name(self) -> str:
        """The name on the command line."""
        ...

    @property
    def explanation(self) -> str:
        """One sentence for the form."""
        ...

    @property
    def zero_sum_only(self) -> bool:
        """True where it refuses meta-games whose payoffs do not add up to 0."""
        ...

    def solve(
        self, payoffs: NDArray[np.float64], stderr: NDArray[np.float64] | None = None, symmetric: bool = False
    ) -> Solution:
        """Solves a meta-game.

        Args:
            payoffs: `[2, N_0, N_1]` finite.
            stderr: `[2, N_0, N_1]` standard errors of the payoffs, or None where they are exact.
            symmetric: True where both players choose from one population (`payoffs[1] == payoffs[0].T`); the
                returned meta-strategies are then equal.

        Raises:
            ValueError: the payoffs are not finite, have the wrong shape, or the solver does not handle them.
        """
        ...
