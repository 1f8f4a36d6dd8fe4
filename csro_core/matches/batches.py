"""Long jobs in parts: the episodes of one process share its memory, and a policy must not pay for their number.

An episode depends on its seed and its policies only, so the parts give what the whole would have given. One thing is
different: a process that dies forfeits the rest of its part, not of the whole job.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from csro_core.matches.jobs import Failure, MatchJob, MatchResult
from csro_core.matches.sides import first_failures

EPISODES_A_PROCESS = 64
"""Episodes that one process plays in lockstep: each has 4 MB of the 256 MB. Even, so that both seats occur alike."""


def parts_of(job: MatchJob) -> list[MatchJob]:
    """Returns the job in parts of at most `EPISODES_A_PROCESS` episodes, in order."""
    episodes = [slice(at, at + EPISODES_A_PROCESS) for at in range(0, len(job.seeds), EPISODES_A_PROCESS)]
    return [replace(job, seats=job.seats[part], seeds=job.seeds[part]) for part in episodes]


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
    )
