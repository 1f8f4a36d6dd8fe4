"""A run as the pages need it, read once per version of its rows and kept for all sessions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from app import services
from app.charts import Curves, ExactPoint, GainPoint, GapPoint
from app.colours import policy_colours
from csro_core.errors import NotFoundError
from csro_core.estimates import Estimate
from csro_core.evaluation.hindsight import Gap, gaps
from csro_core.games import make_game
from csro_core.games.base import Game
from csro_core.metagame.cells import Cell, Key
from csro_core.metagame.payoffs import PayoffTable, build_table
from csro_core.metagame.population import Entry, Populations
from csro_core.metagame.statistics import against_mixture
from csro_core.store.damage import left_out
from csro_core.store.records import IterationRecord, Member, PolicyText, RunRecord, SolutionRecord

ORIGINS = {"seed": "seed", "oracle": "oracle", "human": "human edit", "import": "import"}
"""Origin of a policy → how pages call it."""

HASH_DIGITS = 12
"""Digits of a hash in the address bar."""


@dataclass(frozen=True)
class Snapshot:
    """What is known of a run.

    Attributes:
        run: its row.
        game: what is played.
        members: every policy of its populations.
        table: payoffs of all members.
        solutions: in order of time.
        iterations: finished oracle steps in order.
        gaps: for each number of finished iterations the gap with hindsight of sigma then.
        damage: what is wrong with rows that are left out, a line each.
    """

    run: RunRecord
    game: Game
    members: tuple[Member, ...]
    table: PayoffTable
    solutions: tuple[SolutionRecord, ...]
    iterations: tuple[IterationRecord, ...]
    gaps: Mapping[int, Gap]
    damage: tuple[str, ...] = ()

    def population(self, player: int) -> tuple[Member, ...]:
        """Returns the members that `player` chooses from, by age."""
        place = 0 if self.game.symmetric else player
        return tuple(member for member in self.members if member.player == place)

    def colours(self, player: int) -> tuple[str, ...]:
        """Returns the colours of the members that `player` chooses from, by age; the same on every page."""
        return policy_colours([member.origin == "seed" for member in self.population(player)])

    def find(self, wanted: str, player: int = 0) -> Member | None:
        """Returns the member whose text has this hash or beginning of a hash.

        Args:
            wanted: the hash or its beginning.
            player: whose population is looked at first: one text may sit in both.
        """
        found = [member for member in self.members if wanted and member.policy.hash.startswith(wanted)]
        return next((member for member in found if member.player == player), found[0] if found else None)

    def solution_at(self, iteration: int) -> SolutionRecord | None:
        """Returns the last solution with at most `iteration` iterations finished."""
        known = [solution for solution in self.solutions if solution.iteration <= iteration]
        return known[-1] if known else None

    def sigma(self, solution: SolutionRecord | None, player: int) -> NDArray[np.float64]:
        """Returns `[N]` the weights of all of today's members of `player`, 0 for those that were not there yet."""
        weights = np.zeros(len(self.population(player)))
        if solution is not None:
            shares = solution.sigma[0 if self.game.symmetric else player]
            weights[: len(shares)] = shares
        return weights

    def samples(self, player: int) -> NDArray[np.float64]:
        """Returns `[N_player, N_opponent, E]` clean returns to `player`, NaN where there are none."""
        samples: NDArray[np.float64] = self.table.clean_samples[player]
        return samples if player == 0 else samples.transpose(1, 0, 2)

    def payoff(self, player: int, own: int, opponent: int) -> Estimate | None:
        """Returns what a policy of `player` earns against one of the other player; None where it never met it."""
        place = (own, opponent) if player == 0 else (opponent, own)
        if not self.table.known[place]:
            return None
        mean, stderr = self.table.played[player][place], self.table.played_stderr[player][place]
        return Estimate(float(mean), float(stderr), int(self.table.episodes[place]))

    def versus_sigma(self, member: Member, solution: SolutionRecord | None) -> Estimate | None:
        """Returns what a policy earns if it is played alone against sigma of the other side."""
        if solution is None:
            return None
        weights = self.sigma(solution, 1 - member.player)
        met = self.table.known[member.index] if member.player == 0 else self.table.known[:, member.index]
        if not met[weights > 0].all():
            return None
        return against_mixture(self.samples(member.player)[member.index], weights).estimate


class _Cells:
    """All cells of a run at once: one query instead of one for each pair."""

    def __init__(self, cells: list[Cell]) -> None:
        self._cells: Mapping[Key, Cell] = {(cell.row, cell.column): cell for cell in cells}

    def many(self, keys: Iterable[Key]) -> dict[Key, Cell]:
        return {key: self._cells[key] for key in keys if key in self._cells}


def snapshot_of(run: str) -> Snapshot:
    """Returns the run as it is now; read again only when its rows or its own row have changed.

    Raises:
        NotFoundError: there is no such run.
    """
    record = services.store().run(run)
    version = services.store().rows_version(run)
    rows = _read(str(services.store().path), run, version)
    return Snapshot(
        record, rows.game, rows.members, rows.table, rows.solutions, rows.iterations, rows.gaps, rows.damage
    )


