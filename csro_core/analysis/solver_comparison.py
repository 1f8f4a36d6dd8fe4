"""What every meta-solver makes of one matrix."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csro_core.meta_solvers import META_SOLVERS, make_meta_solver


@dataclass(frozen=True)
class SolverRow:
    """The answer of one meta-solver.

    Attributes:
        solver: its name.
        sigma: `[N_0]` and `[N_1]`; None where it gave none.
        value: payoff of sigma to the row player.
        nash_conv: NashConv of the matrix at sigma.
        seconds: of wall time that it took.
        note: what it says of its answer, may be "".
        error: one sentence where it does not handle this matrix, else "".
    """

    solver: str
    sigma: tuple[NDArray[np.float64], NDArray[np.float64]] | None
    value: float
    nash_conv: float
    seconds: float
    note: str = ""
    error: str = ""


def compare_solvers(
    payoffs: NDArray[np.float64],
    stderr: NDArray[np.float64] | None = None,
    symmetric: bool = False,
    names: Sequence[str] = (),
    on_progress: Callable[[int, int], None] | None = None,
) -> tuple[SolverRow, ...]:
    """Returns the answer of each meta-solver, in the order of the registry.

    Args:
        payoffs: `[2, N_0, N_1]`.
        stderr: the same shape, or None.
        symmetric: True where both players choose from one population.
        names: the meta-solvers; () for all.
        on_progress: hears (solvers done, solvers); may raise to end it.

    Raises:
        UsageError: there is no meta-solver of a name.
    """
    chosen = tuple(names) or tuple(META_SOLVERS)
    rows: list[SolverRow] = []
    for name in chosen:
        if on_progress is not None:
            on_progress(len(rows), len(chosen))
        solver = make_meta_solver(name)
        began = time.perf_counter()
        try:
            solution = solver.solve(payoffs, stderr, symmetric)
        except ValueError as error:
            elapsed = time.perf_counter() - began
            rows.append(SolverRow(name, None, float("nan"), float("nan"), elapsed, error=str(error)))
            continue
        elapsed = time.perf_counter() - began
        rows.append(SolverRow(name, solution.sigma, solution.value, solution.nash_conv, elapsed, solution.note))
    if on_progress is not None:
        on_progress(len(chosen), len(chosen))
    return tuple(rows)
