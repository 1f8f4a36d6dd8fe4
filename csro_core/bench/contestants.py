"""The policies of the benchmark, slowed down to a wanted cost: as a class for bare loops and as text for the jail."""

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any, TypeAlias

Act: TypeAlias = Callable[[dict[str, Any]], int]

_UNSLOWED = "    WORK = 0\n"
_TRIAL_WORK = 400
"""Turns of the busy loop by which the cost of one turn is measured."""
_REPETITIONS = 7


@dataclass(frozen=True)
class Contestant:
    """One policy of `csro_core.bench.players`.

    Attributes:
        module: where it is written; imported as any module.
        work: turns of the busy loop in every act.
    """

    module: ModuleType
    work: int = 0

    @property
    def text(self) -> str:
        """The source text with this amount of work, for a jailed process.

        Raises:
            ValueError: the file has no line that sets the amount.
        """
        text = Path(str(self.module.__file__)).read_text(encoding="utf-8")
        if text.count(_UNSLOWED) != 1:
            raise ValueError(f"a policy of the benchmark sets WORK = 0 in one line, got {self.module.__name__}")
        return text.replace(_UNSLOWED, f"    WORK = {self.work}\n")

    def new_act(self) -> Act:
        """Returns the `act` of a fresh policy in this process, with this amount of work."""
        # A subclass: the code that runs is the code of the file, and the file's own class stays as it is.
        slowed = type("Policy", (self.module.Policy,), {"WORK": self.work})
        act: Act = slowed().act
        return act


Pair: TypeAlias = tuple[Contestant, Contestant]


def calibrated(contestant: Contestant, seen: Sequence[dict[str, Any]], seconds: float) -> Contestant:
    """Returns the contestant with as much work as makes an act take `seconds` on this machine now.

    Args:
        contestant: without work.
        seen: observations of one episode in order, as `recorded` gives them.
        seconds: wanted; below the policy's own cost it stays without work.
    """
    bare = act_seconds(contestant, seen)
    slowed = act_seconds(Contestant(contestant.module, _TRIAL_WORK), seen)
    turn = max((slowed - bare) / _TRIAL_WORK, 1e-12)
    return Contestant(contestant.module, max(0, round((seconds - bare) / turn)))


def act_seconds(contestant: Contestant, seen: Sequence[dict[str, Any]]) -> float:
    """Returns the median CPU time of an act over some runs through the observations of an episode."""
    times = []
    for _ in range(_REPETITIONS):
        act = contestant.new_act()
        began = time.process_time()
        for obs in seen:
            act(obs)
        times.append(time.process_time() - began)
    return median(times) / len(seen)


def recorded(act: Act, into: list[dict[str, Any]]) -> Act:
    """Returns an `act` that keeps a copy of everything it is shown in `into`."""

    def keep(obs: dict[str, Any]) -> int:
        into.append(copy.deepcopy(obs))
        return act(obs)

    return keep
