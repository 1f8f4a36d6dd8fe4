"""Long jobs in parts, so that they can be played in several places.

An episode depends on its seed and its policies only, so the parts give what the whole would have given. One thing is
different: a policy that ends its process again and again forfeits the rest of its part (`groups`), not of the job.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from csro_core.matches.jobs import Failure, MatchJob, MatchResult
from csro_core.matches.sides import first_failures
from csro_core.matches.widths import EPISODES_A_PROCESS


def parts_of(job: MatchJob) -> list[MatchJob]:
    """Returns the job in parts of at most `EPISODES_A_PROCESS` episodes, in order."""
    episodes = [slice(at, at + EPISODES_A_PROCESS) for at in range(0, len(job.seeds), EPISODES_A_PROCESS)]
    return [job.part(part) for part in episodes]


def joined(parts: Sequence[MatchResult]) -> MatchResult:
    """Returns the result of a job from the results of its parts, in order, at least one."""
    if len(parts) == 1:
        return parts[0]
    sides: tuple[list[Failure], list[Failure]] = [], []
    first = 0
    for part in parts:
        for failure in part.failures:
            sides[failure.policy].append(failure.shifted(first))
        first += len(part.returns)
    return MatchResult(
        returns=np.concatenate([part.returns for part in parts]),
        forfeits=np.concatenate([part.forfeits for part in parts]),
        failures=first_failures(sides[0], sides[1]),
        moves=tuple(log for part in parts for log in part.moves),
        seconds=sum(part.seconds for part in parts),
        deterministic=all(part.deterministic for part in parts),
        lines=tuple(one for part in parts for one in part.lines),
    )


@dataclass(frozen=True)
class Place:
    """Where a part belongs: number `part` of the `parts` of job number `job`."""

    job: int
    part: int
    parts: int


def split(jobs: Sequence[MatchJob]) -> Iterator[tuple[Place, MatchJob]]:
    """Gives the parts of all jobs, in order, each with its place."""
    for index, job in enumerate(jobs):
        parts = parts_of(job)
        for number, part in enumerate(parts):
            yield Place(index, number, len(parts)), part


class Joining:
    """Puts the results of jobs together while the results of their parts arrive, in any order."""

    def __init__(self, on_result: Callable[[int, MatchResult], None] | None) -> None:
        """Starts with nothing; `on_result` hears of each job (index, result) when its last part is there."""
        self._on_result = on_result
        self._arrived: defaultdict[int, dict[int, MatchResult]] = defaultdict(dict)
        self._results: dict[int, MatchResult] = {}

    def take(self, place: Place, result: MatchResult) -> None:
        """Takes the result of one part."""
        parts = self._arrived[place.job]
        parts[place.part] = result
        if len(parts) == place.parts:
            del self._arrived[place.job]
            self._results[place.job] = joined([parts[number] for number in sorted(parts)])
            if self._on_result is not None:
                self._on_result(place.job, self._results[place.job])

    def results(self) -> list[MatchResult]:
        """Returns the results in the order of the jobs, all parts of which have arrived."""
        return [self._results[index] for index in range(len(self._results))]
