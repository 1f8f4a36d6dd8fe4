"""Texts against a list of opponents on shared seeds: what screening, gain, lift and scores rest on.

Axes: `N` opponents, `E` episodes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from csro_core.games.base import Game
from csro_core.matches.jobs import Failure, Limits, MatchExecutor, MatchJob, MatchResult
from csro_core.metagame.cells import CellStore
from csro_core.metagame.population import Entry
from csro_core.seeds import Secret


@dataclass(frozen=True)
class Meeting:
    """Where policies meet.

    Attributes:
        game: what is played.
        executor: where matches run.
        cells: keeps payoff cells.
        secret: of the run, or of whatever is played.
        limits: what a policy may use.
    """

    game: Game
    executor: MatchExecutor
    cells: CellStore
    secret: Secret
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Matchup:
    """One text against a list of opponents.

    Attributes:
        opponents: `[N]` the opponents, in the order of the rows below.
        returns: `[N, E]` to the text, as played.
        clean: `[N, E]` the same with NaN where the opponent forfeited the episode.
        forfeited: `[N, E]` True where the text itself forfeited.
        failures: `[N]` why, of both sides (`Failure.policy` 0 is the text).
        moves: `[N]` per episode the compressed log, the text's byte first.
    """

    opponents: tuple[Entry, ...]
    returns: NDArray[np.float64]
    clean: NDArray[np.float64]
    forfeited: NDArray[np.bool_]
    failures: tuple[tuple[Failure, ...], ...]
    moves: tuple[tuple[bytes, ...], ...]

    @property
    def own_failure(self) -> Failure | None:
        """The first failure of the text itself, None where it behaved."""
        return next((failure for one in self.failures for failure in one if failure.policy == 0), None)

    def followed_by(self, later: "Matchup") -> "Matchup":
        """Returns this matchup and further episodes against the same opponents as one.

        Args:
            later: the further episodes.

        Raises:
            ValueError: the opponents are others.
        """
        if self.opponents != later.opponents:
            raise ValueError("episodes can be joined where they are against the same opponents in the same order")
        first = self.returns.shape[1]
        shifted = [tuple(failure.shifted(first) for failure in one) for one in later.failures]
        return Matchup(
            self.opponents,
            np.hstack((self.returns, later.returns)),
            np.hstack((self.clean, later.clean)),
            np.hstack((self.forfeited, later.forfeited)),
            tuple(one + more for one, more in zip(self.failures, shifted, strict=True)),
            tuple(one + more for one, more in zip(self.moves, later.moves, strict=True)),
        )


def seats_of(symmetric: bool, player: int, count: int, first: int = 0) -> tuple[int, ...]:
    """Returns the seats of a job's first policy in episodes `first` to `first + count - 1`.

    Args:
        symmetric: True where seats alternate, seat 0 in even episodes.
        player: the fixed seat otherwise.
        count: how many episodes.
        first: number of the first episode.
    """
    if not symmetric:
        return (player,) * count
    return tuple(episode % 2 for episode in range(first, first + count))


def play_many(
    meeting: Meeting,
    sources: Sequence[str],
    opponents: Sequence[Entry],
    player: int,
    seeds: Sequence[int],
    on_progress: Callable[[int, int], None] | None = None,
) -> list[Matchup]:
    """Plays several texts against the same opponents on the same seeds, all in one submission. Keeps no cells.

    Args:
        meeting: game, executor and limits.
        sources: the texts; equal texts are played once.
        opponents: whom each of them meets, at least one.
        player: the texts' seat where the game is not symmetric.
        seeds: `[E]` one seed an episode, shared by all texts and opponents.
        on_progress: called with (done, total) before the first match and after each.

    Returns:
        One matchup a text, in order.

    Raises:
        ValueError: there is no opponent or no seed.
        Cancelled: stopped on request.
    """
    if not opponents:
        raise ValueError("a matchup needs at least 1 opponent, got none")
    seats = seats_of(meeting.game.symmetric, player, len(seeds))
    distinct = list(dict.fromkeys(sources))
    jobs = [
        MatchJob(meeting.game.spec, (source, other.source), seats, tuple(seeds), meeting.limits, keep_moves=True)
        for source in distinct
        for other in opponents
    ]
    done = 0

    def arrived(_index: int, _result: MatchResult) -> None:
        nonlocal done
        done += 1
        if on_progress is not None:
            on_progress(done, len(jobs))

    if on_progress is not None:
        on_progress(0, len(jobs))
    results = meeting.executor.submit(jobs, arrived)
    width = len(opponents)
    matchups = {
        source: _matchup(tuple(opponents), results[width * place : width * (place + 1)])
        for place, source in enumerate(distinct)
    }
    return [matchups[source] for source in sources]


def play_against(
    meeting: Meeting, source: str, opponents: Sequence[Entry], player: int, seeds: Sequence[int]
) -> Matchup:
    """Returns how one text does against several opponents; see `play_many`."""
    return play_many(meeting, [source], opponents, player, seeds)[0]


def _matchup(opponents: tuple[Entry, ...], results: Sequence[MatchResult]) -> Matchup:
    returns = np.stack([result.returns[:, 0] for result in results])
    broken = np.stack([result.forfeits[:, 1] for result in results])
    return Matchup(
        opponents,
        returns,
        np.where(broken, np.nan, returns),
        np.stack([result.forfeits[:, 0] for result in results]),
        tuple(result.failures for result in results),
        tuple(result.moves for result in results),
    )
