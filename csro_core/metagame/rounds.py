"""Rounds of an adaptive allocation: which cells are played up to which length, as a plan that can be written down.

A plan is stored before anything of it is played, and says what every cell shall have, not what it shall get: a process
that dies in the middle of a round leaves nothing that the next one would do differently.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from csro_core.metagame.allocation import Measured, Sigma, Wish, further_episodes
from csro_core.metagame.payoffs import PayoffTable

ROUNDS = 4
"""Most rounds between two iterations; one where no standard error is wanted."""

LEAST_STDERR, MOST_STDERR = 1e-9, 1e9
"""What may be wanted as a standard error."""

_SHOWN = 40
_SHARE = 0.25  # of the episodes there are, in a round towards a wanted standard error


@dataclass(frozen=True)
class PlannedCell:
    """A cell that is played further.

    Attributes:
        row: place of player 0's policy.
        column: place of player 1's policy; in a symmetric meta-game never before `row`.
        before: episodes it had when the plan was made, even.
        after: episodes it shall have, even.
    """

    row: int
    column: int
    before: int
    after: int


@dataclass(frozen=True)
class RoundPlan:
    """A round.

    Attributes:
        number: 1, 2, … up to `ROUNDS`, since the last iteration or edit.
        cells: what is played, at least one.
    """

    number: int
    cells: tuple[PlannedCell, ...]

    @property
    def episodes(self) -> int:
        """How many episodes are played."""
        return sum(cell.after - cell.before for cell in self.cells)

    def to_document(self) -> dict[str, Any]:
        """Returns the plan as JSON: {"round", "cells": [[row, column, before, after], …]}."""
        cells = [[cell.row, cell.column, cell.before, cell.after] for cell in self.cells]
        return {"round": self.number, "cells": cells}


@dataclass(frozen=True)
class Precision:
    """How well payoffs shall be known.

    Attributes:
        usual: episodes that every cell has, even.
        most: episodes that a cell has at most, even.
        stderr: wanted standard error of each policy's payoff against sigma (see `Wish`), from `LEAST_STDERR` to
            `MOST_STDERR`, or None.
    """

    usual: int
    most: int
    stderr: float | None = None


def plan_round(
    table: PayoffTable, sigma: Sigma, symmetric: bool, precision: Precision, number: int
) -> RoundPlan | None:
    """Returns the plan of the next round, None where there is none.

    Without a wanted standard error there is one round, which costs what the row of a new policy costs. With one, there
    are up to `ROUNDS`, each of at most a quarter of the episodes so far, or the price of a row where that is more.

    Args:
        table: what is known; no cell may be missing.
        sigma: `[N_0]` and `[N_1]`, its solution.
        symmetric: True where one population serves both seats.
        precision: what is wanted.
        number: of the round, from 1.
    """
    if number > (1 if precision.stderr is None else ROUNDS):
        return None
    budget = max(table.episodes.shape) * precision.usual
    if precision.stderr is not None:
        played = int((np.triu(table.episodes) if symmetric else table.episodes).sum())
        budget = max(budget, int(_SHARE * played))
    measured = Measured(table.played, table.played_stderr, table.episodes, symmetric)
    further = further_episodes(measured, sigma, Wish(budget, precision.most, precision.stderr))
    if symmetric:
        further = np.triu(further)
    cells = tuple(
        PlannedCell(int(row), int(column), int(before), int(before + more))
        for row, column in np.argwhere(further)
        for before, more in [(table.episodes[row, column], further[row, column])]
    )
    return RoundPlan(number, cells) if cells else None


def plan_from_document(document: object, sizes: Sequence[int], most: int) -> RoundPlan:
    """Returns what `RoundPlan.to_document` wrote; the document may come from a stranger.

    Args:
        document: JSON data.
        sizes: policies of each population, one or two.
        most: episodes of a cell at most.

    Raises:
        ValueError: it is no plan that could have been made for these populations.
    """
    if not isinstance(document, Mapping) or document.keys() != {"round", "cells"}:
        raise ValueError("the plan of a round must be an object of round and cells")
    number, cells = document["round"], document["cells"]
    if type(number) is not int or not 1 <= number <= ROUNDS:
        raise ValueError(f"a round must have a number from 1 to {ROUNDS}, got {str(number)[:_SHOWN]}")
    if not isinstance(cells, list) or not 0 < len(cells) <= sizes[0] * sizes[-1]:
        raise ValueError("the plan of a round must be a list of cells of the meta-game, at least one")
    planned = tuple(_planned(cell, sizes, most) for cell in cells)
    if len({(cell.row, cell.column) for cell in planned}) != len(planned):
        raise ValueError("no cell may occur twice in the plan of a round")
    return RoundPlan(number, planned)


def _planned(cell: object, sizes: Sequence[int], most: int) -> PlannedCell:
    if not isinstance(cell, list) or len(cell) != 4 or not all(type(number) is int for number in cell):
        raise ValueError("a cell of a plan must be four whole numbers")
    row, column, before, after = cell
    ordered = len(sizes) == 2 or row <= column
    if not (0 <= row < sizes[0] and 0 <= column < sizes[-1] and ordered):
        raise ValueError("a cell of a plan must be one of the meta-game, in its upper half where it is symmetric")
    if before % 2 or after % 2 or not 2 <= before < after <= most:
        raise ValueError(f"a cell of a plan must get more episodes than it has, even and at most {most}")
    return PlannedCell(row, column, before, after)
