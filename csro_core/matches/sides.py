"""The two sides of a match: what the referee knows of each policy, its process, and its failures."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar, cast

from csro_core.matches.jobs import Failure, FailureStatus, Limits, MatchJob
from csro_core.policies.source import Problem
from csro_core.sandbox.answers import SlotFailure
from csro_core.sandbox.player import Player, PlayerDiedError
from csro_core.sandbox.watchdog import MATCH_WALL_FACTOR, MATCH_WALL_FLOOR_SECONDS

MAX_FAILURES = 20
"""Failures that a result describes."""

Spawn: TypeAlias = Callable[[int, int], Player]
"""Returns a fresh jailed process: (memory_bytes, cpu_seconds) → player."""

_SPARE_CPU_SECONDS = 10
_Answer = TypeVar("_Answer")


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
    """

    index: int
    seats: list[int]
    alive: list[bool]
    playing: set[int]
    player: Player | None = None
    random: bool = True
    failures: list[Failure] = field(default_factory=list)

    def do(self, step: int | None, action: Callable[[Player], _Answer]) -> _Answer | None:
        """Does something with the process, and notes its death.

        Args:
            step: where the match stands, for the message.
            action: what to do.

        Returns:
            What the action returns; None where there is no process, or it has died.
        """
        if self.player is None:
            return None
        try:
            return action(self.player)
        except PlayerDiedError as error:
            self._lose_process(error, step)
            return None

    def refuse(self, problems: Sequence[Problem]) -> None:
        """Notes that the text may not run: every episode is forfeited before it starts."""
        first = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        self._note(Failure(self.index, "refused", f"{_where(first.line)}{first.message}{more}", first.line or None))
        self._forfeit_everything()

    def fail(self, failed: set[int], described: Sequence[SlotFailure], steps: Callable[[int], int]) -> None:
        """Notes that the policy has failed in some episodes, and forfeits them.

        Args:
            failed: the episodes.
            described: what the process says of them; may be less, and may be lies about other episodes.
            steps: episode → the step at which it failed.
        """
        for episode in failed:
            self.alive[episode] = False
        for one in described:
            if one.episode in failed:
                step = steps(one.episode)
                message = f"{_where(one.line)}{one.message} (episode {one.episode}, step {step})"
                status = cast(FailureStatus, one.status)
                self._note(Failure(self.index, status, message, one.line, one.episode, step))

    def act_allowance(self, limits: Limits) -> float:
        """Returns the CPU seconds for one message to all episodes that are not over."""
        return max(limits.message_seconds, limits.act_seconds * len(self.playing))

    def _lose_process(self, error: PlayerDiedError, step: int | None) -> None:
        when = "" if step is None else f" (step {step})"
        status = cast(FailureStatus, error.status)
        message = f"{_where(error.line)}{error.message}{when}"
        self._note(Failure(self.index, status, message, error.line, None, step))
        self._forfeit_everything()

    def _note(self, failure: Failure) -> None:
        if len(self.failures) < MAX_FAILURES:
            self.failures.append(failure)

    def _forfeit_everything(self) -> None:
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
    first, second = new_sides(job)
    first.player, second.player = (side.player for side in sides)
    return first, second


def loaded_sides(job: MatchJob, spawn: Spawn) -> tuple[Side, Side]:
    """Returns both sides of a job after `load_texts`."""
    sides = new_sides(job)
    load_texts(sides, job, spawn)
    return sides


def load_texts(sides: Sequence[Side], job: MatchJob, spawn: Spawn) -> None:
    """Starts a process for each policy, and checks and compiles the texts; those at fault are refused.

    Args:
        sides: fresh.
        job: what is played.
        spawn: gives out processes.
    """
    # Making a policy has its own allowance; it must not eat up the budget for playing.
    budget = (job.limits.match_seconds + job.limits.load_seconds) * len(job.seeds)
    for side in sides:
        side.player = spawn(job.limits.memory_bytes, int(budget) + _SPARE_CPU_SECONDS)
        side.player.cpu_budget = budget
        wall = max(MATCH_WALL_FACTOR * budget, MATCH_WALL_FLOOR_SECONDS)
        side.player.wall_deadline = time.monotonic() + wall
    for side in sides:
        text = job.sources[side.index]
        side.do(None, lambda player, text=text: player.ask_load(text))  # type: ignore[misc]
    for side in sides:
        problems, side.random = side.do(None, lambda player: player.loaded()) or ((), True)
        if problems:
            side.refuse(problems)


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
        side.do(None, lambda player, start=start: player.ask_start(*start, load_seconds))  # type: ignore[misc]
    for side in sides:
        for episode in range(len(seeds)):
            failures = side.do(None, lambda player: player.started())
            if failures is not None:
                side.fail({episode}, failures, lambda _: 0)


def all_failures(sides: tuple[Side, Side]) -> tuple[Failure, ...]:
    """Returns at most `MAX_FAILURES` failures, the first of each side always among them."""
    return first_failures(sides[0].failures, sides[1].failures)


def first_failures(first: list[Failure], second: list[Failure]) -> tuple[Failure, ...]:
    """Returns at most `MAX_FAILURES` of two policies' failures, the first of each always among them."""
    kept = first[: MAX_FAILURES - min(len(second), MAX_FAILURES // 2)]
    return tuple(kept + second[: MAX_FAILURES - len(kept)])
