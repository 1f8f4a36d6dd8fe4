"""The referee: plays one job. It holds the game and the score, in the trusted process (DESIGN section 4)."""

import time
import zlib
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from csro_core.games.base import Game
from csro_core.matches.groups import Played, play_in_groups
from csro_core.matches.jobs import MatchJob, MatchResult
from csro_core.matches.lockstep import PlayerChannel, fits, play_stage, settle_unmade, stage_moves, stage_returns
from csro_core.matches.repeats import probe_of, repeated
from csro_core.matches.sides import Side, Spawn, all_failures, loaded_sides, make_policies, other_episodes
from csro_core.matches.turns import TurnReferee
from csro_core.matches.widths import Crowded
from csro_core.sandbox.player import Player
from csro_core.seeds import seat_seed


def play_match(game: Game, job: MatchJob, spawn: Spawn, compact: bool = True) -> MatchResult:
    """Plays a job in jailed processes, one for each policy and group of episodes.

    Whatever a policy does is a failure in the result, never an exception: it forfeits by the game's rule. A text that
    is refused forfeits every episode; an episode that ends its process, or goes beyond a limit, is forfeited alone.

    Args:
        game: the game of `job.game`.
        job: what is played, at most `widths.EPISODES_A_PROCESS` episodes.
        spawn: gives out jailed processes; whoever gives them out ends them afterwards, whatever happens.
        compact: False plays a `LockstepStage` game by the general protocol; the results are the same.

    Returns:
        Returns, forfeits and failures by policy.

    Raises:
        DisturbedError: a process died and no policy is to blame (`csro_core.sandbox.spawner`).
    """
    began = time.perf_counter()
    table = _Table(game, spawn, compact)
    sides = table.first_sides(job)
    probe = probe_of(game, job, sides)
    result = repeated(job, probe, table.play(probe)) if probe is not None else None
    return replace(result or table.play(job), seconds=time.perf_counter() - began)


class _Table:
    """Where one match is played: the processes of the group that is on."""

    def __init__(self, game: Game, spawn: Spawn, compact: bool) -> None:
        self._game = game
        self._spawn = Spawn(self._start, spawn.widths)
        self._outer = spawn
        self._compact = compact
        self._players: list[Player] = []
        self._ready: tuple[Side, Side] | None = None

    def first_sides(self, job: MatchJob) -> tuple[Side, Side]:
        """Returns both policies loaded for the first group of a job; the next group takes them over."""
        widths = self._spawn.widths
        while self._ready is None:
            width = widths.start(job.sources, job.limits.memory_bytes)
            try:
                self._ready = loaded_sides(job.part(slice(0, width)), self._spawn)
            except Crowded as crowded:
                widths.narrower(crowded, job.sources, width, last=False)
        return self._ready

    def play(self, job: MatchJob) -> MatchResult:
        """Returns what comes of all episodes of a job."""

        def play(group: slice, absent: frozenset[int]) -> Played:
            part = job.part(group)
            sides = self._sides(part, absent)
            return Played(_result(self._game, part, sides, self._compact), sides)

        return play_in_groups(job.sources, [None] * len(job.seeds), job.limits.memory_bytes, self._spawn.widths, play)

    def _sides(self, part: MatchJob, absent: frozenset[int]) -> tuple[Side, Side]:
        ready, self._ready = self._ready, None
        if ready is not None and not absent and (len(ready[0].seats) > 1) == (len(part.seeds) > 1):
            if all(side.player is not None for side in ready):
                return other_episodes(ready, part)
            if len(ready[0].seats) == len(part.seeds):
                # Somebody is refused, so this is no probe but the very part that they were loaded for.
                return ready
        for player in self._players:
            player.close()
        self._players.clear()
        return loaded_sides(part, self._spawn, absent)

    def _start(self, memory_bytes: int, cpu_seconds: int) -> Player:
        player = self._outer(memory_bytes, cpu_seconds)
        self._players.append(player)
        return player


def _result(game: Game, job: MatchJob, sides: tuple[Side, Side], compact: bool) -> MatchResult:
    """Returns what comes of all episodes of a group, played by loaded sides.

    Raises:
        Crowded: the episodes were too many for one process.
    """
    templates = [game.first_observation(player) for player in (0, 1)]
    seeds = [[seat_seed(seed, seat) for seat in (0, 1)] for seed in job.seeds]
    make_policies(sides, templates, seeds, job.limits.load_seconds)
    returns, moves, lines = _play(game, job, sides, compact)
    for side in sides:
        side.check_shared(job.limits.memory_bytes)
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
