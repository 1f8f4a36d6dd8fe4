"""Playing the meta-game: missing cells, and further episodes of cells that are there.

Cells share their episodes (purpose "cell", iteration 0): cells of one row or column are paired. Seats alternate by
episode in symmetric games; otherwise player 0's policy sits in seat 0.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TypeAlias

import numpy as np

from csro_core.matches.jobs import MatchJob, MatchResult
from csro_core.metagame.cells import Cell
from csro_core.metagame.matchups import Matchup, Meeting, play_against, play_many, seats_of
from csro_core.metagame.payoffs import pairing
from csro_core.metagame.population import Entry, Populations
from csro_core.seeds import episode_seeds

__all__ = [
    "CellJob", "Matchup", "Meeting", "Progress", "deepen", "fill", "missing_jobs", "play_against", "play_many",
    "seats_of",
]  # fmt: skip

Progress: TypeAlias = Callable[[int, int], None]
"""Called with (done, total) in matches; may raise to stop."""


@dataclass(frozen=True)
class CellJob:
    """A cell, or the rest of one, that has to be played.

    Attributes:
        row: tree hash of the policy that sits first.
        column: tree hash of the other.
        job: the episodes to play.
        earlier: the episodes there are, None where there are none.
    """

    row: str
    column: str
    job: MatchJob
    earlier: Cell | None

    def finished(self, result: MatchResult) -> Cell:
        """Returns the cell with the result's episodes after the earlier ones.

        The logs of earlier episodes are not at hand (`CellStore.get` leaves them out); b"" stands for each.
        """
        if self.earlier is None:
            failures = tuple(asdict(failure) for failure in result.failures)
            return Cell(self.row, self.column, result.returns, result.forfeits, failures, result.moves)
        before = self.earlier
        return Cell(
            self.row,
            self.column,
            np.concatenate([before.returns, result.returns]),
            np.concatenate([before.forfeits, result.forfeits]),
            (*before.failures, *(asdict(failure.shifted(before.episodes)) for failure in result.failures)),
            (*(before.moves or (b"",) * before.episodes), *result.moves),
        )


def missing_jobs(meeting: Meeting, populations: Populations, episodes: int) -> list[CellJob]:
    """Returns what has to be played until every cell has the wanted episodes, in order of rows and columns.

    Args:
        meeting: the game, and the cells there are.
        populations: who plays.
        episodes: episodes of a cell, even, >= 2.

    Raises:
        ValueError: `episodes` is not such a number.
    """
    pairs = ((row, column) for row in populations.of(0) for column in populations.against(0))
    return _jobs(meeting, pairs, populations.symmetric, episodes)


def fill(meeting: Meeting, populations: Populations, episodes: int, on_progress: Progress | None = None) -> int:
    """Plays the missing cells, and keeps each one as soon as its result arrives, so that a crash loses little.

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
    return _play(meeting, missing_jobs(meeting, populations, episodes), on_progress)


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
    pairs = ((one, other) if player == 0 else (other, one) for one in own for other in opponents)
    return _play(meeting, _jobs(meeting, pairs, meeting.game.symmetric, episodes), on_progress)


def _jobs(
    meeting: Meeting, pairs: Iterable[tuple[Entry, Entry]], symmetric: bool, episodes: int
) -> list[CellJob]:
    """Returns one job for each distinct cell of the pairs that lacks episodes.

    Raises:
        ValueError: `episodes` is not an even number of at least 2.
    """
    if episodes < 2 or episodes % 2:
        raise ValueError(f"episodes of a cell must be an even number >= 2, got {episodes}")
    jobs: list[CellJob] = []
    seen: set[tuple[str, str]] = set()
    for row, column in pairs:
        pair = pairing(row, column, symmetric, meeting.game.zero_sum)
        if pair is None or pair.key in seen:
            continue
        seen.add(pair.key)
        earlier = meeting.cells.get(*pair.key)
        first = earlier.episodes if earlier is not None else 0
        if first >= episodes:
            continue
        job = MatchJob(
            meeting.game.spec,
            (pair.first.source, pair.second.source),
            seats_of(symmetric, 0, episodes - first, first),
            episode_seeds(meeting.secret, "cell", 0, episodes - first, first),
            meeting.limits,
            keep_moves=True,
        )
        jobs.append(CellJob(*pair.key, job, earlier))
    return jobs


def _play(meeting: Meeting, wanted: Sequence[CellJob], on_progress: Progress | None) -> int:
    if not wanted:
        return 0
    done = 0

    def arrived(index: int, result: MatchResult) -> None:
        nonlocal done
        meeting.cells.put(wanted[index].finished(result))
        done += 1
        if on_progress is not None:
            on_progress(done, len(wanted))

    if on_progress is not None:
        on_progress(0, len(wanted))
    meeting.executor.submit([cell.job for cell in wanted], arrived)
    return len(wanted)
