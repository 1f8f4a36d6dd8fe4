"""NashConv of the meta-game, and exact exploitability of one-step games.

Axes: `N_p` policies and `A_p` actions of player p. NashConv is the sum over players of what each gains by its best
response; exploitability is NashConv / 2.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from csro_core.meta_solvers.verify import nash_conv


def matrix_exploitability(
    stage_payoffs: NDArray[np.float64],
    strategies: Sequence[NDArray[np.float64]],
    sigma: Sequence[NDArray[np.float64]],
) -> float:
    """Returns the exploitability of a profile of mixtures in a one-step *game*: against every action there is.

    Args:
        stage_payoffs: `[2, A_0, A_1]` payoff to each player.
        strategies: `[N_0, A_0]` and `[N_1, A_1]` how often each policy takes each action.
        sigma: `[N_0]` and `[N_1]`.

    Returns:
        NashConv / 2, exact where the frequencies are.
    """
    mixed = (sigma[0] @ strategies[0], sigma[1] @ strategies[1])
    return nash_conv(stage_payoffs, mixed) / 2
