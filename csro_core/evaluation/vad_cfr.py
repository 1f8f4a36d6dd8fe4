"""VAD-CFR: volatility-adaptive discounted CFR, as listed in arXiv 2602.16928, Listing 5.

What the listing leaves open is done as in its seed program, CFR+: updates alternate, and the strategy that an iteration
has played is what its average takes. The listing's accumulator of regrets and its policy each keep a moving average of
the size of regrets; they see the same regrets in the same order, but here too each has its own. The constants suit
games with returns of a few units.
"""

import numpy as np
from scipy.signal import lfilter

from csro_core.evaluation.cfr import Actions, CfrSolver
from csro_core.evaluation.sequence_form import Floats, SequenceForm, Side

AVERAGING_STARTS = 500
"""Iteration from which on strategies count in the average; the paper's footnote: found without knowing that runs had
1,000 iterations."""

_MEMORY = 0.9
_BOOST = 1.1
_FLOOR = -20.0
_POWER = 1.5


class Volatility:
    """The moving average e of the size of regrets, shared by all information states, in the order they are visited."""

    def __init__(self) -> None:
        """Knows nothing yet."""
        self._average = 0.0

    def after(self, iteration: int, sizes: Floats) -> Floats:
        """Returns `[I_p]` v = min(1, e / 2) at each visit.

        Args:
            iteration: t, from 0; in iteration 0 every visit starts the average anew.
            sizes: `[I_p]` m, the largest absolute regret of each information state.
        """
        if iteration == 0:
            averages = sizes
        else:
            averages, _ = lfilter([1 - _MEMORY], [1.0, -_MEMORY], sizes, zi=[_MEMORY * self._average])
        self._average = float(averages[-1])
        return np.asarray(np.minimum(1.0, averages / 2), dtype=np.float64)


class VadRule:
    """What one player keeps."""

    def __init__(self, side: Side) -> None:
        """Starts with no regrets."""
        self._actions = Actions(side)
        self._regrets = np.zeros(side.size)
        self._states = side.states
        self._of_accumulator = Volatility()
        self._of_policy = Volatility()

    def average_weights(self, iteration: int, regrets: Floats) -> Floats:
        """Returns `[I_p]` weights: 0 before iteration 500; then more for late iterations and small regrets."""
        if iteration < AVERAGING_STARTS:
            return np.zeros(self._states)
        sizes = self._actions.largest(np.abs(regrets))
        gamma = np.minimum(4.0, 2.0 + 1.5 * np.minimum(1.0, sizes / 2))
        stability = 1.0 / (1.0 + sizes**1.5)
        return np.asarray(
            (iteration + 1.0) ** gamma * stability * np.maximum(0.1, np.sqrt(1.0 + sizes / 2)), dtype=np.float64
        )

    def next_strategy(self, iteration: int, regrets: Floats) -> Floats:
        """Returns the strategy in proportion to the positive part of the projected regrets, to the power 1.5."""
        sizes = self._actions.largest(np.abs(regrets))
        boosted = np.where(regrets > 0, _BOOST * regrets, regrets)
        volatility = self._of_accumulator.after(iteration, sizes)
        self._regrets = np.maximum(_FLOOR, self._discounts(iteration, volatility) * self._regrets + boosted)
        volatility = self._of_policy.after(iteration, sizes)
        optimism = self._actions.spread(np.maximum(0.0, 1.0 - 0.5 * volatility)) / (1.0 + iteration / 100)
        projected = self._discounts(iteration, volatility) * self._regrets + optimism * boosted
        return self._actions.shares(np.maximum(0.0, projected) ** _POWER)

    def _discounts(self, iteration: int, volatility: Floats) -> Floats:
        """Returns `[S_p]` d+ where the regret is >= 0, d- elsewhere."""
        alpha = np.maximum(0.1, 1.5 - 0.5 * volatility)
        beta = np.minimum(alpha, -0.1 - 0.5 * volatility)
        positive, negative = ((iteration + 1.0) ** power for power in (alpha, beta))
        of_positive = self._actions.spread(positive / (positive + 1))
        of_negative = self._actions.spread(negative / (negative + 1))
        return np.where(self._regrets >= 0, of_positive, of_negative)


def vad_cfr(form: SequenceForm) -> CfrSolver:
    """Returns a solver that runs VAD-CFR on a game, before its first iteration."""
    return CfrSolver(form, (VadRule(form.sides[0]), VadRule(form.sides[1])))
