"""`solve`: the meta-strategies of a matrix from a file, by one meta-solver or by all of them."""

import argparse
from typing import Any

import numpy as np

from csro_core.analysis.matrix_game import MatrixGame
from csro_core.analysis.own_matrix import matrix_game
from csro_core.analysis.solver_comparison import SolverRow, compare_solvers
from csro_core.cli.output import emit, table
from csro_core.cli.targets import read_text_file
from csro_core.errors import UsageError
from csro_core.evaluation.matrix_examples import EXAMPLES, matrix_example
from csro_core.games.matrix_rows import NamedRows, named_rows_from_csv_text
from csro_core.meta_solvers import META_SOLVERS, make_meta_solver
from csro_core.meta_solvers.base import Solution

NAME = "solve"
HELP = "solve a matrix game from a CSV file with a meta-solver"

ALL = "all"
MAX_SOLVED_BYTES = 40_000_000

_EXAMPLE = "example:"
_SHOWN_WEIGHT = 5e-5


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the matrices and the solver."""
    parser.add_argument(
        "row",
        metavar="ROW.csv",
        help="payoffs to the row player, one row a line, with or without a header line and a column of names; or "
        + ", ".join(f"{_EXAMPLE}{name}" for name in EXAMPLES),
    )
    parser.add_argument(
        "--column", metavar="COL.csv", help="payoffs to the column player, of the same shape (default: zero-sum)"
    )
    parser.add_argument(
        "--stderr", metavar="ERR.csv", help="standard errors of the payoffs, of the same shape (default: exact)"
    )
    chosen = parser.add_mutually_exclusive_group(required=True)
    chosen.add_argument("--meta-solver", metavar="S", help=f"{', '.join(META_SOLVERS)}; {ALL}: compare them")
    chosen.add_argument(
        "--all-solvers", dest="meta_solver", action="store_const", const=ALL, help="compare all meta-solvers"
    )


def execute(args: argparse.Namespace) -> int:
    """Returns 0; prints sigma of both players, the value to the row player, and NashConv.

    Raises:
        UsageError: a file is missing or holds no matrix, or the solver is unknown or does not handle the matrices.
    """
    solver = None if args.meta_solver == ALL else make_meta_solver(args.meta_solver)
    game, note = _game(args)
    named = {"names": [list(names) for names in game.names], "symmetric": game.symmetric, "matrix_note": note}
    if solver is None:
        rows = compare_solvers(game.payoffs, game.stderr, game.symmetric)
        words = "\n".join([*([note] if note else []), _compared(game, rows)])
        emit(args, {"solvers": [_row_document(row) for row in rows], **named}, words)
        return 0
    try:
        solution = solver.solve(game.payoffs, game.stderr, game.symmetric)
    except ValueError as error:
        raise UsageError(f"{solver.name} cannot solve this: {error}") from error
    document = {
        "sigma": [weights.tolist() for weights in solution.sigma],
        "value": solution.value,
        "nash_conv": solution.nash_conv,
        "epsilon": solution.epsilon,
        "meta_solver": solver.name,
        "note": solution.note,
        **named,
    }
    emit(args, document, "\n".join([*([note] if note else []), _words(game, solution)]))
    return 0


def _game(args: argparse.Namespace) -> tuple[MatrixGame, str]:
    """Returns the game, and what there is to say of it.

    Raises:
        UsageError: see `execute`.
    """
    if args.row.startswith(_EXAMPLE):
        if args.column is not None or args.stderr is not None:
            raise UsageError("an example comes with all that is known of it: leave out --column and --stderr")
        example = matrix_example(args.row.removeprefix(_EXAMPLE))
        return example.game(), example.note
    row = _read(args.row)
    column = None if args.column is None else _read(args.column)
    stderr = None if args.stderr is None else _read(args.stderr)
    return matrix_game(row, column, stderr), ""


def _read(path: str) -> NamedRows:
    """Returns the matrix in a file.

    Raises:
        UsageError: it holds none; the message names the file.
    """
    try:
        return named_rows_from_csv_text(read_text_file(path, MAX_SOLVED_BYTES))
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error


def _words(game: MatrixGame, solution: Solution) -> str:
    """Returns one solution for people: all weights in a line, or by name those that are not 0."""
    if any(game.names):
        lines = [_by_name(game, solution)]
    else:
        lines = [
            f"{who} {' '.join(f'{weight:.4f}' for weight in weights)}"
            for who, weights in zip(("row   ", "column"), solution.sigma, strict=True)
        ]
    lines.append(f"value to the row player {solution.value:.6g}; NashConv {solution.nash_conv:.3g}")
    return "\n".join([*lines, *([solution.note] if solution.note else [])])


def _by_name(game: MatrixGame, solution: Solution) -> str:
    players = ("both",) if game.symmetric and np.array_equal(*solution.sigma) else ("row", "column")
    rows = [
        (player, name, round(float(weight), 4))
        for player, names, weights in zip(players, game.names, solution.sigma, strict=False)
        for name, weight in sorted(zip(names, weights, strict=True), key=lambda pair: -pair[1])
        if weight > _SHOWN_WEIGHT
    ]
    return table(("player", "policy", "sigma"), rows)


def _compared(game: MatrixGame, rows: tuple[SolverRow, ...]) -> str:
    """Returns the comparison for people: one line a solver, then what each gives the row player's policies."""
    found = [row for row in rows if row.sigma is not None]
    lines = [
        (
            row.solver,
            None if row.sigma is None else _without_rounding(row.value, game),
            None if row.sigma is None else _without_rounding(row.nash_conv, game),
            None if row.sigma is None else int((row.sigma[0] > _SHOWN_WEIGHT).sum()),
            round(row.seconds, 3),
            row.error or row.note,
        )
        for row in rows
    ]
    parts = [table(("meta-solver", "value", "NashConv", "support", "seconds", "note"), lines)]
    for player, who in enumerate(("row", "column")[: 1 if game.symmetric else 2]):
        weights = [row.sigma[player] for row in found if row.sigma is not None]
        names = game.names[player] or tuple(str(index) for index in range(game.sizes[player]))
        shown = [
            (name, *(round(float(sigma[index]), 4) for sigma in weights))
            for index, name in enumerate(names)
            if any(sigma[index] > _SHOWN_WEIGHT for sigma in weights)
        ]
        parts += ["", table((f"sigma of {who}", *(row.solver for row in found)), shown)]
    return "\n".join(parts)


def _without_rounding(value: float, game: MatrixGame) -> float:
    """Returns a value for people: 0 for what is only rounding."""
    return 0.0 if abs(value) <= 1e-12 * float(np.abs(game.payoffs).max()) else value


def _row_document(row: SolverRow) -> dict[str, Any]:
    solved = row.sigma is not None
    return {
        "meta_solver": row.solver,
        "sigma": None if row.sigma is None else [weights.tolist() for weights in row.sigma],
        "value": row.value if solved else None,
        "nash_conv": row.nash_conv if solved else None,
        "seconds": row.seconds,
        "note": row.note,
        "error": row.error,
    }
