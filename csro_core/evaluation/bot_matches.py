"""Matches of repeated rock-paper-scissors in which at least one player is a RoShamBo bot of OpenSpiel."""

import time
import zlib
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias, cast

import numpy as np

from csro_core.errors import UsageError
from csro_core.evaluation.benchmark_scores import BenchmarkMatches
from csro_core.evaluation.forfeits import Forfeits
from csro_core.evaluation.roshambo import NUM_THROWS, BotProcess, check_bots
from csro_core.games import make_game
from csro_core.games.base import GameSpec, LockstepStage
from csro_core.matches.batches import joined
from csro_core.matches.groups import Played, play_in_groups
from csro_core.matches.jobs import Limits, MatchJob, MatchResult
from csro_core.matches.lockstep import Channel, PlayerChannel, play_stage, settle_unmade, stage_moves, stage_returns
from csro_core.matches.sides import Spawn, all_failures, load_texts, make_policies, new_sides
from csro_core.matches.tasks import TaskPool
from csro_core.sandbox.player import Player
from csro_core.seeds import Secret, derive, seat_seed

GAME = GameSpec("repeated_rps", {"num_throws": NUM_THROWS})

MATCHES_A_PROCESS = 40
"""Matches that are played in lockstep, and that one process of bots has at most."""

_SEED_NAMES = ("first bot", "bot")


@dataclass(frozen=True)
class Bots:
    """Bots as a player of some matches.

    Attributes:
        names: `[E]` the bot of each match.
    """

    names: tuple[str, ...]


Contestant: TypeAlias = str | Bots
"""The text of a policy, or bots."""


def play_bots(
    entrants: Sequence[Contestant], bots: Sequence[str], episodes: int, secret: Secret, pool: TaskPool
) -> list[BenchmarkMatches]:
    """Plays policies, or bots, against bots. A match depends on entrant, bot, secret and number of the episode only.

    Args:
        entrants: texts of policies; a bot is `Bots` with one name.
        bots: names of bots.
        episodes: matches against each bot, >= 1.
        secret: seeds come from it.
        pool: where the jailed processes come from.

    Returns:
        What each entrant got.

    Raises:
        UsageError: an unknown bot, no OpenSpiel, or no episodes.
    """
    if episodes < 1:
        raise UsageError(f"a benchmark needs at least 1 episode a bot, got {episodes}")
    check_bots(bots)
    for entrant in entrants:
        check_bots(entrant.names if isinstance(entrant, Bots) else ())
    pairs = [(bot, episode) for bot in bots for episode in range(episodes)]
    chunks = [pairs[at : at + MATCHES_A_PROCESS] for at in range(0, len(pairs), MATCHES_A_PROCESS)]
    tasks = [partial(_play_chunk, entrant, chunk, secret) for entrant in entrants for chunk in chunks]
    done = pool.run(tasks)
    results = []
    for first in range(0, len(done), max(len(chunks), 1)):
        own = done[first : first + len(chunks)]
        returns = np.concatenate([result.returns[:, 0] for result in own]).reshape(len(bots), episodes)
        failures = tuple(failure for one in own for failure in one.failures[:1])
        played = np.concatenate([result.forfeits for result in own]).reshape(len(bots), episodes, 2)
        results.append(BenchmarkMatches(returns, failures, Forfeits.counted(played)))
    return results


def play_match_with_bots(
    contestants: tuple[Contestant, Contestant], seats: Sequence[int], seeds: Sequence[int], pool: TaskPool
) -> MatchResult:
    """Plays two contestants, some matches at a time.

    Args:
        contestants: first and second player; at least one is `Bots` with one name.
        seats: `[E]` the seat of the first.
        seeds: `[E]` one seed a match.
        pool: where the jailed processes come from.

    Returns:
        Returns, forfeits, failures and moves by player.

    Raises:
        UsageError: there is no such bot.
    """
    began = time.perf_counter()
    parts = [slice(at, at + MATCHES_A_PROCESS) for at in range(0, len(seeds), MATCHES_A_PROCESS)]
    tasks = [
        partial(play_bot_match, _repeated(contestants, len(seeds[part])), seats[part], seeds[part]) for part in parts
    ]
    return replace(joined(pool.run(tasks)), seconds=time.perf_counter() - began)


