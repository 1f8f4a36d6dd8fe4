"""What an oracle is shown: which opponents, with which weights, which own policies to build on, in which words."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from csro_core.errors import UsageError
from csro_core.estimates import Estimate
from csro_core.games.base import Game
from csro_core.metagame.payoffs import PayoffTable
from csro_core.metagame.population import Entry, Populations
from csro_core.models.base import OpponentScore, OpponentView, ParentView, Request
from csro_core.oracles.summaries import Summaries
from csro_core.seeds import Secret

ContextKind: TypeAlias = Literal["code", "summary", "none"]

CONTEXTS: dict[ContextKind, str] = {
    "code": "the model reads the opponents' programs",
    "summary": "the model reads a description of each opponent, written by itself in one further call per policy",
    "none": "the model is told nothing about the opponents but its own payoffs against them",
}
"""How opponents are shown → one sentence for the form and the command line."""

SUPPORT = "support"
SHOWN_CHOICES: dict[str, str] = {
    SUPPORT: "every opponent that attempts are played against",
    "top5": "the five opponents with the largest shares",
}
"""Which opponents are shown → one sentence; any number N >= 1 does too: the N heaviest."""

MAX_SHOWN = 100

MAX_OPPONENTS = 8
"""Opponents that attempts are played against; more are sampled by their weight (knowledge: 4-7 s an iteration)."""

MAX_SUPPORT = 16
"""Policies of weight that a suspected twin meets; the opponents of the search are always among them."""

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
        others: further policies of weight in the target or in sigma, whom only suspected twins meet.
    """

    entries: tuple[Entry, ...]
    places: tuple[int, ...]
    weights: NDArray[np.float64]
    left_out: float
    others: tuple[Entry, ...] = ()


