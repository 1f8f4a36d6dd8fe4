"""A run as figures, tables and reports of it need it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from csro_core.evaluation.hindsight import Gap, gaps
from csro_core.games import make_game
from csro_core.games.base import Game
from csro_core.metagame.cells import Cell, Key
from csro_core.metagame.payoffs import PayoffTable, build_table
from csro_core.metagame.population import Entry, Populations
from csro_core.store import Store
from csro_core.store.records import IterationRecord, Member, RunRecord, SolutionRecord


@dataclass(frozen=True)
class RunFacts:
    """What is known of a run.

    Attributes:
        run: its row.
        game: what is played.
        members: every policy of its populations, by player and index.
        table: payoffs of all members.
        solutions: the last one after each number of finished iterations.
        iterations: finished oracle steps in order.
        gaps: iterations finished → gap with hindsight of sigma then; the pool is the populations of the run.
    """

    run: RunRecord
    game: Game
    members: tuple[Member, ...]
    table: PayoffTable | None
    solutions: Mapping[int, SolutionRecord]
    iterations: tuple[IterationRecord, ...]
    gaps: Mapping[int, Gap]

    def population(self, player: int) -> list[Member]:
        """Returns the members that a player chooses from, by age."""
        place = 0 if self.game.symmetric else player
        return [member for member in self.members if member.player == place]

    @property
    def last(self) -> SolutionRecord | None:
        """The latest solution, None where nothing is solved yet."""
        return self.solutions[max(self.solutions)] if self.solutions else None

    def weights(self, player: int) -> NDArray[np.float64]:
        """Returns `[T, N]` the weights of today's members of a player in each solution, 0 before they were there."""
        rows = np.zeros((len(self.solutions), len(self.population(player))))
        for row, solution in zip(rows, self.solutions.values(), strict=True):
            shares = solution.sigma[0 if self.game.symmetric else player]
            row[: len(shares)] = shares
        return rows


class _Cells:
    """All cells of a run at once: one query instead of one for each pair."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._cells: Mapping[Key, Cell] = {(cell.row, cell.column): cell for cell in cells}

    def many(self, keys: Iterable[Key]) -> dict[Key, Cell]:
        return {key: self._cells[key] for key in keys if key in self._cells}


def facts_of(store: Store, run: str) -> RunFacts:
    """Returns a run as it is now.

    Args:
        store: where it is.
        run: its id.

    Raises:
        NotFoundError: there is no such run.
    """
    record = store.run(run)
    game = make_game(record.settings.game)
    members = tuple(store.members(run))
    solutions = {solution.iteration: solution for solution in store.solutions(run)}
    lists = tuple(
        tuple(Entry(m.policy.hash, m.policy.tree_hash, m.policy.source, m.name) for m in members if m.player == player)
        for player in range(1 if game.symmetric else 2)
    )
    if not all(lists):
        return RunFacts(record, game, members, None, {}, tuple(store.iterations(run)), {})
    table = build_table(Populations(game.symmetric, lists), _Cells(store.cells(run).all()), game.zero_sum)
    found = gaps(table, [solution.sigma for solution in solutions.values()], game.symmetric)
    known = {at: gap for at, gap in zip(solutions, found, strict=True) if gap.pool and isfinite(gap.value)}
    return RunFacts(record, game, members, table, solutions, tuple(store.iterations(run)), known)
