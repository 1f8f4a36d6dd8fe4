"""Exploitability of sigma in the game itself, where a policy is no more than its action frequencies: one-step games."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csro_core.evaluation.bench import Bench
from csro_core.evaluation.nash_conv import matrix_exploitability
from csro_core.metagame.population import Entry, Populations

SUPPORT = 1e-9


@dataclass(frozen=True)
class GameExploitability:
    """Exploitability of a profile of mixtures in the game.

    Attributes:
        value: NashConv / 2, in the game's unit.
        exact: True where every policy of the support always took the same action on the probe episodes, so that
            its frequencies are known; else they are estimated from these episodes.
    """

    value: float
    exact: bool


def exploitability(
    bench: Bench, populations: Populations, sigma: Sequence[NDArray[np.float64]]
) -> GameExploitability | None:
    """Computes the exploitability of sigma in a one-step game.

    Args:
        bench: plays the probe episodes of policies not seen before.
        populations: the policies.
        sigma: `[N_0]` and `[N_1]`.

    Returns:
        The exploitability; None for games of more than one step, where it is not known.
    """
    stage = bench.game.lockstep
    if stage is None or stage.num_steps != 1:
        return None
    strategies, exact = [], True
    for player in range(2):
        frequencies, deterministic = _frequencies(bench, populations.of(player), player)
        strategies.append(frequencies)
        exact = exact and bool(deterministic[sigma[player] > SUPPORT].all())
    return GameExploitability(matrix_exploitability(stage.payoffs, strategies, sigma), exact)


def _frequencies(
    bench: Bench, entries: Sequence[Entry], player: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Returns `[N, A]` action frequencies on the probe episodes, and `[N]` whether they were all the same action."""
    probed = bench.actions([entry.source for entry in entries], player)
    num_actions = len(bench.game.action_names[player])
    rows = [np.bincount(np.frombuffer(actions, dtype=np.uint8), minlength=256)[:num_actions] for actions in probed]
    counts = np.array(rows, dtype=np.float64)
    totals = np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    return counts / totals, (counts > 0).sum(axis=1) == 1
