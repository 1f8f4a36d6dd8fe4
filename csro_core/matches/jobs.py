"""What a match is, as plain data: jobs in, results out, and the seam `MatchExecutor` behind which they are played."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from csro_core.games.base import GameSpec
from csro_core.policies.source import Inspection

FailureStatus: TypeAlias = Literal[
    "refused", "exception", "illegal-action", "timeout", "memory", "crashed", "forbidden", "protocol"
]


@dataclass(frozen=True)
class Limits:
    """What one episode of a policy may use, however many are played at the same time.

    Attributes:
        load_seconds: CPU seconds to run the module body and `__init__`.
        act_seconds: CPU seconds for one action.
        match_seconds: CPU seconds for all actions.
        memory_bytes: address space beyond that of a process without a policy.
    """

    load_seconds: float = 2.0
    act_seconds: float = 1.0
    match_seconds: float = 10.0
    memory_bytes: int = 256 << 20


@dataclass(frozen=True)
class MatchJob:
    """Two policies meet for some episodes.

    Attributes:
        game: what they play.
        sources: texts of the first and the second policy.
        seats: `[E]` the seat (0 or 1) of the first policy in each episode.
        seeds: `[E]` one seed an episode.
        limits: what a policy may use.
        keep_moves: True where the move log is wanted (replays, fingerprints).
        trace: True where it is wanted in which line of the text each act returned; slow, general protocol only.
    """

    game: GameSpec
    sources: tuple[str, str]
    seats: tuple[int, ...]
    seeds: tuple[int, ...]
    limits: Limits = field(default_factory=Limits)
    keep_moves: bool = False
    trace: bool = False

    def __post_init__(self) -> None:
        """Checks that seats and seeds speak of the same episodes.

        Raises:
            ValueError: they do not, there is none, or one is no plain int: numpy's give other seeds, and bytes on the
                way to a policy, which would be blamed for them.
        """
        for number in (*self.seats, *self.seeds):
            if type(number) is not int:
                raise ValueError(f"seats and seeds of a job are plain ints, got {number!r} ({type(number).__name__})")
        if len(self.seats) != len(self.seeds) or not self.seeds or not set(self.seats) <= {0, 1}:
            raise ValueError(
                f"a job needs one seat (0 or 1) and one seed per episode, "
                f"got seats {self.seats!r} and {len(self.seeds)} seeds"
            )

    def part(self, episodes: slice) -> "MatchJob":
        """Returns the same match with some of its episodes, at least one."""
        return replace(self, seats=self.seats[episodes], seeds=self.seeds[episodes])


@dataclass(frozen=True)
class Failure:
    """A policy failed: a status with a message, never a score.

    Attributes:
        policy: 0 or 1, which policy of the job.
        status: what happened.
        message: one sentence for people.
        line: line of the policy's text, where known.
        episode: index in the job, where one episode is concerned; None: the text, so all of them.
        step: step of the episode, where known.
    """

    policy: int
    status: FailureStatus
    message: str
    line: int | None = None
    episode: int | None = None
    step: int | None = None

    def shifted(self, first: int) -> "Failure":
        """Returns the failure as one of a longer match, in which this one's episode 0 is episode `first`."""
        if self.episode is None:
            return self
        episode = self.episode + first
        message = self.message.replace(f"(episode {self.episode}, ", f"(episode {episode}, ")
        return replace(self, episode=episode, message=message)


@dataclass(frozen=True)
class MatchResult:
    """What came of a job. Index 0 is the job's first policy, whatever its seat.

    Attributes:
        returns: `[E, 2]` as played: who forfeits loses the rest by the game's forfeit rule.
        forfeits: `[E, 2]` True where that policy forfeited that episode.
        failures: why, at most 20; the first of each policy always among them.
        moves: per episode the zlib-compressed log of (first policy, second policy) bytes a step, 255 = none;
            empty where not kept.
        seconds: wall time.
        deterministic: True where no random number can decide: equal seats give equal episodes, and only the first
            of each seat were played.
        lines: per episode two bytes (little-endian) for each act of the first policy, the line where it returned as
            its process says; 0 where unknown, empty where not traced.
    """

    returns: NDArray[np.float64]
    forfeits: NDArray[np.bool_]
    failures: tuple[Failure, ...]
    moves: tuple[bytes, ...]
    seconds: float
    deterministic: bool = False
    lines: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class Isolation:
    """How well policies are shut in on this system.

    Attributes:
        level: "full" (kernel jail) or "reduced" (process, guard and watchdog only).
        reason: why it is reduced; "" where it is full.
        walls: what the kernel holds around a policy, in words; empty where nobody has told.
    """

    level: Literal["full", "reduced"]
    reason: str = ""
    walls: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Returns "full", or "reduced" with the reason."""
        return f"{self.level} ({self.reason})" if self.reason else self.level


class MatchExecutor(Protocol):
    """Plays jobs and inspects texts, nobody else knows where. Safe to call from one thread at a time."""

    @property
    def isolation(self) -> Isolation:
        """How policies are shut in where the jobs run."""
        ...

    def submit(
        self, jobs: Sequence[MatchJob], on_result: Callable[[int, MatchResult], None] | None = None
    ) -> list[MatchResult]:
        """Plays all jobs, several at a time.

        Args:
            jobs: what to play.
            on_result: called in this thread with (index, result) as results arrive, in any order.

        Returns:
            The results in the order of the jobs; the same whatever the order they were played in.

        Raises:
            Cancelled: `cancel` was called meanwhile; every policy process is dead.
        """
        ...

    def inspect(self, text: str) -> Inspection:
        """Parses and checks a policy's text in a jailed process; runs nothing of it."""
        ...

    def cancel(self) -> None:
        """Makes the current `submit` (from another thread) raise `Cancelled` within a second; later calls work."""
        ...

    def close(self) -> None:
        """Ends every process. Idempotent."""
        ...
