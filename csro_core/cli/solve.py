"""`solve`: the meta-strategies of a matrix from a file."""

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csro_core.cli.output import emit
from csro_core.cli.targets import MAX_MATRIX_BYTES, read_text_file
from csro_core.errors import UsageError
from csro_core.games.matrix_rows import rows_from_csv_text
from csro_core.meta_solvers import META_SOLVERS, make_meta_solver
from csro_core.meta_solvers.base import Solution

NAME = "solve"
HELP = "solve a matrix game from a CSV file with a meta-solver"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the matrices and the solver."""
    parser.add_argument("row", metavar="ROW.csv", help="payoffs to the row player, one row a line, no header")
    parser.add_argument(
        "--column", metavar="COL.csv", help="payoffs to the column player, of the same shape (default: zero-sum)"
    )
    parser.add_argument("--meta-solver", metavar="S", required=True, help=", ".join(META_SOLVERS))


def execute(args: argparse.Namespace) -> int:
    """Returns 0; prints sigma of both players, the value to the row player, and NashConv.

    Raises:
        UsageError: a file is missing or holds no matrix, or the solver is unknown or does not handle the matrices.
    """
    solver = make_meta_solver(args.meta_solver)
    row = _read(args.row)
    column = -row if args.column is None else _read(args.column)
    if row.shape != column.shape:
        raise UsageError(f"both matrices must have one shape, got {row.shape} and {column.shape}")
    try:
        # + 0.0 turns the negative zeros of -row into zeros.
        solution = solver.solve(np.stack([row, column]) + 0.0)
    except ValueError as error:
        raise UsageError(f"{solver.name} cannot solve this: {error}") from error
    document = {
        "sigma": [weights.tolist() for weights in solution.sigma],
        "value": solution.value,
        "nash_conv": solution.nash_conv,
        "epsilon": solution.epsilon,
        "meta_solver": solver.name,
        "note": solution.note,
    }
    emit(args, document, _words(document, solution))
    return 0


def _read(path: str) -> NDArray[np.float64]:
    try:
        return np.array(rows_from_csv_text(read_text_file(path, MAX_MATRIX_BYTES)), dtype=np.float64)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error


def _words(document: dict[str, Any], solution: Solution) -> str:
    lines = [
        f"{who} {' '.join(f'{weight:.4f}' for weight in weights)}"
        for who, weights in zip(("row   ", "column"), solution.sigma, strict=True)
    ]
    lines.append(f"value to the row player {solution.value:.6g}; NashConv {solution.nash_conv:.3g}")
    return "\n".join([*lines, *([solution.note] if solution.note else [])])
