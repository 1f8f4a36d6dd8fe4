"""The evaluation population of repeated Leduc poker: CFR+ after 10,000 iterations, AlwaysCall and AlwaysFold.

Each policy meets each opponent in both seats on the same cards, and a sample is the mean of the two episodes: seats are
worth different amounts, and swapping them takes a third of the noise out. Source of the population: the CSRO paper
(arXiv 2603.10098), section 4; its CFR+ row, 39.8 chips per 100 hands, agrees with seats averaged and CFR+ itself among
the three (40.2 computed exactly), and with nothing else.
"""

from collections.abc import Sequence

import numpy as np

from csro_core.errors import UsageError
from csro_core.evaluation.benchmark_scores import BenchmarkMatches
from csro_core.evaluation.forfeits import Forfeits
from csro_core.games.base import GameSpec
from csro_core.matches.jobs import MatchJob
from csro_core.matches.tasks import TaskPool
from csro_core.policies.library import reference_text
from csro_core.seeds import Secret

GAME = GameSpec("repeated_leduc")

_REFERENCES = {"CFR+": "leduc_cfr_plus", "AlwaysCall": "always_call", "AlwaysFold": "always_fold"}

LEDUC_OPPONENTS = tuple(_REFERENCES)
"""Names of the three opponents."""


def play_leduc(texts: Sequence[str], episodes: int, secret: Secret, pool: TaskPool) -> list[BenchmarkMatches]:
    """Plays policies against the three. An episode depends on policy, opponent, secret and its number only.

    Args:
        texts: the policies.
        episodes: against each opponent, even, >= 2: half of them in each seat.
        secret: cards and random numbers come from it.
        pool: plays the matches.

    Returns:
        What each policy got, `[3, episodes / 2]`.

    Raises:
        UsageError: the number of episodes is odd or too small.
    """
    if episodes < 2 or episodes % 2:
        raise UsageError(
            f"the benchmark leduc needs an even number of episodes, 2 at least, since both seats play the same cards; "
            f"got {episodes}"
        )
    jobs = [
        MatchJob(GAME, (text, reference_text(reference)), (0, 1) * (episodes // 2), _seeds(secret, name, episodes))
        for text in texts
        for name, reference in _REFERENCES.items()
    ]
    done = pool.submit(jobs)
    count = len(LEDUC_OPPONENTS)
    results = []
    for first in range(0, len(done), count):
        own = done[first : first + count]
        returns = [result.returns[:, 0].reshape(-1, 2).mean(axis=1) for result in own]
        failures = [next((one for one in result.failures if one.policy == 0), None) for result in own]
        theirs = [failure for result in own for failure in result.failures if failure.policy == 1]
        forfeits = Forfeits.counted(np.array([result.forfeits for result in own]))
        known = tuple(one for one in failures if one is not None)
        results.append(BenchmarkMatches(np.array(returns), known, forfeits, tuple(theirs)))
    return results


def _seeds(secret: Secret, opponent: str, episodes: int) -> tuple[int, ...]:
    return tuple(secret.episode_seed("leduc", opponent, episode // 2) for episode in range(episodes))
