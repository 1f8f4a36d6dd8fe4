"""The two sides of a match: what the referee knows of each policy, its process, and its failures."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

from csro_core.matches.jobs import Failure, FailureStatus, MatchJob
from csro_core.matches.widths import Crowded, Widths, least_room
from csro_core.policies.source import Problem
from csro_core.sandbox.answers import SlotFailure
from csro_core.sandbox.player import Player, PlayerDiedError
from csro_core.sandbox.watchdog import MATCH_WALL_FACTOR, MATCH_WALL_FLOOR_SECONDS

MAX_FAILURES = 20
"""Failures that a result describes."""

_SPARE_CPU_SECONDS = 10
_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Spawn:
    """Gives out fresh jailed processes.

    Attributes:
        start: (memory_bytes, cpu_seconds) → player.
        widths: how many episodes fit into a process.
    """

    start: Callable[[int, int], Player]
    widths: Widths

    def __call__(self, memory_bytes: int, cpu_seconds: int) -> Player:
        """Returns a fresh process with these limits."""
        return self.start(memory_bytes, cpu_seconds)


@dataclass
class Side:
    """One policy of a match.

    Attributes:
        index: 0 or 1, which policy of the job.
        seats: `[E]` the seat of the policy in each episode.
        alive: `[E]` False where this policy has forfeited the episode.
        playing: the episodes that are not over; one set, shared by both sides.
        player: its process; None where it cannot act (refused, or dead).
        random: False where no chance can decide what the policy does (`policies.chance`).
        failures: what went wrong, in the order of events.
        shared: True where several episodes are in the process and the policy runs: its end is nobody's fault then.
        died: the failure that ended its process, None where it lives.
    """

    index: int
    seats: list[int]
    alive: list[bool]
    playing: set[int]
    player: Player | None = None
    random: bool = True
    failures: list[Failure] = field(default_factory=list)
    shared: bool = False
    died: Failure | None = None

    def do(self, step: int | None, action: Callable[[Player], _Answer]) -> _Answer | None:
        """Does something with the process, and notes its death.

        Args:
            step: where the match stands, for the message.
            action: what to do.

        Returns:
            What the action returns; None where there is no process, or it has died.

        Raises:
            Crowded: it has died, and several episodes were in it.
        """
        if self.player is None:
            return None
        try:
            return action(self.player)
        except PlayerDiedError as error:
            if self.shared:
                raise Crowded(self.index, error.message) from error
            self._lose_process(error, step)
            return None

    def refuse(self, problems: Sequence[Problem]) -> None:
        """Notes that the text may not run: every episode is forfeited before it starts."""
        first = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        self.failures.append(
            Failure(self.index, "refused", f"{_where(first.line)}{first.message}{more}", first.line or None)
        )
        self.forfeit_everything()

    def fail(self, failed: set[int], described: Sequence[SlotFailure], steps: Callable[[int], int]) -> None:
        """Notes that the policy has failed in some episodes, and forfeits them.

        Args:
            failed: the episodes.
            described: what the process says of them; may be less, and may be lies about other episodes.
            steps: episode → the step at which it failed.
        """
        for episode in failed:
            self.alive[episode] = False
        told = {failure.episode for failure in self.failures}
        for one in described:
            if one.episode in failed - told:
                told.add(one.episode)
                step = steps(one.episode)
                message = f"{_where(one.line)}{one.message} (episode {one.episode}, step {step})"
                status = cast(FailureStatus, one.status)
                self.failures.append(Failure(self.index, status, message, one.line, one.episode, step))

    def check_shared(self, memory_bytes: int) -> None:
        """Looks whether what several episodes of a process used in all was within the limits of one.

        Raises:
            Crowded: it was not.
        """
        if not self.shared or self.player is None:
            return
        cpu, peak = self.player.cpu_seconds(), self.player.peak_bytes()
        if cpu is not None and cpu > self.player.cpu_budget:
            raise Crowded(self.index, f"the episodes used {cpu:g} s of CPU time")
        if self.player.room_bytes and (peak is None or peak > memory_bytes):
            raise Crowded(self.index, f"the episodes took {peak} bytes")

    def _lose_process(self, error: PlayerDiedError, step: int | None) -> None:
        """Notes the end of a process: of its one episode, or of one that could not even load the text."""
        status = cast(FailureStatus, error.status)
        message = f"{_where(error.line)}{error.message}"
        self.died = Failure(self.index, status, message, error.line)
        if step is not None:
            # It is not shared, so it has one episode.
            self.died = replace(self.died, message=f"{message} (episode 0, step {step})", episode=0, step=step)
        if self.playing:
            self.failures.append(self.died)
        self.forfeit_everything()

    def forfeit_everything(self) -> None:
        """Ends the part of this policy in all episodes that are not over."""
        for episode in self.playing:
            self.alive[episode] = False
        self.player = None


def _where(line: int | None) -> str:
    return f"line {line}: " if line else ""


def new_sides(job: MatchJob) -> tuple[Side, Side]:
    """Returns both sides of a job, without processes."""
    episodes = len(job.seeds)
    playing = set(range(episodes))
    return (
        Side(0, list(job.seats), [True] * episodes, playing),
        Side(1, [1 - seat for seat in job.seats], [True] * episodes, playing),
    )


def other_episodes(sides: Sequence[Side], job: MatchJob) -> tuple[Side, Side]:
    """Returns both policies of loaded sides, in the same processes, for the episodes of another job."""
    others = new_sides(job)
    for side, other in zip(sides, others, strict=True):
        other.player, other.random, other.shared = side.player, side.random, side.shared
    return others


def loaded_sides(job: MatchJob, spawn: Spawn, absent: frozenset[int] = frozenset()) -> tuple[Side, Side]:
    """Returns both sides of a job after `load_texts`; those of the policies `absent` have forfeited everything."""
    sides = new_sides(job)
    for policy in absent:
        sides[policy].forfeit_everything()
    load_texts([side for side in sides if side.index not in absent], job, spawn)
    return sides


def load_texts(sides: Sequence[Side], job: MatchJob, spawn: Spawn) -> None:
    """Starts a process for each policy, and checks and compiles the texts; those at fault are refused.

    Args:
        sides: fresh.
        job: what is played. Where it has several episodes, whatever goes wrong from here on is nobody's fault.
        spawn: gives out processes.

    Raises:
        Crowded: this system cannot tell what several episodes in one process use.
    """
    shared = len(job.seeds) > 1
    # Making a policy has its own allowance; it must not eat up the budget for playing.
    budget = job.limits.match_seconds + job.limits.load_seconds
    room = spawn.widths.room_bytes if shared else job.limits.memory_bytes
    for side in sides:
        player = spawn(room, int(budget) + _SPARE_CPU_SECONDS)
        player.memory_bytes = job.limits.memory_bytes
        player.cpu_budget = budget
        player.wall_deadline = time.monotonic() + max(MATCH_WALL_FACTOR * budget, MATCH_WALL_FLOOR_SECONDS)
        if shared and player.room_bytes:
            if player.room_bytes < least_room(job.limits.memory_bytes) or player.peak_bytes() is None:
                raise Crowded(side.index, "this system hides the memory of processes, or gives too little", True)
            # The kernel lets it take more: it is ended as soon as it does.
            player.watch_memory = True
        side.player = player
    for side in sides:
        text = job.sources[side.index]
        side.do(None, lambda player, text=text: player.ask_load(text))  # type: ignore[misc]
    for side in sides:
        problems, side.random = side.do(None, lambda player: player.loaded()) or ((), True)
        if problems:
            side.refuse(problems)
        side.shared = shared


def make_policies(
    sides: Sequence[Side], templates: Sequence[dict[str, Any]], seeds: Sequence[Sequence[int]], load_seconds: float
) -> None:
    """Makes a fresh policy for every episode of both sides; who cannot be made has forfeited that episode.

    Args:
        sides: loaded or refused.
        templates: the first `obs` of player 0 and of player 1.
        seeds: `[E][2]` seeds of the generators of player 0 and player 1.
        load_seconds: CPU seconds for the module body and `__init__` of one policy.
    """
    for side in sides:
        own = [pair[seat] for pair, seat in zip(seeds, side.seats, strict=True)]
        start = (list(templates), side.seats, own)
        side.do(0, lambda player, start=start: player.ask_start(*start, load_seconds))  # type: ignore[misc]
    for side in sides:
        for episode in range(len(seeds)):
            failures = side.do(0, lambda player: player.started())
            if failures is not None:
                side.fail({episode}, failures, lambda _: 0)


def all_failures(sides: tuple[Side, Side]) -> tuple[Failure, ...]:
    """Returns the failures of both policies, each in the order of their episodes; at most one for each of them."""
    return tuple(
        failure
        for side in sides
        for failure in sorted(side.failures, key=lambda one: -1 if one.episode is None else one.episode)
    )


def first_failures(first: list[Failure], second: list[Failure]) -> tuple[Failure, ...]:
    """Returns at most `MAX_FAILURES` of two policies' failures, the first of each always among them."""
    kept = first[: MAX_FAILURES - min(len(second), MAX_FAILURES // 2)]
    return tuple(kept + second[: MAX_FAILURES - len(kept)])
