"""The stationary distribution of a Markov chain, to full relative accuracy however small its probabilities are.

Axes: `S` states.
"""

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_BLOCK = 64  # states that are taken out at once, so that most work is one product of matrices
_SAFE = 1e-250  # outflows below may have lost digits to underflow


def stationary_distribution(log_rates: Matrix) -> Vector:
    """Returns the stationary distribution of a chain.

    States are taken out one after the other, and the chain is watched on those that are left: only sums, products and
    quotients of positive numbers, so nothing cancels (Grassmann, Taksar and Heyman). An eigenvector would be wrong as
    soon as some probability is below 1e-16. Where numbers underflow, the same is done with their logarithms, slower.

    Source: Grassmann, Taksar and Heyman 1985 (Operations Research 33), with blocks of 64 states.

    Args:
        log_rates: `[S, S]` logarithms of the probabilities to go from row to column; -inf where there is no way. The
            diagonal is not used. From every state there must be a way to every other one.

    Returns:
        `[S]` summing to 1.
    """
    logs = np.array(log_rates, dtype=np.float64)
    np.fill_diagonal(logs, -np.inf)
    if logs.shape[0] == 1:
        return np.ones(1)
    # A state that is left c times as fast is there 1 / c of the time: a dominant state then needs no logarithms.
    speed = logs.max(axis=1)
    logs -= speed[:, np.newaxis]
    with np.errstate(under="ignore", divide="ignore", invalid="ignore", over="ignore"):
        found = _by_blocks(np.exp(logs))
        log_weights = (_in_logarithms(logs) if found is None else np.log(found)) - speed
    weights = np.exp(log_weights - log_weights.max())
    distribution: Vector = weights / weights.sum()
    return distribution


def _by_blocks(rates: Matrix) -> Vector | None:
    """Returns `[S]` weights, None where numbers are too small for it. `rates` `[S, S]` is overwritten."""
    states = rates.shape[0]
    for end in range(states, 1, -_BLOCK):
        begin = max(1, end - _BLOCK)
        for state in range(end - 1, begin - 1, -1):
            outflow = rates[state, :state].sum()
            if not outflow > _SAFE:
                return None
            rates[:state, state] /= outflow
            # Within the block at once; what leads from and to earlier states follows for the whole block below.
            rates[begin:state, :state] += np.outer(rates[begin:state, state], rates[state, :state])
            if begin:
                rates[:begin, begin:state] += np.outer(rates[:begin, state], rates[state, begin:state])
        rates[:begin, :begin] += rates[:begin, begin:end] @ rates[begin:end, :begin]
    weights = np.zeros(states)
    weights[0] = 1.0
    for state in range(1, states):
        weights[state] = weights[:state] @ rates[:state, state]
        if not _SAFE < weights[state] < 1 / _SAFE:
            return None
    return weights


def _in_logarithms(logs: Matrix) -> Vector:
    """Returns `[S]` logarithms of weights by the same elimination on logarithms. `logs` `[S, S]` is overwritten."""
    states = logs.shape[0]
    for state in range(states - 1, 0, -1):
        logs[:state, state] -= np.logaddexp.reduce(logs[state, :state])
        through = logs[:state, state, np.newaxis] + logs[state, :state]
        logs[:state, :state] = np.logaddexp(logs[:state, :state], through)
    weights = np.zeros(states)
    for state in range(1, states):
        weights[state] = np.logaddexp.reduce(weights[:state] + logs[:state, state])
    return weights
