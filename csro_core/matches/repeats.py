"""Deterministic pairs: where no chance can decide, equal seats give equal episodes, and a few are enough.

A game of simultaneous steps has no chance moves, and a policy without chance (`policies.chance`) plays alike in every
episode. That is not taken on trust: two episodes of each seat, with different seeds, are played and compared step by
step. If they agree the others are known; if not, the whole job is played.
"""

from collections.abc import Sequence
from dataclasses import replace

from csro_core.games.base import Game
from csro_core.matches.jobs import MatchJob, MatchResult
from csro_core.matches.sides import Side

PROBE_EPISODES = 2
"""Episodes of each seat that are played to see whether they are equal."""


def probe_of(game: Game, job: MatchJob, sides: Sequence[Side]) -> MatchJob | None:
    """Returns the first episodes of each seat as a job, with moves; None where everything has to be played.

    Args:
        game: what is played.
        job: all episodes.
        sides: both policies, loaded.
    """
    if game.lockstep is None or any(side.random or side.player is None for side in sides):
        return None
    chosen = [
        episode for episode, seat in enumerate(job.seats) if job.seats[:episode].count(seat) < PROBE_EPISODES
    ]
    if len(chosen) == len(job.seats):
        return None
    return replace(
        job,
        seats=tuple(job.seats[episode] for episode in chosen),
        seeds=tuple(job.seeds[episode] for episode in chosen),
        keep_moves=True,
    )


def repeated(job: MatchJob, probe: MatchJob, result: MatchResult) -> MatchResult | None:
    """Returns the result of a job from that of its probe; None where the probe does not settle it.

    Args:
        job: all episodes.
        probe: those that were played.
        result: what came of them.
    """
    first = {seat: probe.seats.index(seat) for seat in set(probe.seats)}
    alike = all(result.moves[first[seat]] == moves for seat, moves in zip(probe.seats, result.moves, strict=True))
    if result.failures or not alike:
        return None
    source = [first[seat] for seat in job.seats]
    return MatchResult(
        returns=result.returns[source],
        forfeits=result.forfeits[source],
        failures=(),
        moves=tuple(result.moves[episode] for episode in source) if job.keep_moves else (),
        seconds=result.seconds,
        deterministic=True,
    )
