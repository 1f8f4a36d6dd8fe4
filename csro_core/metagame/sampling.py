"""Playing the meta-game: missing cells, and further episodes of cells that are there.

Cells share their episodes (purpose "cell", iteration 0): cells of one row or column are paired. Seats alternate by
episode in symmetric games; otherwise player 0's policy sits in seat 0.

A tournament of hundreds of policies has more matches than memory should hold: jobs are made and handed to the
executor in windows, and a window's results are dropped when its cells are kept.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import TypeAlias

import numpy as np

from csro_core.matches.jobs import MatchJob, MatchResult
from csro_core.metagame.cells import Cell, Key
from csro_core.metagame.matchups import Matchup, Meeting, play_against, play_many, seats_of
from csro_core.metagame.payoffs import Pairing, pairing
from csro_core.metagame.population import Entry, Populations

__all__ = [
    "CellJob", "Matchup", "Meeting", "Progress", "deepen", "deepen_each", "fill", "missing_jobs", "play_against",
    "play_many", "seats_of",
]  # fmt: skip

Progress: TypeAlias = Callable[[int, int], None]
"""Called with (done, total) in matches; may raise to stop."""

WINDOW_JOBS = 256
"""Most matches that the executor is given at once; enough to keep a cluster busy up to the end of a window."""

WINDOW_EPISODES = 8_192
"""Most episodes of a window (but always one match): what bounds memory where cells are long."""

KEEP_SECONDS = 0.25
"""Cells that arrive within this time are kept in one transaction; a crash loses no more than them."""


@dataclass(frozen=True)
class CellJob:
    """A cell, or the rest of one, that has to be played.

    Attributes:
        row: tree hash of the policy that sits first.
        column: tree hash of the other.
        job: the episodes to play.
        first: number of the first of them, which is how many there are already.
    """

    row: str
    column: str
    job: MatchJob
    first: int

    def finished(self, result: MatchResult, before: Cell | None = None) -> Cell:
        """Returns the cell with the result's episodes after the earlier ones.

        The logs of earlier episodes are not at hand (`CellStore.get` leaves them out); b"" stands for each.

        Args:
            result: what came of the job.
            before: the episodes there are, None where there are none.
        """
        if before is None:
            failures = tuple(asdict(failure) for failure in result.failures)
            return Cell(self.row, self.column, result.returns, result.forfeits, failures, result.moves)
        return Cell(
            self.row,
            self.column,
            np.concatenate([before.returns, result.returns]),
            np.concatenate([before.forfeits, result.forfeits]),
            (*before.failures, *(asdict(failure.shifted(before.episodes)) for failure in result.failures)),
            (*(before.moves or (b"",) * before.episodes), *result.moves),
        )


@dataclass(frozen=True, slots=True)
class _Missing:
    """A cell that lacks episodes, how many it has, and how many it shall have."""

    pairing: Pairing
    first: int
    wanted: int


def missing_jobs(meeting: Meeting, populations: Populations, episodes: int) -> Iterator[CellJob]:
    """Returns what has to be played until every cell has the wanted episodes, in order of rows and columns.

    Args:
        meeting: the game, and the cells there are.
        populations: who plays.
        episodes: episodes of a cell, even, >= 2.

    Returns:
        The jobs, each made when it is asked for.

    Raises:
        ValueError: `episodes` is not such a number.
    """
    return _jobs(meeting, _missing_of(meeting, populations, episodes), populations.symmetric)


def fill(meeting: Meeting, populations: Populations, episodes: int, on_progress: Progress | None = None) -> int:
    """Plays the missing cells, and keeps them as their results arrive, so that a crash loses little.

    Args:
        meeting: game, executor, cells and secret.
        populations: who plays.
        episodes: episodes of a cell, even, >= 2.
        on_progress: called before the first match and after each; not at all where nothing is missing.

    Returns:
        How many cells were played.

    Raises:
        ValueError: `episodes` is not such a number.
        Cancelled: stopped on request; finished cells are kept.
    """
    missing = _missing_of(meeting, populations, episodes)
    return _play(meeting, _jobs(meeting, missing, populations.symmetric), len(missing), on_progress)


def deepen(
    meeting: Meeting,
    own: Sequence[Entry],
    opponents: Sequence[Entry],
    player: int,
    episodes: int,
    on_progress: Progress | None = None,
) -> int:
    """Plays further episodes of the cells between some policies, so that each has at least `episodes`.

    Args:
        meeting: game, executor, cells and secret.
        own: policies of `player`.
        opponents: whom each of them meets.
        player: whose policies `own` are.
        episodes: even, >= 2.
        on_progress: as in `fill`.

    Returns:
        How many cells were played.

    Raises:
        ValueError: `episodes` is not such a number.
        Cancelled: stopped on request; finished cells are kept.
    """
    _require_even(episodes)
    pairs = ((one, other) if player == 0 else (other, one) for one in own for other in opponents)
    return deepen_each(meeting, ((row, column, episodes) for row, column in pairs), on_progress)


def deepen_each(
    meeting: Meeting, wanted: Iterable[tuple[Entry, Entry, int]], on_progress: Progress | None = None
) -> int:
    """Plays further episodes of some cells, so that each has at least what is wanted of it.

    Args:
        meeting: game, executor, cells and secret.
        wanted: policy of player 0, policy of player 1, and episodes, even and >= 2.
        on_progress: as in `fill`.

    Returns:
        How many cells were played.

    Raises:
        ValueError: a number of episodes is not such a number.
        Cancelled: stopped on request; finished cells are kept.
    """
    symmetric = meeting.game.symmetric
    missing = _missing(meeting, wanted, symmetric)
    return _play(meeting, _jobs(meeting, missing, symmetric), len(missing), on_progress)


def _missing_of(meeting: Meeting, populations: Populations, episodes: int) -> list[_Missing]:
    _require_even(episodes)
    wanted = ((row, column, episodes) for row in populations.of(0) for column in populations.against(0))
    return _missing(meeting, wanted, populations.symmetric)


def _require_even(episodes: int) -> None:
    if episodes < 2 or episodes % 2:
        raise ValueError(f"episodes of a cell must be an even number >= 2, got {episodes}")


def _missing(meeting: Meeting, wanted: Iterable[tuple[Entry, Entry, int]], symmetric: bool) -> list[_Missing]:
    """Returns the distinct cells that lack episodes; of several wishes for one cell the greatest counts.

    Raises:
        ValueError: a number of episodes is not an even number of at least 2.
    """
    pairs: dict[Key, Pairing] = {}
    most: dict[Key, int] = {}
    for row, column, episodes in wanted:
        _require_even(episodes)
        pair = pairing(row, column, symmetric, meeting.game.zero_sum)
        if pair is not None:
            pairs.setdefault(pair.key, pair)
            most[pair.key] = max(episodes, most.get(pair.key, 0))
    there = meeting.cells.lengths(pairs)
    return [
        _Missing(pair, there.get(key, 0), most[key]) for key, pair in pairs.items() if there.get(key, 0) < most[key]
    ]


def _jobs(meeting: Meeting, missing: Iterable[_Missing], symmetric: bool) -> Iterator[CellJob]:
    @cache  # nearly all jobs have the same episodes
    def drawn(first: int, wanted: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        count = wanted - first
        return seats_of(symmetric, 0, count, first), meeting.secret.episode_seeds("cell", 0, count, first)

    for cell in missing:
        pair = cell.pairing
        texts = pair.first.source, pair.second.source
        job = MatchJob(meeting.game.spec, texts, *drawn(cell.first, cell.wanted), meeting.limits, keep_moves=True)
        yield CellJob(*pair.key, job, cell.first)


def _play(meeting: Meeting, wanted: Iterable[CellJob], total: int, on_progress: Progress | None) -> int:
    if total == 0:
        return 0
    course = _Course(meeting, total, on_progress)
    for window in _windows(wanted):
        course.play(window)
    return course.done


class _Course:
    """Plays windows of jobs, keeps their cells and counts them."""

    def __init__(self, meeting: Meeting, total: int, on_progress: Progress | None) -> None:
        self.done = 0
        self._meeting = meeting
        self._total = total
        self._on_progress = on_progress
        self._arrived: list[Cell] = []
        self._kept = time.monotonic()
        self._tell()

    def play(self, window: Sequence[CellJob]) -> None:
        """Plays a window; whatever ends it, all cells that have arrived are kept."""
        jobs = [cell.job for cell in window]
        try:
            self._meeting.executor.submit(jobs, lambda index, result: self._arrive(window[index], result))
        finally:
            self._keep()

    def _arrive(self, cell: CellJob, result: MatchResult) -> None:
        before = self._meeting.cells.get(cell.row, cell.column) if cell.first else None
        self._arrived.append(cell.finished(result, before))
        if time.monotonic() - self._kept >= KEEP_SECONDS:
            self._keep()
        self.done += 1
        self._tell()

    def _keep(self) -> None:
        arrived, self._arrived = self._arrived, []
        if arrived:
            self._meeting.cells.put_all(arrived)
        self._kept = time.monotonic()

    def _tell(self) -> None:
        if self._on_progress is not None:
            self._on_progress(self.done, self._total)


def _windows(wanted: Iterable[CellJob]) -> Iterator[Sequence[CellJob]]:
    """Cuts the jobs in pieces of at most `WINDOW_JOBS` matches and, from the second match on, `WINDOW_EPISODES`."""
    window: list[CellJob] = []
    episodes = 0
    for cell in wanted:
        episodes += len(cell.job.seeds)
        if window and (len(window) == WINDOW_JOBS or episodes > WINDOW_EPISODES):
            yield window
            window, episodes = [], len(cell.job.seeds)
        window.append(cell)
    if window:
        yield window
