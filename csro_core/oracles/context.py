"""What an oracle is shown: which opponents, with which weights, which own policies to build on, in which words."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from csro_core.estimates import Estimate
from csro_core.games.base import Game
from csro_core.metagame.payoffs import PayoffTable
from csro_core.metagame.population import Entry, Populations
from csro_core.models.base import OpponentScore, OpponentView, ParentView, Request
from csro_core.seeds import generator

MAX_OPPONENTS = 8
"""Opponents that attempts are played against; more are sampled by their weight (knowledge: 4-7 s an iteration)."""

MIN_WEIGHT = 0.01
"""Opponents below this share of tau are left out of the search, or below half an equal share where that is less."""

MAX_PARENTS = 3


@dataclass(frozen=True)
class Opponents:
    """The opponents of one search.

    Attributes:
        entries: who is met, heaviest first.
        places: `[n]` their places in the opponent's population.
        weights: `[n]` their shares, summing to 1 over these opponents.
        left_out: the share of the training target that is not met.
    """

    entries: tuple[Entry, ...]
    places: tuple[int, ...]
    weights: NDArray[np.float64]
    left_out: float


def choose_opponents(population: Sequence[Entry], target: NDArray[np.float64], rng: np.random.Generator) -> Opponents:
    """Picks who is met in a search: everybody of weight, or a sample with the heaviest and the newest always in.

    Args:
        population: the opponent's population, `n` policies.
        target: `[n]` the training target tau.
        rng: draws the sample where more than `MAX_OPPONENTS` have weight.

    Returns:
        The opponents, heaviest first.
    """
    least = min(MIN_WEIGHT, 0.5 / len(population))
    candidates = [place for place in range(len(population)) if target[place] > least]
    if len(candidates) > MAX_OPPONENTS:
        chosen = {max(candidates, key=lambda place: target[place]), candidates[-1]}
        others = [place for place in candidates if place not in chosen]
        shares = target[others] / target[others].sum()
        drawn = rng.choice(others, size=MAX_OPPONENTS - len(chosen), replace=False, p=shares)
        candidates = sorted(chosen | {int(place) for place in drawn})
    places = tuple(sorted(candidates, key=lambda place: (-target[place], place)))
    weights = target[list(places)]
    return Opponents(
        entries=tuple(population[place] for place in places),
        places=places,
        weights=weights / weights.sum(),
        left_out=float(1.0 - weights.sum()),
    )


def own_payoffs(table: PayoffTable, player: int) -> NDArray[np.float64]:
    """Returns `[N_player, N_opponent]` clean payoffs to `player`; played ones where no clean episode is left."""
    clean, played = table.clean[player], table.played[player]
    payoffs = np.where(np.isnan(clean), played, clean)
    return np.asarray(payoffs if player == 0 else payoffs.T)


def own_stderr(table: PayoffTable, player: int) -> NDArray[np.float64]:
    """Returns `[N_player, N_opponent]` standard errors that belong to `own_payoffs`."""
    clean, played = table.clean_stderr[player], table.played_stderr[player]
    stderr = np.where(np.isnan(clean), played, clean)
    return np.asarray(stderr if player == 0 else stderr.T)


def rank_members(table: PayoffTable, player: int, target: NDArray[np.float64]) -> list[int]:
    """Returns the places of the player's own policies, best payoff against the training target first."""
    return [int(place) for place in np.argsort(-(own_payoffs(table, player) @ target), kind="stable")]


@dataclass(frozen=True)
class Scene:
    """Where a search takes place.

    Attributes:
        game: what is played.
        player: whose response is looked for.
        populations: who there is.
        table: what they earn.
        target: `[n]` the training target over the opponent's population.
    """

    game: Game
    player: int
    populations: Populations
    table: PayoffTable
    target: NDArray[np.float64]


def build_request(scene: Scene, opponents: Opponents) -> Request:
    """Returns the request that all attempts of an iteration share; feedback, task and sample are still empty.

    Args:
        scene: where the search takes place.
        opponents: who is met in it.
    """
    return Request(
        game=scene.game.spec,
        rules=scene.game.rules_text(),
        observation=scene.game.observation_text(),
        contract=contract_text(),
        player=scene.player,
        opponents=tuple(
            OpponentView(entry.name, entry.hash, float(scene.target[place]), entry.source)
            for entry, place in zip(opponents.entries, opponents.places, strict=True)
        ),
        parents=_parents(scene, opponents),
        feedback=(),
        task="propose",
        sample=0,
    )


def contract_text() -> str:
    """Returns the contract of a policy in the exact words for people and prompts."""
    return files("csro_core.oracles").joinpath("prompts", "contract.md").read_text(encoding="utf-8")


def opponents_rng(secret: int, iteration: int) -> np.random.Generator:
    """Returns the generator that samples the opponents of an iteration."""
    return generator(secret, "opponents", iteration)


def _parents(scene: Scene, opponents: Opponents) -> tuple[ParentView, ...]:
    payoffs, stderr = own_payoffs(scene.table, scene.player), own_stderr(scene.table, scene.player)
    episodes = scene.table.episodes if scene.player == 0 else scene.table.episodes.T
    own = scene.populations.of(scene.player)

    def estimate(row: int, column: int) -> Estimate:
        return Estimate(float(payoffs[row, column]), float(stderr[row, column]), int(episodes[row, column]))

    parents = []
    for place in rank_members(scene.table, scene.player, scene.target)[:MAX_PARENTS]:
        scores = tuple(
            OpponentScore(entry.hash, estimate(place, column))
            for entry, column in zip(opponents.entries, opponents.places, strict=True)
        )
        spread = float(np.sqrt(((scene.target * stderr[place]) ** 2).sum()))
        total = Estimate(float(payoffs[place] @ scene.target), spread, int(episodes[place].max()))
        parents.append(ParentView(own[place].name, own[place].hash, own[place].source, total, scores))
    return tuple(parents)
