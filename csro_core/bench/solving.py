"""How long the equilibrium of a meta-game takes, beside a plain call of a general solver of linear programs."""

import time
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from csro_core.bench.rows import Label, Row, Target, row_of
from csro_core.errors import CsroError
from csro_core.meta_solvers.nash import NashSolver

GENERIC = "plain scipy linprog, its best method"
"""The best generic solver: OpenSpiel's and nashpy's take ten times as long at 500 policies."""

LIMITS = {500: 3.0, 1_000: 20.0}
"""Policies → seconds that must be enough."""

_SEED = 11
_LARGE = 200  # scipy's own choice takes twice as long at 500 policies, and more than a minute at 1,000
_ACCURATE = 1e-6


def solving_rows(sizes: tuple[int, ...], repetitions: int) -> Iterator[Row]:
    """Yields one row a size: the equilibrium of a random antisymmetric matrix, to the same accuracy.

    Args:
        sizes: policies.
        repetitions: how often each is solved by either, in turns.

    Raises:
        CsroError: one of them gave no equilibrium, so that times mean nothing.
    """
    for size in sizes:
        noise = np.random.default_rng(_SEED).normal(size=(size, size))
        matrix = noise - noise.T
        ours, generic = [], []
        for _ in range(repetitions):
            ours.append(_seconds(_by_us, matrix))
            generic.append(_seconds(_by_scipy, matrix))
        limit = LIMITS.get(size)
        label = Label(f"Nash equilibrium of {size:,} × {size:,} policies, antisymmetric", GENERIC, "s")
        yield row_of(label, ours, generic, None if limit is None else Target("ours", limit))


def _seconds(solve: Callable[[NDArray[np.float64]], NDArray[np.float64]], matrix: NDArray[np.float64]) -> float:
    began = time.perf_counter()
    sigma = solve(matrix)
    taken = time.perf_counter() - began
    gain = float((matrix @ sigma).max())
    if gain > _ACCURATE * float(np.abs(matrix).max()):
        raise CsroError(f"the benchmark needs equilibria from both solvers; a policy gains {gain:g} against one")
    return taken


def _by_us(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    return NashSolver().solve(np.stack([matrix, -matrix]), symmetric=True).sigma[0]


def _by_scipy(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    size = matrix.shape[0]
    answer = linprog(
        np.append(np.zeros(size), -1.0),
        A_ub=np.hstack([-matrix.T, np.ones((size, 1))]),
        b_ub=np.zeros(size),
        A_eq=np.append(np.ones(size), 0.0)[np.newaxis],
        b_eq=[1.0],
        bounds=[(0.0, None)] * size + [(None, None)],
        method="highs-ipm" if size > _LARGE else "highs",
    )
    weights: NDArray[np.float64] = np.clip(answer.x[:size], 0.0, None)
    weights /= weights.sum()
    return weights
