"""The champion: the one policy of a population that a person would enter in a tournament.

It has the largest (mean payoff + minimum payoff) over the opponent's population, starters included: good on
average, and nobody's victim. The minimum over noisy means looks worse than it is, so the worst opponent is chosen
on one half of the episodes and valued on the other.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csro_core.estimates import Estimate
from csro_core.metagame.payoffs import PayoffTable
from csro_core.metagame.population import Populations
from csro_core.metagame.statistics import against_mixture, halves, weighted_sum


@dataclass(frozen=True)
class Champion:
    """The champion of a population.

    Attributes:
        player: whose policy it is.
        index: its place in the population.
        hash: SHA-256 of its text.
        name: its short name.
        score: mean + minimum, in the game's unit.
        mean: mean clean payoff over the opponent's population (itself included where it is the same one).
        minimum: payoff against its worst opponent, on the episodes that did not choose it.
        worst: the worst opponent's place in its population.
    """

    player: int
    index: int
    hash: str
    name: str
    score: float
    mean: Estimate
    minimum: Estimate
    worst: int


def champion(table: PayoffTable, populations: Populations, player: int = 0) -> Champion | None:
    """Returns the champion of a population; the earliest of equals.

    Args:
        table: payoffs of the populations, on clean episodes.
        populations: who they are.
        player: whose champion is wanted.

    Returns:
        The champion; None where no policy has met every opponent in at least 2 episodes, one of each half. An
        opponent that forfeited all of a half says nothing of the policy and is left out for it.
    """
    samples, played = _of(table.clean_samples, player), _of(table.samples, player)
    best: Champion | None = None
    for index, entry in enumerate(populations.of(player)):
        found = _worst(samples[index]) if _has_met_all(played[index]) else None
        if found is None:
            continue
        minimum, worst = found
        opponents = samples.shape[1]
        mean = against_mixture(samples[index], np.full(opponents, 1.0 / opponents)).estimate
        score = mean.mean + minimum.mean
        if best is None or score > best.score:
            best = Champion(player, index, entry.hash, entry.name, score, mean, minimum, worst)
    return best


def _of(samples: NDArray[np.float64], player: int) -> NDArray[np.float64]:
    """Returns `[N_player, N_opponent, E]` returns to the player."""
    return samples[player] if player == 0 else np.asarray(samples[player].transpose(1, 0, 2))


def _has_met_all(played: NDArray[np.float64]) -> bool:
    """Returns whether each opponent was met in both halves of the episodes, `[N, E]`, whatever came of it."""
    return all(bool((~np.isnan(played[:, half])).any(axis=1).all()) for half in halves(played.shape[1]))


def _worst(samples: NDArray[np.float64]) -> tuple[Estimate, int] | None:
    """Returns the payoff against the worst opponent and who it is; None where none was met in both halves.

    Args:
        samples: `[N, E]` clean returns of one policy.
    """
    choose, check = halves(samples.shape[1])
    present = ~np.isnan(samples)
    met = np.flatnonzero(present[:, choose].any(axis=1) & present[:, check].any(axis=1))
    if met.size == 0:
        return None
    worst = int(met[np.nanmean(samples[met][:, choose], axis=1).argmin()])
    return weighted_sum(samples[[worst]][:, check], np.ones(1)), worst
