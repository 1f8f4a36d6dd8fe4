"""Behaviour of a text: what it does on fixed histories. Equal behaviour is a suspicion, similar behaviour a cluster.

A text plays a short version of the game against playback opponents, policies that recite a fixed list of moves.
Everybody meets the same lists on the same seeds, so a text's actions are a fingerprint of it. It is short: texts
that differ only late in a match, or only against an opponent that reacts, look alike. Whether they are the same is
found out where they meet (`identity`).
"""

import zlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from csro_core.games.base import Game, GameSpec
from csro_core.games.length import mean_acts
from csro_core.games.stage import NO_ACTION
from csro_core.matches.jobs import MatchExecutor, MatchJob, MatchResult
from csro_core.metagame.matchups import seats_of
from csro_core.seeds import Secret, derive

PROBE_THROWS = 64
ONE_STEP_EPISODES = 64
EPISODES = 2
SHORT_GAME_ACTS = 240
"""Acts against one list where an episode is short: as many episodes as that takes."""
MOST_EPISODES = 64
AGREEMENT = 0.99
"""Policies that agree in a larger share of their probe actions are one cluster."""

_SHORT: Mapping[str, tuple[str, int]] = MappingProxyType({"repeated_rps": ("num_throws", PROBE_THROWS)})
"""Game → the parameter that sets its length, and the length of a probe."""

_OTHER_ACTIONS = 8  # moves of a list where the number of actions is not known: taken modulo the legal ones

_PLAYBACK = '''"""Recites a fixed list of moves, again from the start where it is too short."""

MOVES = {moves}


class Policy:
    def __init__(self):
        self.step = 0

    def act(self, obs):
        move = MOVES[self.step % len(MOVES)]
        self.step += 1
        legal = obs["legal_actions"]
        return move if move in legal else legal[move % len(legal)]
'''


def behaviour_jobs(game: Game, source: str, secret: Secret, player: int = 0) -> list[MatchJob]:
    """Returns the matches whose moves are the behaviour of a text.

    Args:
        game: what it is written for; a short version of it is played.
        source: the text.
        secret: of the run: seeds of stochastic policies.
        player: its seat where the game is not symmetric.
    """
    stage = game.lockstep
    one_step = stage is not None and stage.num_steps == 1
    actions = stage.payoffs.shape[2 - player] if stage is not None else _OTHER_ACTIONS
    lists = [[0]] if one_step else _move_lists(actions)
    count = _episodes(game)
    spec = _short(game.spec)
    jobs = []
    for number, moves in enumerate(lists):
        seeds = secret.episode_seeds("probe", 0, count, number * count)
        opponent = _PLAYBACK.format(moves=moves)
        seats = seats_of(game.symmetric, player, count)
        jobs.append(MatchJob(spec, (source, opponent), seats, seeds, keep_moves=True))
    return jobs


def _episodes(game: Game) -> int:
    """Returns how many episodes are played against a list; even, so that both seats get as many."""
    if game.lockstep is not None:
        return ONE_STEP_EPISODES if game.lockstep.num_steps == 1 else EPISODES
    return min(MOST_EPISODES, max(EPISODES, 2 * round(SHORT_GAME_ACTS / mean_acts(game) / 2)))


def _short(spec: GameSpec) -> GameSpec:
    if spec.name not in _SHORT:
        return spec
    parameter, length = _SHORT[spec.name]
    asked = spec.parameters.get(parameter)
    if isinstance(asked, int) and asked <= length:
        return spec
    return GameSpec(spec.name, {**spec.parameters, parameter: length})


def _move_lists(actions: int) -> list[list[int]]:
    """Returns the fixed histories: without order, biased with a turn, cycles forth and back, and runs."""
    steps = range(PROBE_THROWS)
    half = PROBE_THROWS // 2
    draws = [derive("playback", step) for step in steps]
    plain = [draw % actions for draw in draws]
    biased = [plain[step] if draws[step] % 5 < 2 else (step >= half) % actions for step in steps]
    cycles = [(step if step < half else -step) % actions for step in steps]
    runs: list[int] = []
    for number in steps:
        runs += [derive("run", number) % actions] * (1 + derive("run length", number) % 7)
    return [plain, biased, cycles, runs[:PROBE_THROWS]]


def own_actions(results: Sequence[MatchResult], in_turns: bool = False) -> bytes:
    """Returns what the text did in its behaviour matches, one byte a step, 255 where it did not act.

    Args:
        results: of its behaviour matches.
        in_turns: True where players take turns: moves of the opponent alone are left out, since all policies would
            agree on them.
    """
    logs = (zlib.decompress(log) for result in results for log in result.moves)
    if not in_turns:
        return b"".join(log[::2] for log in logs)
    return b"".join(
        bytes(own for own, other in zip(log[::2], log[1::2], strict=True) if own != NO_ACTION or other == NO_ACTION)
        for log in logs
    )


def probe(executor: MatchExecutor, game: Game, sources: Sequence[str], secret: Secret, player: int = 0) -> list[bytes]:
    """Plays the behaviour matches of several texts in one submission.

    Args:
        executor: where matches run.
        game: what the texts are written for.
        sources: the texts.
        secret: of the run.
        player: their seat where the game is not symmetric.

    Returns:
        Each text's actions, one byte a step (see `own_actions`). In a one-step game: one byte an episode.

    Raises:
        Cancelled: stopped on request.
    """
    batches = [behaviour_jobs(game, source, secret, player) for source in sources]
    results = executor.submit([job for batch in batches for job in batch])
    actions, place = [], 0
    for batch in batches:
        actions.append(own_actions(results[place : place + len(batch)], game.lockstep is None))
        place += len(batch)
    return actions


def clusters(vectors: Sequence[bytes]) -> list[int]:
    """Groups policies whose probe actions agree in more than 99 %.

    A policy joins the first cluster whose first member it agrees with, so the answer depends on the order only where
    agreement is not transitive.

    Args:
        vectors: `[N]` actions of each policy, from `probe`.

    Returns:
        `[N]` cluster of each policy, numbered 0, 1, … in order of appearance.
    """
    leaders: list[bytes] = []
    labels: list[int] = []
    for vector in vectors:
        label = next((number for number, leader in enumerate(leaders) if _agree(vector, leader)), len(leaders))
        if label == len(leaders):
            leaders.append(vector)
        labels.append(label)
    return labels


def _agree(one: bytes, other: bytes) -> bool:
    if one == other:
        return True
    shared = min(len(one), len(other))
    if shared == 0:
        return False
    first = np.frombuffer(one, dtype=np.uint8, count=shared)
    second = np.frombuffer(other, dtype=np.uint8, count=shared)
    return int((first == second).sum()) > AGREEMENT * max(len(one), len(other))
