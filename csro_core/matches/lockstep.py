"""Matches of simultaneous steps by the compact protocol: one byte per episode and step, scores from the log.

Axes: `T` steps, `E` episodes. A log is `[2, T', E]` bytes, one row a policy; 255 stands for no action.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from csro_core.games.base import LockstepStage
from csro_core.matches.jobs import Limits
from csro_core.matches.sides import Side
from csro_core.sandbox.answers import SlotFailure
from csro_core.sandbox.player import Player
from csro_core.sandbox.protocol import FAILED, MAX_ACTIONS, NOT_ASKED


@dataclass(frozen=True)
class StageLog:
    """What happened in a stage. Index 0 is the job's first policy, whatever its seat.

    Attributes:
        actions: `[2, T', E]` action of each policy, 255 = none; T' < T where every episode ended early.
        ended: `[E]` the step at which somebody forfeited, T where nobody did.
        forfeits: `[E, 2]` who forfeited.
    """

    actions: NDArray[np.uint8]
    ended: NDArray[np.int64]
    forfeits: NDArray[np.bool_]


def fits(stage: LockstepStage) -> bool:
    """Returns True where an action of the stage fits into one byte."""
    return bool(max(stage.payoffs.shape[1:]) <= MAX_ACTIONS)


class Channel(Protocol):
    """One side's end of a stage."""

    def answer(self, step: int) -> bytes:
        """Returns `[E]` actions of this step, 255 where there is none."""
        ...

    def tell(self, news: bytes, step: int) -> None:
        """Takes `[E]` actions of the opponent before `step`, 255 where the episode is over."""
        ...


def settle_unmade(sides: tuple[Side, Side]) -> None:
    """Takes the episodes whose policies could not be made out of those that are played."""
    _settle(sides, [0] * len(sides[0].alive), 0)


def play_stage(num_steps: int, sides: tuple[Side, Side], channels: tuple[Channel, Channel]) -> StageLog:
    """Plays all steps. Who forfeits is not asked again, nor is the opponent in that episode.

    Args:
        num_steps: steps of an episode.
        sides: both policies, after `settle_unmade`.
        channels: how to ask them.

    Returns:
        The log. Both sides know their failures.
    """
    episodes = len(sides[0].alive)
    playing = sides[0].playing
    ended = [num_steps if episode in playing else 0 for episode in range(episodes)]
    log: list[bytes] = []
    for step in range(num_steps):
        if not playing:
            break
        answers = [channel.answer(step) for channel in channels]
        log += answers
        if _settle(sides, ended, step):
            over = [episode for episode in range(episodes) if episode not in playing]
            answers = [_blanked(answer, over) for answer in answers]
        if step + 1 < num_steps:
            channels[0].tell(answers[1], step + 1)
            channels[1].tell(answers[0], step + 1)
    actions = np.frombuffer(b"".join(log), dtype=np.uint8).reshape(-1, 2, episodes).transpose(1, 0, 2)
    forfeits = np.array([[not alive for alive in side.alive] for side in sides], dtype=np.bool_).T
    return StageLog(actions, np.array(ended, dtype=np.int64), forfeits)


def stage_returns(stage: LockstepStage, log: StageLog, seats: NDArray[np.int64]) -> NDArray[np.float64]:
    """Returns `[E, 2]` returns of (first policy, second policy), computed from the log alone.

    Args:
        stage: the rules.
        log: what happened.
        seats: `[E]` the seat of the first policy.
    """
    steps = np.arange(log.actions.shape[1])[:, None]
    played = steps < log.ended[None, :]
    first_sits_first = seats == 0
    by_seat = np.where(first_sits_first, log.actions, log.actions[::-1])
    row, column = np.where(played, by_seat, 0)
    totals = np.where(played, stage.payoffs[:, row, column], 0.0).sum(axis=1).T
    rest = (stage.num_steps - log.ended).astype(np.float64)
    # Where exactly one has forfeited: his seat.
    offender = np.where(log.forfeits[:, 0], seats, 1 - seats)
    alone = log.forfeits.sum(axis=1) == 1
    totals += np.where(alone[:, None], stage.forfeit_reward[offender] * rest[:, None], 0.0)
    by_policy: NDArray[np.float64] = np.where(first_sits_first[:, None], totals, totals[:, ::-1])
    return by_policy


def stage_moves(log: StageLog) -> list[bytes]:
    """Returns for each episode two bytes a step, (first policy, second policy), up to the step of a forfeit."""
    steps = log.actions.shape[1]
    if not steps:
        # No policy could be made in any episode; where one could in another, each of these has a first row too.
        return [bytes([NOT_ASKED, NOT_ASKED])] * log.ended.size
    shown = np.minimum(log.ended + 1, steps)
    return [log.actions[:, : shown[episode], episode].T.tobytes() for episode in range(log.ended.size)]


class PlayerChannel:
    """The end of a stage where a jailed process plays."""

    def __init__(self, side: Side, stage: LockstepStage, limits: Limits) -> None:
        """Tells the process what is played; episodes that are over have no actions."""
        self._side = side
        self._counts = [
            stage.payoffs.shape[1 + seat] if episode in side.playing else 0 for episode, seat in enumerate(side.seats)
        ]
        self._all_alike = len(set(self._counts)) == 1
        most = max(self._counts)
        # Maps an action to 0 and everything else to 1, so that one comparison checks a whole answer.
        self._illegal = bytes(byte >= most for byte in range(256))
        self._mask = bytes(len(self._counts))
        self._nobody = bytes([NOT_ASKED]) * len(self._counts)
        keys = (stage.step_key, stage.own_key, stage.opponent_key)
        arguments = (stage.num_steps, len(self._counts), self._counts, keys)
        if side.playing:
            side.do(0, lambda player: player.ask_stage(arguments, limits.act_seconds))

    def answer(self, step: int) -> bytes:
        """Returns `[E]` actions of this step, 255 where there is none; notes failures and forfeits."""
        return self._side.do(step, lambda player: self._checked(player, step)) or self._nobody

    def tell(self, news: bytes, step: int) -> None:
        """Passes `[E]` actions of the opponent on, 255 where the episode is over."""
        self._side.do(step, lambda player: player.tell(news))

    def _checked(self, player: Player, step: int) -> bytes:
        reply = player.answer(len(self._counts))
        if self._all_alike and reply.translate(self._illegal) == self._mask:
            return reply
        failed = set()
        for episode, action in enumerate(reply):
            if episode not in self._side.playing:
                honest = action == NOT_ASKED
            elif action == FAILED:
                failed.add(episode)
                honest = True
            else:
                honest = action < self._counts[episode]
            if not honest:
                raise player.violation("answered what no policy may answer")
        if failed:
            self._side.fail(failed, [], lambda _: step)
            described: list[SlotFailure] = player.failures()
            self._side.fail(failed, described, lambda _: step)
        return _blanked(reply, failed)


def _settle(sides: tuple[Side, Side], ended: list[int], step: int) -> bool:
    """Returns True where somebody has forfeited; those episodes are over now."""
    over = [episode for episode in sides[0].playing if not (sides[0].alive[episode] and sides[1].alive[episode])]
    for episode in over:
        ended[episode] = step
        sides[0].playing.discard(episode)
    return bool(over)


def _blanked(answer: bytes, episodes: set[int] | list[int]) -> bytes:
    if not episodes:
        return answer
    changed = bytearray(answer)
    for episode in episodes:
        changed[episode] = NOT_ASKED
    return bytes(changed)
