"""What a comparison of runs says: the document that pages, reports and exports read. JSON by `store.codec`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from csro_core.seeds import Seed

Cost: TypeAlias = Literal["calls", "episodes", "usd", "seconds", "iterations"]
MeasureName: TypeAlias = Literal["gap", "exploitability", "agg_score", "pop_return", "pop_expl", "versus"]

COSTS: Mapping[Cost, str] = {
    "calls": "model calls",
    "episodes": "episodes",
    "usd": "US dollars",
    "seconds": "seconds",
    "iterations": "iterations",
}
"""What runs may be compared at equal amounts of, and its words."""

SHARED = "shared by several"
HELD_OUT = "held out"
"""Owners of policies that are no single variant's, beside the names of variants (which cannot be these)."""


@dataclass(frozen=True)
class Measure:
    """A number by which mixtures are compared.

    Attributes:
        title: for tables and axes.
        about: one sentence.
        better: which way is better, "lower" or "higher".
    """

    title: str
    about: str
    better: Literal["lower", "higher"]


MEASURES: Mapping[MeasureName, Measure] = {
    "gap": Measure(
        "gap to the common pool",
        "what the best policy of all compared populations and of the held-out responders earns against the mixture, "
        "beyond the value of the game, forfeits included: a lower bound on exploitability, from the same responders "
        "for every variant",
        "lower",
    ),
    "exploitability": Measure(
        "exploitability", "what a best responder gains against the mixture in the game itself, exactly", "lower"
    ),
    "agg_score": Measure("AggScore", "PopReturn minus PopExpl over the benchmark's population", "higher"),
    "pop_return": Measure("PopReturn", "mean return against the benchmark's population", "higher"),
    "pop_expl": Measure("PopExpl", "largest loss against one of the benchmark's population", "lower"),
    "versus": Measure(
        "against the baseline", "payoff of the mixture against the baseline's mixture of the same seed", "higher"
    ),
}


@dataclass(frozen=True)
class VariantLine:
    """A variant of the comparison.

    Attributes:
        name: unique in the comparison.
        runs: ids of its runs, one a seed.
        seeds: of the runs, in the same order.
        settings: settings of the first run as JSON (`RunSettings`), without the seed.
        human_edits: policies that people added to these runs.
        descendants: policies whose line of parents leads to such an edit.
    """

    name: str
    runs: tuple[str, ...]
    seeds: tuple[Seed, ...]
    settings: Mapping[str, Any]
    human_edits: int = 0
    descendants: int = 0


@dataclass(frozen=True)
class Point:
    """The mixture of a run after some iterations, and what it had cost until then.

    Attributes:
        iteration: iterations finished.
        calls: model calls so far.
        episodes: episodes so far, of the search and of the payoffs.
        usd: money so far; None where a call was unpriced.
        seconds: wall seconds of iterations so far.
        gap: see `MEASURES`; the responder chosen on one half of the episodes and valued on the other.
        gap_stderr: its standard error over episodes.
        exploitability: exact, None where it is not known.
        agg_score: of the benchmark, None where it was not played.
        pop_return: likewise.
        pop_expl: likewise.
        oracle_gain: gain of this iteration's finalist against its own target; no comparison of oracles.
    """

    iteration: int
    calls: int
    episodes: int
    usd: float | None
    seconds: float
    gap: float | None
    gap_stderr: float | None
    exploitability: float | None = None
    agg_score: float | None = None
    pop_return: float | None = None
    pop_expl: float | None = None
    oracle_gain: float | None = None


@dataclass(frozen=True)
class Course:
    """A run of the comparison.

    Attributes:
        variant: its name.
        run: id.
        run_name: name.
        seed: its seed.
        points: by iteration, the first one at iteration 0 (the initial population).
        final: which of the points is compared: the last one within the budget.
    """

    variant: str
    run: str
    run_name: str
    seed: Seed
    points: tuple[Point, ...]
    final: int


@dataclass(frozen=True)
class Summary:
    """A measure of a variant over its seeds, at equal cost.

    Attributes:
        variant: its name.
        measure: which number.
        mean: over the seeds.
        half_width: half of the 95 % interval (Student's t), None from a single seed.
        seeds: how many.
    """

    variant: str
    measure: MeasureName
    mean: float
    half_width: float | None
    seeds: int


@dataclass(frozen=True)
class Difference:
    """A variant minus the baseline, paired by seed.

    Attributes:
        variant: its name.
        measure: which number.
        mean: of the differences, variant minus baseline.
        half_width: half of the 95 % interval (Student's t), None from a single pair.
        seeds: how many pairs.
        ahead: in how many of them the variant is the better one.
        verdict: "ahead", "behind", or "undecided" where the interval holds 0 or there is none.
        sentence: in plain words.
    """

    variant: str
    measure: MeasureName
    mean: float
    half_width: float | None
    seeds: int
    ahead: int
    verdict: Literal["ahead", "behind", "undecided"]
    sentence: str


@dataclass(frozen=True)
class CrossPlay:
    """Final mixtures against each other.

    Attributes:
        variants: V names.
        mean: `[V][V]` payoff of the row's mixture (in the row seat; both seats count alike where the game is symmetric)
            against the column's, mean over the seeds that both have; the diagonal of a symmetric game is 0.
        half_width: `[V][V]` half of the 95 % interval over seeds, None from a single seed.
        seeds: `[V][V]` how many seeds.
    """

    variants: tuple[str, ...]
    mean: tuple[tuple[float, ...], ...]
    half_width: tuple[tuple[float | None, ...], ...]
    seeds: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class JointPolicy:
    """A policy of the equilibrium of the joint population.

    Attributes:
        hash: of its text.
        name: in the run it comes from.
        owner: a variant's name, or `SHARED` or `HELD_OUT`.
        run: id of a run that has it, "" for held-out ones.
        player: whose population.
        share: its probability.
    """

    hash: str
    name: str
    owner: str
    run: str
    player: int
    share: float


@dataclass(frozen=True)
class Joint:
    """The equilibrium of all compared populations together with the held-out responders.

    Attributes:
        solver: the meta-solver.
        shares: owner → share of the equilibrium, mean over both players where they have populations of their own.
        policies: of the equilibrium, the heaviest first.
    """

    solver: str
    shares: Mapping[str, float]
    policies: tuple[JointPolicy, ...]


@dataclass(frozen=True)
class Comparison:
    """The whole document.

    Attributes:
        game: spec of the game as JSON.
        title: of the game.
        unit: of payoffs.
        cost: at equal amounts of what.
        budget: how much of it; None: all that the runs have.
        baseline: the variant that the others are compared with.
        eval_solver: meta-solver of every mixture; the same for all.
        play: episodes of each pair of policies.
        without_human: True: what people added, and what descends from it, was left out.
        variants: what is compared.
        pool: policies in the common pool, per population.
        held_out: names of the held-out responders.
        courses: one a run.
        summaries: one a variant and measure that all its runs have.
        differences: one a variant but the baseline, and measure.
        cross_play: of the final mixtures.
        joint: the equilibrium of everybody.
        notes: what a reader must know, sentences.
        created: seconds since the epoch.
    """

    game: Mapping[str, Any]
    title: str
    unit: str
    cost: Cost
    budget: float | None
    baseline: str
    eval_solver: str
    play: int
    without_human: bool
    variants: tuple[VariantLine, ...]
    pool: tuple[int, ...]
    held_out: tuple[str, ...]
    courses: tuple[Course, ...]
    summaries: tuple[Summary, ...]
    differences: tuple[Difference, ...]
    cross_play: CrossPlay
    joint: Joint
    notes: tuple[str, ...]
    created: float
