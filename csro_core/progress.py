"""What the loop tells whoever watches it, and where it may be paused or stopped: the seam `Monitor`."""

from typing import Literal, Protocol, TypeAlias

StageName: TypeAlias = Literal["solve", "ask", "check", "play", "decide"]

STAGES: tuple[StageName, ...] = ("solve", "ask", "check", "play", "decide")
"""The stages of an iteration in order; ask, check and play repeat for every attempt."""


_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_SOON_MATCHES, _SOON_SECONDS = 10, 2.0


def seconds_left(done: int, total: int, elapsed: float) -> float | None:
    """Estimates how long the rest of a stage takes, from the pace so far.

    Args:
        done: matches played.
        total: matches wanted.
        elapsed: seconds since the first one began.

    Returns:
        Seconds; None while there is too little to go by (less than 10 matches or 2 seconds).
    """
    if done < _SOON_MATCHES or elapsed < _SOON_SECONDS:
        return None
    return elapsed / done * max(0, total - done)


def time_left(seconds: float) -> str:
    """Returns how long something still takes, as people say it: "about 3 minutes left"."""
    if seconds < 1.5 * _MINUTE:
        return "less than a minute left" if seconds < 0.75 * _MINUTE else "about a minute left"
    for unit, size, most in (("minutes", _MINUTE, 1.5 * _HOUR), ("hours", _HOUR, 2 * _DAY)):
        if seconds < most:
            return f"about {round(seconds / size)} {unit} left"
    return f"about {round(seconds / _DAY)} days left"


class Monitor(Protocol):
    """Hears how an iteration goes. Every method may raise `Cancelled`, which ends the iteration without a trace."""

    def stage(self, name: StageName, detail: str = "") -> None:
        """A stage begins (the one before has ended). May block: this is where a run pauses."""
        ...

    def bar(self, done: int, total: int) -> None:
        """Within the stage, `done` of `total` matches are played."""
        ...

    def failed(self, message: str) -> None:
        """The current stage has come to nothing, with the reason; the iteration goes on."""
        ...


class Silent:
    """A monitor that watches nothing: for tests and for use as a library."""

    def stage(self, name: StageName, detail: str = "") -> None:
        """Does nothing."""

    def bar(self, done: int, total: int) -> None:
        """Does nothing."""

    def failed(self, message: str) -> None:
        """Does nothing."""
