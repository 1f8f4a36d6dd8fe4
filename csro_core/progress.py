"""What the loop tells whoever watches it, and where it may be paused or stopped: the seam `Monitor`."""

from typing import Literal, Protocol, TypeAlias

StageName: TypeAlias = Literal["solve", "ask", "check", "play", "decide"]

STAGES: tuple[StageName, ...] = ("solve", "ask", "check", "play", "decide")
"""The stages of an iteration in order; ask, check and play repeat for every attempt."""


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
