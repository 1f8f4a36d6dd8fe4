"""NashConv of the meta-game, and exact exploitability of one-step games.

Axes: `N_p` policies and `A_p` actions of player p. NashConv is the sum over players of what each gains by its best
response; exploitability is NashConv / 2.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csro_core.meta_solvers.verify import nash_conv

NO_ACTION = 255
"""Byte of a log that stands for no action."""


def meta_nash_conv(payoffs: NDArray[np.float64], sigma: Sequence[NDArray[np.float64]]) -> float:
    """Returns NashConv of the *meta-game* at sigma.

    Args:
        payoffs: `[2, N_0, N_1]`.
        sigma: `[N_0]` and `[N_1]`.
    """
    return nash_conv(payoffs, (sigma[0], sigma[1]))


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


@dataclass(frozen=True)
class ActionFrequencies:
    """What a policy did in a one-step game.

    Attributes:
        frequencies: `[A]` share of the episodes in which it took each action; NaN where it never acted.
        deterministic: True where it took the same action in every episode seen. That is evidence, no proof.
        episodes: episodes in which it acted.
    """

    frequencies: NDArray[np.float64]
    deterministic: bool
    episodes: int


def action_frequencies(moves: Sequence[bytes], policy: int, num_actions: int) -> ActionFrequencies:
    """Counts the actions of one policy in the logs of one-step episodes.

    Args:
        moves: one zlib-compressed log of byte pairs an episode (see `MatchResult.moves`).
        policy: 0 for the job's first policy, 1 for the second, whatever its seat.
        num_actions: A, the number of its actions.

    Returns:
        The frequencies; episodes without an action of it (forfeits) do not count.

    Raises:
        ValueError: a log has more than one step.
    """
    logs = [zlib.decompress(log) for log in moves]
    longest = max((len(log) for log in logs), default=0)
    if longest > 2:
        raise ValueError(f"action frequencies need one-step episodes, got a log of {longest // 2} steps")
    actions = [log[policy] for log in logs if log and log[policy] != NO_ACTION]
    if not actions:
        return ActionFrequencies(np.full(num_actions, np.nan), False, 0)
    counts = np.bincount(np.array(actions), minlength=num_actions)
    return ActionFrequencies(counts / len(actions), len(set(actions)) == 1, len(actions))