def choose_opponents(
    population: Sequence[Entry],
    target: NDArray[np.float64],
    rng: np.random.Generator,
    sigma: NDArray[np.float64] | None = None,
) -> Opponents:
    """Picks who is met in a search: everybody of weight, or a sample with the heaviest and the newest always in.

    Args:
        population: the opponent's population, `n` policies.
        target: `[n]` the training target tau.
        rng: draws the sample where more than `MAX_OPPONENTS` have weight.
        sigma: `[n]` the solution's mixture over the population; None: the target.

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
        others=tuple(population[place] for place in _others(target if sigma is None else sigma, target, places)),
    )


def _others(sigma: NDArray[np.float64], target: NDArray[np.float64], chosen: Sequence[int]) -> list[int]:
    """Returns the places of the heaviest policies of either mixture besides the chosen ones, heaviest first."""
    share = np.maximum(sigma, target)
    least = min(MIN_WEIGHT, 0.5 / share.size)
    heavy = [int(place) for place in np.argsort(-share, kind="stable") if share[place] > least and place not in chosen]
    return heavy[: MAX_SUPPORT - len(chosen)]


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


@dataclass(frozen=True)
class Exposure:
    """What a request shows of the opponents (context abstraction of arXiv 2603.10098, sections 2 and 3).

    It decides nothing about who is *played*.

    Attributes:
        context: "code", "summary" or "none" (see `CONTEXTS`).
        shown: "support", "top5" or a number of opponents (see `SHOWN_CHOICES`).
        summaries: what "summary" shows; only needed there.
    """

    context: ContextKind = "code"
    shown: str = SUPPORT
    summaries: Summaries | None = None


def checked_context(text: str) -> ContextKind:
    """Returns a way to show opponents by its name.

    Raises:
        UsageError: there is none of that name; the message lists the known ones.
    """
    for known in get_args(ContextKind):
        if text == known:
            kind: ContextKind = known
            return kind
    raise UsageError(f"unknown context {text!r}; known: {', '.join(CONTEXTS)}")


def checked_shown(text: str) -> str:
    """Returns a choice of opponents to show, as `Exposure.shown` holds it.

    Raises:
        UsageError: it is neither a known word nor a number from 1 to `MAX_SHOWN`.
    """
    most_shown(text)
    return text


def most_shown(text: str) -> int | None:
    """Returns how many opponents requests show at most, None for those that are played.

    Args:
        text: a choice, see `Exposure.shown`.

    Raises:
        UsageError: see `checked_shown`.
    """
    if text == SUPPORT:
        return None
    if text == "top5":
        return 5
    # `isdecimal` alone holds for digits of other scripts too.
    if text.isascii() and text.isdecimal() and len(text) <= len(str(MAX_SHOWN)) and 1 <= int(text) <= MAX_SHOWN:
        return int(text)
    known = ", ".join(SHOWN_CHOICES)
    raise UsageError(f"the opponents shown must be {known} or a number from 1 to {MAX_SHOWN}, got {text!r}")


def shown_places(target: NDArray[np.float64], opponents: Opponents, shown: str) -> tuple[int, ...]:
    """Returns the places of the opponents that a request shows, heaviest first.

    Args:
        target: `[n]` the training target over the opponent's population.
        opponents: who is played.
        shown: see `Exposure.shown`.

    Raises:
        UsageError: see `checked_shown`.
    """
    most = most_shown(shown)
    if most is None:
        return opponents.places
    heavy = [place for place in range(target.size) if target[place] > 0]
    return tuple(sorted(heavy, key=lambda place: (-target[place], place))[:most])


DEFAULT_EXPOSURE = Exposure()


def build_request(scene: Scene, opponents: Opponents, exposure: Exposure = DEFAULT_EXPOSURE) -> Request:
    """Returns the request that all attempts of an iteration share; feedback, task and sample are still empty.

    Where programs are not shown, neither are those of own policies that are opponents of weight at the same time, as
    most are in a symmetric game.

    Args:
        scene: where the search takes place.
        opponents: who is met in it.
        exposure: what is shown of them.

    Raises:
        UsageError: the exposure is not a known one.
        ModelError: summaries are wanted and the model answers nothing at all.
    """
    places = shown_places(scene.target, opponents, exposure.shown)
    parents = _parents(scene, places)
    if exposure.context != "code":
        population = scene.populations.against(scene.player)
        met = {population[place].hash for place in (*opponents.places, *places)}
        parents = tuple(parent for parent in parents if parent.hash not in met)
    return Request(
        game=scene.game.spec,
        rules=scene.game.rules_text(),
        observation=scene.game.observation_text(),
        contract=contract_text(),
        player=scene.player,
        opponents=_views(scene, places, exposure),
        parents=parents,
        feedback=(),
        task="propose",
        sample=0,
    )


def _views(scene: Scene, places: Sequence[int], exposure: Exposure) -> tuple[OpponentView, ...]:
    population = scene.populations.against(scene.player)
    views = []
    for rank, place in enumerate(places, 1):
        entry, weight = population[place], float(scene.target[place])
        if exposure.context == "code":
            views.append(OpponentView(entry.name, entry.hash, weight, entry.source))
        elif exposure.context == "summary" and exposure.summaries is not None:
            views.append(OpponentView(entry.name, entry.hash, weight, None, exposure.summaries.of(entry.source)))
        else:
            # A name such as "beat_last" tells as much as a summary.
            views.append(OpponentView(f"opponent {rank}", entry.hash, weight, None))
    return tuple(views)


def contract_text() -> str:
    """Returns the contract of a policy in the exact words for people and prompts."""
    return files("csro_core.oracles").joinpath("prompts", "contract.md").read_text(encoding="utf-8")


def opponents_rng(secret: Secret, iteration: int) -> np.random.Generator:
    """Returns the generator that samples the opponents of an iteration."""
    return secret.generator("opponents", iteration)


def _parents(scene: Scene, places: Sequence[int]) -> tuple[ParentView, ...]:
    payoffs, stderr = own_payoffs(scene.table, scene.player), own_stderr(scene.table, scene.player)
    episodes = scene.table.episodes if scene.player == 0 else scene.table.episodes.T
    own, opponents = scene.populations.of(scene.player), scene.populations.against(scene.player)

    def estimate(row: int, column: int) -> Estimate:
        return Estimate(float(payoffs[row, column]), float(stderr[row, column]), int(episodes[row, column]))

    parents = []
    for place in rank_members(scene.table, scene.player, scene.target)[:MAX_PARENTS]:
        scores = tuple(OpponentScore(opponents[column].hash, estimate(place, column)) for column in places)
        spread = float(np.sqrt(((scene.target * stderr[place]) ** 2).sum()))
        total = Estimate(float(payoffs[place] @ scene.target), spread, int(episodes[place].max()))
        parents.append(ParentView(own[place].name, own[place].hash, own[place].source, total, scores))
    return tuple(parents)
