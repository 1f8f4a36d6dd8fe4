"""Matrices that ship with the project, by name: something to look at before there is a run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from csro_core.analysis.matrix_game import MatrixGame
from csro_core.errors import UsageError
from csro_core.evaluation.published import published_cross_table


@dataclass(frozen=True)
class MatrixExample:
    """A matrix to look at.

    Attributes:
        name: on the command line, behind "example:".
        title: for people.
        note: where it comes from and what was done to it, one or two sentences.
        game: returns it, the same object each time.
    """

    name: str
    title: str
    note: str
    game: Callable[[], MatrixGame]


@cache
def _rrps() -> MatrixGame:
    table = published_cross_table()
    means = np.array(table.means)
    matrix = (means - means.T) / 2
    return MatrixGame(
        np.stack([matrix, matrix.T]) + 0.0, None, True, (table.bots, table.bots), "net throws per 1,000-throw match"
    )


_ALL = (
    MatrixExample(
        "rrps",
        "43 RoShamBo bots (published table)",
        "The published table of the 43 bots (OpenSpiel, paper_data/pbe_rrps, Apache-2.0; arXiv 2303.03196), mean of "
        "1,000 matches a cell. Its cells were estimated one by one and are not quite antisymmetric, so this is "
        "(P - P^T) / 2; standard errors were not published.",
        _rrps,
    ),
)

EXAMPLES: Mapping[str, MatrixExample] = {example.name: example for example in _ALL}
"""Every example by its name."""


def matrix_example(name: str) -> MatrixExample:
    """Returns the example with this name.

    Raises:
        UsageError: there is none; the message lists the known names.
    """
    if name not in EXAMPLES:
        raise UsageError(f"an example must be one of {', '.join(EXAMPLES)}, got {name[:60]!r}")
    return EXAMPLES[name]
