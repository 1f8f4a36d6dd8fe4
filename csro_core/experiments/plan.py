"""The plan of an experiment: which variants, over which seeds, at equal amounts of what."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from csro_core.games.base import GameSpec
from csro_core.seeds import Seed

Resource: TypeAlias = Literal["calls", "episodes", "usd"]

MOST_RUNS = 1_000

MOST_VARIANTS = 200
"""Most variants of a plan or a comparison: people and colours tell fewer apart."""


@dataclass(frozen=True)
class Variant:
    """What a run of the experiment is made with, beside what all have in common.

    Attributes:
        name: unique in the plan.
        oracle: name of the oracle.
        model: name of the model.
        context: how requests show opponents, see `RunSettings`.
        meta_solver: name of the meta-solver.
    """

    name: str
    oracle: str
    model: str
    context: Literal["code", "summary", "none"] = "code"
    meta_solver: str = "max-entropy-nash"


@dataclass(frozen=True)
class Plan:
    """An experiment. Stored as JSON.

    Attributes:
        name: for people.
        game: what is played.
        variants: what is compared; their names differ.
        seeds: of the runs of each variant.
        resource: what all runs may use equally much of.
        budget: how much of it, > 0.
        baseline: name of the variant that the others are compared with.
        target_mix: of every run, see `RunSettings`.
        attempts: an iteration, of the oracles that make several; 0 = their defaults.
        episodes: of a payoff cell of a run.
        eval_solver: meta-solver of every mixture that is compared.
        play: episodes of each pair of policies in the comparison, an even number >= 2.
        benchmark: name of the benchmark that scores every mixture, "" for none.
        most_iterations: a run stops there even if it has budget left.
        jobs: runs that are worked on at a time; 0: as many as there are cores.
        cluster: address of the Dask scheduler whose workers play, "" for this machine.
    """

    name: str
    game: GameSpec
    variants: tuple[Variant, ...]
    seeds: tuple[Seed, ...]
    resource: Resource
    budget: float
    baseline: str
    target_mix: float = 0.0
    attempts: int = 0
    episodes: int = 8
    eval_solver: str = "max-entropy-nash"
    play: int = 8
    benchmark: str = ""
    most_iterations: int = 200
    jobs: int = 0
    cluster: str = ""

    def variant(self, name: str) -> Variant:
        """Returns the variant of this name.

        Raises:
            KeyError: there is none.
        """
        for one in self.variants:
            if one.name == name:
                return one
        raise KeyError(name)