@dataclass(frozen=True)
class _Rows:
    """The part of a snapshot that only changes with the rows of the run."""

    game: Game
    members: tuple[Member, ...]
    table: PayoffTable
    solutions: tuple[SolutionRecord, ...]
    iterations: tuple[IterationRecord, ...]
    gaps: Mapping[int, Gap]
    damage: tuple[str, ...]


@st.cache_resource(max_entries=24, show_spinner=False)
def _read(path: str, run: str, version: int) -> _Rows:
    """Reads everything but the run's own row; `path` and `version` are there for the cache."""
    store = services.store()
    game = make_game(store.run(run).settings.game)
    members = tuple(store.members(run))
    lists = tuple(
        tuple(
            Entry(member.policy.hash, member.policy.tree_hash, member.policy.source, member.name)
            for member in members
            if member.player == player
        )
        for player in range(1 if game.symmetric else 2)
    )
    cells = store.cells(run).all()
    table = build_table(Populations(game.symmetric, lists), _Cells(cells), game.zero_sum)
    solutions = tuple(store.solutions(run))
    gap_of = _gaps(game, lists, cells, table, solutions) if members else {}
    damage = tuple(left_out(store.connections, run))
    return _Rows(game, members, table, solutions, tuple(store.iterations(run)), gap_of, damage)


def _gaps(
    game: Game,
    lists: tuple[tuple[Entry, ...], ...],
    cells: list[Cell],
    table: PayoffTable,
    solutions: tuple[SolutionRecord, ...],
) -> dict[int, Gap]:
    """Returns iterations finished → gap; the pool also holds texts that played without being admitted.

    Args:
        game: what is played.
        lists: the populations.
        cells: everything that was played.
        table: the payoffs of the populations.
        solutions: whose gaps are wanted.
    """
    pools = []
    for player, entries in enumerate(lists):
        known = {entry.tree_hash for entry in entries}
        met = {cell.row if player == 0 else cell.column for cell in cells}
        if game.symmetric:
            met |= {cell.column for cell in cells}
        pools.append(entries + tuple(Entry("", tree, "", "") for tree in sorted(met - known)))
    if tuple(pools) != lists:
        table = build_table(Populations(game.symmetric, tuple(pools)), _Cells(cells), game.zero_sum)
    last = {solution.iteration: solution for solution in solutions}
    found = gaps(table, [solution.sigma for solution in last.values()], game.symmetric)
    return {iteration: gap for iteration, gap in zip(last, found, strict=True) if gap.pool and isfinite(gap.value)}


def text_of(snapshot: Snapshot, wanted: str, player: int = 0) -> PolicyText | None:
    """Returns any text of the store by hash or beginning of a hash, also of one that was never admitted."""
    member = snapshot.find(wanted, player)
    if member is not None:
        return member.policy
    try:
        return services.store().policy(wanted)
    except NotFoundError:
        return None


def name_of(snapshot: Snapshot, policy: PolicyText, player: int = 0) -> str:
    """Returns the name of a text for people: that of the member, else the beginning of its hash."""
    member = snapshot.find(policy.hash, player)
    return member.name if member else f"text {policy.hash[:8]}"


def curves(snapshot: Snapshot) -> Curves:
    """Returns the exploitability curves of a run; all of them by the number of iterations finished."""
    gains = tuple(
        GainPoint(
            finished=record.iteration - 1,
            gain=record.gain.mean,
            half_width=record.gain.half_width,
            found=record.verdict in {"improves", "broadens", "always"} and record.gain.mean > record.gain.half_width,
            text=f"iteration {record.iteration}: {record.message}",
            episodes=record.gain.episodes,
        )
        for record in snapshot.iterations
        if record.gain is not None
    )
    last = {solution.iteration: solution for solution in snapshot.solutions}
    exact = [solution for solution in last.values() if solution.exploitability is not None]
    return Curves(
        name=snapshot.run.name,
        gains=gains,
        gaps=tuple(
            GapPoint(finished, gap.value, 1.96 * gap.stderr, gap.pool, gap.episodes)
            for finished, gap in snapshot.gaps.items()
        ),
        exact=tuple(
            ExactPoint(solution.iteration, float(solution.exploitability or 0.0), solution.exploitability_exact)
            for solution in exact
        ),
        evaluated=tuple(
            ExactPoint(iteration, float(value), last[iteration].exploitability_exact)
            for iteration, value in _evaluated(last).items()
        ),
    )


def _evaluated(solutions: Mapping[int, SolutionRecord]) -> dict[int, float]:
    """Returns iterations finished → exploitability of the evaluation mixture, where it is another one and known."""
    found = {iteration: solution.extra.get("evaluation") for iteration, solution in solutions.items()}
    values = {
        iteration: evaluation.get("exploitability") for iteration, evaluation in found.items() if evaluation is not None
    }
    return {iteration: value for iteration, value in values.items() if isinstance(value, int | float)}
