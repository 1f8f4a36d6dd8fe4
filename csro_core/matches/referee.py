"""The referee: plays one job. It holds the game and the score, in the trusted process (DESIGN section 4)."""

import time
import zlib
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from csro_core.games.base import Game
from csro_core.matches.jobs import MatchJob, MatchResult
from csro_core.matches.lockstep import PlayerChannel, fits, play_stage, settle_unmade, stage_moves, stage_returns
from csro_core.matches.repeats import probe_of, repeated
from csro_core.matches.sides import Side, Spawn, all_failures, loaded_sides, make_policies, other_episodes
from csro_core.matches.turns import TurnReferee
from csro_core.seeds import seat_seed


def play_match(game: Game, job: MatchJob, spawn: Spawn, compact: bool = True) -> MatchResult:
    """Plays a job in two fresh jailed processes, one for each policy.

    Whatever a policy does is a failure in the result, never an exception: it forfeits by the game's rule. A text that
    is refused forfeits every episode; a process that dies forfeits those that are not over.

    Args:
        game: the game of `job.game`.
        job: what is played.
        spawn: gives out jailed processes; whoever gives them out ends them afterwards, whatever happens.
        compact: False plays a `LockstepStage` game by the general protocol; the results are the same.

    Returns:
        Returns, forfeits and failures by policy.

    Raises:
        DisturbedError: a process died and no policy is to blame (`csro_core.sandbox.spawner`).
    """
    began = time.perf_counter()
    sides = loaded_sides(job, spawn)
    probe = probe_of(game, job, sides)
    if probe is not None:
        result = repeated(job, probe, _result(game, probe, other_episodes(sides, probe), compact))
        if result is not None:
            return replace(result, seconds=time.perf_counter() - began)
        sides = loaded_sides(job, spawn)
    return replace(_result(game, job, sides, compact), seconds=time.perf_counter() - began)


def _result(game: Game, job: MatchJob, sides: tuple[Side, Side], compact: bool) -> MatchResult:
    """Returns what comes of all episodes of a job, played by loaded sides."""
    templates = [game.first_observation(player) for player in (0, 1)]
    seeds = [[seat_seed(seed, seat) for seat in (0, 1)] for seed in job.seeds]
    make_policies(sides, templates, seeds, job.limits.load_seconds)
    returns, moves, lines = _play(game, job, sides, compact)
    return MatchResult(
        returns=returns,
        forfeits=np.array([[not alive for alive in side.alive] for side in sides], dtype=np.bool_).T,
        failures=all_failures(sides),
        moves=tuple(zlib.compress(log) for log in moves) if job.keep_moves else (),
        seconds=0.0,
        lines=lines,
    )


def _play(
    game: Game, job: MatchJob, sides: tuple[Side, Side], compact: bool
) -> tuple[NDArray[np.float64], list[bytes], tuple[bytes, ...]]:
    stage = game.lockstep
    if stage is None or not compact or not fits(stage):
        referee = TurnReferee(game, job, sides)
        return *referee.play(), referee.lines()
    settle_unmade(sides)
    channels = (PlayerChannel(sides[0], stage, job.limits), PlayerChannel(sides[1], stage, job.limits))
    log = play_stage(stage.num_steps, sides, channels)
    return stage_returns(stage, log, np.array(job.seats, dtype=np.int64)), stage_moves(log), ()