def _repeated(contestants: tuple[Contestant, Contestant], matches: int) -> tuple[Contestant, Contestant]:
    first, second = (Bots(one.names * matches) if isinstance(one, Bots) else one for one in contestants)
    return first, second


def play_bot_match(
    contestants: tuple[Contestant, Contestant], seats: Sequence[int], seeds: Sequence[int], spawn: Spawn
) -> MatchResult:
    """Plays some matches at the same time; moves are kept.

    Args:
        contestants: first and second player; at least one is `Bots` with a name for every match.
        seats: `[E]` the seat of the first.
        seeds: `[E]` one seed a match.
        spawn: gives out the jailed process of a policy.

    Returns:
        Returns, forfeits and failures by player.

    Raises:
        UsageError: there is no such bot.
        CsroError: the bots' process has died.
    """
    texts = tuple("" if isinstance(one, Bots) else one for one in contestants)
    job = MatchJob(GAME, cast(tuple[str, str], texts), tuple(seats), tuple(seeds), Limits())
    players: list[Player] = []

    def start(memory_bytes: int, cpu_seconds: int) -> Player:
        players.append(spawn(memory_bytes, cpu_seconds))
        return players[-1]

    def play(group: slice, absent: frozenset[int]) -> Played:
        for player in players:
            player.close()
        players.clear()
        return _play_group(_part(contestants, group), job.part(group), absent, Spawn(start, spawn.widths))

    names = [one.names for one in contestants if isinstance(one, Bots)]
    return play_in_groups(job.sources, list(zip(*names, strict=True)), job.limits.memory_bytes, spawn.widths, play)


def _part(contestants: tuple[Contestant, Contestant], group: slice) -> tuple[Contestant, Contestant]:
    first, second = (Bots(one.names[group]) if isinstance(one, Bots) else one for one in contestants)
    return first, second


def _play_group(
    contestants: tuple[Contestant, Contestant], job: MatchJob, absent: frozenset[int], spawn: Spawn
) -> Played:
    """Returns what comes of matches that are played at the same time. Raises as `play_bot_match`, and `Crowded`."""
    game = make_game(GAME)
    stage = cast(LockstepStage, game.lockstep)
    sides = new_sides(job)
    for policy in absent:
        sides[policy].forfeit_everything()
    jailed = [side for side, one in zip(sides, contestants, strict=True) if not isinstance(one, Bots)]
    present = [side for side in jailed if side.index not in absent]
    load_texts(present, job, spawn)
    templates = [game.first_observation(player) for player in (0, 1)]
    own_seeds = [[seat_seed(seed, seat) for seat in (0, 1)] for seed in job.seeds]
    make_policies(present, templates, own_seeds, job.limits.load_seconds)
    settle_unmade(sides)
    with ExitStack() as processes:
        channels: list[Channel] = []
        for side, one in zip(sides, contestants, strict=True):
            if isinstance(one, Bots):
                bot_seeds = [derive(seed, _SEED_NAMES[side.index]) for seed in job.seeds]
                bots = BotProcess(one.names, bot_seeds, side.seats)
                processes.callback(bots.close)
                channels.append(bots)
            else:
                channels.append(PlayerChannel(side, stage, job.limits))
        log = play_stage(stage.num_steps, sides, (channels[0], channels[1]))
    for side in sides:
        side.check_shared(job.limits.memory_bytes)
    result = MatchResult(
        returns=stage_returns(stage, log, np.array(job.seats, dtype=np.int64)),
        forfeits=log.forfeits,
        failures=all_failures(sides),
        moves=tuple(zlib.compress(moves) for moves in stage_moves(log)),
        seconds=0.0,
    )
    return Played(result, sides)


def _play_chunk(entrant: Contestant, pairs: Sequence[tuple[str, int]], secret: Secret, spawn: Spawn) -> MatchResult:
    """Returns what one entrant gets in some matches, played in seat 0."""
    seeds = [secret.episode_seed("roshambo", bot, episode) for bot, episode in pairs]
    first, _ = _repeated((entrant, ""), len(pairs))
    second = Bots(tuple(bot for bot, _ in pairs))
    return play_bot_match((first, second), [0] * len(pairs), seeds, spawn)
