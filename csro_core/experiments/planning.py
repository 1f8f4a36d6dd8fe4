"""From a plan to runs: what a plan must hold, the grid it stands for, and the settings of each run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Literal, get_args

from csro_core.errors import NotFoundError, UsageError
from csro_core.evaluation.benchmark import checked_benchmark
from csro_core.evaluation.exact_play import require_exact_game
from csro_core.experiments.document import HELD_OUT, SHARED
from csro_core.experiments.plan import MOST_RUNS, MOST_VARIANTS, Plan, Resource, Variant
from csro_core.games import make_game
from csro_core.matches.cluster import checked_address
from csro_core.meta_solvers import make_meta_solver
from csro_core.models import make_model
from csro_core.oracles import make_oracle
from csro_core.oracles.context import checked_context
from csro_core.oracles.exact import Exact
from csro_core.runner.writer import full_name
from csro_core.seeds import MOST_NUMBER, Seed, checked_seed, drawn_seed, is_number, numbered_seeds, short_seed
from csro_core.store import Store
from csro_core.store.codec import to_json
from csro_core.store.experiments import ExperimentRun, ExperimentTable
from csro_core.store.records import Caps, RunSettings
from csro_core.store.runs import MAX_NAME, checked_name, free_name

BASELINE = "best-of-n"
"""The oracle that is always among the variants: equally many programs of the same model, without any search."""

_MOST_BUDGET = 1e12
_MOST_VARIANT_NAME = 60

@dataclass(frozen=True)
class Grid:
    """What the variants of a plan are the product of. Each is not empty.

    Attributes:
        oracles: names.
        models: names.
        contexts: how requests show opponents.
        meta_solvers: names.
    """

    oracles: tuple[str, ...]
    models: tuple[str, ...] = ("synthesiser",)
    contexts: tuple[Literal["code", "summary", "none"], ...] = ("code",)
    meta_solvers: tuple[str, ...] = ("max-entropy-nash",)

    def variants(self) -> tuple[Variant, ...]:
        """Returns one variant a combination, named by what differs; `BASELINE` is added where it is missing.

        Raises:
            UsageError: these are too many.
        """
        oracles = self.oracles if BASELINE in self.oracles else (BASELINE, *self.oracles)
        count = prod(len(set(axis)) for axis in (oracles, self.models, self.contexts, self.meta_solvers))
        if count > MOST_VARIANTS:
            raise UsageError(f"an experiment has at most {MOST_VARIANTS} variants, this grid has {count:,}: name fewer")
        differing = [len(set(axis)) > 1 for axis in (oracles, self.models, self.contexts, self.meta_solvers)]
        found = []
        combinations = product(
            dict.fromkeys(oracles), dict.fromkeys(self.models), dict.fromkeys(self.contexts),
            dict.fromkeys(self.meta_solvers),
        )  # fmt: skip
        for oracle, model, context, solver in combinations:
            words = (oracle, model, f"context {context}", solver)
            name = " · ".join(word for word, shown in zip(words, differing, strict=True) if shown) or oracle
            found.append(Variant(name[:_MOST_VARIANT_NAME], oracle, model, context, solver))
        return tuple(found)


def baseline_of(variants: Sequence[Variant]) -> str:
    """Returns the name of the first variant of the oracle `BASELINE`, of the first variant where there is none."""
    return next((one.name for one in variants if one.oracle == BASELINE), variants[0].name)


def checked(plan: Plan) -> Plan:
    """Returns the plan.

    Raises:
        UsageError: it cannot be worked on; the message says what must hold.
    """
    checked_name(plan.name)
    _check_variants(plan)
    _check_seeds(plan.seeds)
    if len(plan.seeds) * len(plan.variants) > MOST_RUNS:
        raise UsageError(f"an experiment has at most {MOST_RUNS} runs, got {len(plan.seeds) * len(plan.variants)}")
    if plan.resource not in get_args(Resource):
        raise UsageError(f"the budget must be one of {', '.join(get_args(Resource))}, got {plan.resource!r}")
    if not 0 < plan.budget <= _MOST_BUDGET or (plan.resource != "usd" and plan.budget != int(plan.budget)):
        raise UsageError(f"the budget must be a positive number (whole but for usd), got {plan.budget:g}")
    if not 0 <= plan.target_mix <= 1:
        raise UsageError(f"target_mix must be from 0 to 1, got {plan.target_mix:g}")
    for words, number, low, high in (
        ("attempts", plan.attempts, 0, 1_000), ("most_iterations", plan.most_iterations, 1, 1_000),
        ("jobs", plan.jobs, 0, 256),
    ):  # fmt: skip
        if not low <= number <= high:
            raise UsageError(f"{words} must be from {low} to {high}, got {number}")
    for words, number, low in (("episodes", plan.episodes, 2), ("play", plan.play, 4)):
        if number % 2 or not low <= number <= 1_000:
            raise UsageError(f"{words} must be an even number from {low} to 1,000, got {number}")
    if plan.cluster:
        checked_address(plan.cluster)
    _check_game(plan)
    return plan


def _check_variants(plan: Plan) -> None:
    names = [one.name for one in plan.variants]
    if not 1 <= len(names) <= MOST_VARIANTS:
        raise UsageError(f"an experiment needs 1 to {MOST_VARIANTS} variants, got {len(names):,}")
    if len(set(names)) != len(names):
        raise UsageError(f"the names of variants must differ, got {', '.join(names)[:300]}")
    if {SHARED, HELD_OUT} & set(names):
        raise UsageError(f"a variant cannot be called {SHARED!r} or {HELD_OUT!r}")
    if plan.baseline not in names:
        raise UsageError(f"the baseline must be one of {', '.join(names)[:300]}, got {plan.baseline[:60]!r}")
    for one in plan.variants:
        if len(checked_name(one.name)) > _MOST_VARIANT_NAME:
            raise UsageError(f"the name of a variant has at most {_MOST_VARIANT_NAME} characters, got {one.name!r}")
        make_oracle(one.oracle)
        make_model(one.model)
        make_meta_solver(one.meta_solver)
        checked_context(one.context)


def _check_seeds(seeds: Sequence[Seed]) -> None:
    if not seeds or len(set(seeds)) != len(seeds):
        raise UsageError(f"an experiment needs seeds that differ, got {str(list(seeds))[:80]}")
    for seed in seeds:
        try:
            checked_seed(seed)
        except ValueError as error:
            raise UsageError(str(error)) from error


def _check_game(plan: Plan) -> None:
    game = make_game(plan.game)
    for wanted in {plan.eval_solver, *(one.meta_solver for one in plan.variants)}:
        if make_meta_solver(wanted).zero_sum_only and not game.zero_sum:
            raise UsageError(f"{wanted} is for zero-sum games, which {game.title} is not: choose uniform")
    if any(one.oracle == Exact.name for one in plan.variants):
        require_exact_game(game.spec)
    if plan.benchmark:
        checked_benchmark(plan.benchmark, game)


def settings_of(store: Store, plan: Plan, variant: Variant, seed: Seed) -> RunSettings:
    """Returns the settings of one run of an experiment.

    Args:
        store: where recordings are, for a model that is one.
        plan: the experiment.
        variant: of the run.
        seed: of the run.
    """
    caps = Caps()
    if plan.resource == "usd":
        caps = Caps(usd=plan.budget)
    elif plan.resource == "calls" and variant.model.partition(":")[0] in {"gemini", "openai"}:
        caps = Caps(calls=int(plan.budget))  # somebody may have to pay for what is beyond
    return RunSettings(
        plan.game, oracle=variant.oracle, model=full_name(store, variant.model), meta_solver=variant.meta_solver,
        seed=seed, target_mix=plan.target_mix, attempts=plan.attempts, refine_all=True, episodes=plan.episodes,
        cluster=plan.cluster, caps=caps, context=variant.context,
        eval_solver="" if plan.eval_solver == variant.meta_solver else plan.eval_solver, benchmark=plan.benchmark,
    )  # fmt: skip


def ensure_runs(store: Store, table: ExperimentTable, experiment: str, plan: Plan) -> list[ExperimentRun]:
    """Makes the runs of a plan that are missing, seed by seed, so that early results are of every variant.

    Args:
        store: where they come to be.
        table: keeps which run belongs where.
        experiment: its id.
        plan: of it.

    Returns:
        All runs of the plan.

    Raises:
        UsageError: a setting is not possible any more.
    """
    there = {(one.variant, one.seed): one for one in table.runs(experiment)}
    found = []
    for seed in plan.seeds:
        for variant in plan.variants:
            one = there.get((variant.name, seed))
            if one is None or not is_there(store, one.run):
                settings = settings_of(store, plan, variant, seed)
                name = f"{plan.name} · {variant.name} · seed {short_seed(seed)}"
                run = _created(store, name, settings, plan.most_iterations)
                one = ExperimentRun(variant.name, seed, run, "waiting")
                table.put_run(experiment, one)
            found.append(one)
    return found


def is_there(store: Store, run: str) -> bool:
    """Returns whether the store has a run of exactly this id."""
    try:
        return store.run(run).id == run
    except NotFoundError:
        return False


def _created(store: Store, name: str, settings: RunSettings, target: int) -> str:
    with store.connections.reading() as connection:
        free = free_name(connection, name[: MAX_NAME - 8])
    return store.create_run(free, settings, target)


def with_seeds(plan: Plan, more: int) -> Plan:
    """Returns the plan with so many further seeds: the numbers after its largest, or drawn where one was drawn."""
    if all(is_number(seed) for seed in plan.seeds):
        first = max(map(int, plan.seeds)) + 1
        if first + more - 1 <= MOST_NUMBER:
            return replace(plan, seeds=(*plan.seeds, *numbered_seeds(first, more)))
    return replace(plan, seeds=(*plan.seeds, *(drawn_seed() for _ in range(more))))


def with_jobs(plan: Plan, jobs: int, cluster: str) -> Plan:
    """Returns the plan worked on in another way, which decides no results."""
    return replace(plan, jobs=jobs or plan.jobs, cluster=cluster or plan.cluster)


def same_but_for_work(one: Plan, other: Plan) -> bool:
    """Returns True where two plans differ in nothing but seeds and how they are worked on."""
    alike = {"seeds": [], "jobs": 0, "cluster": ""}
    return bool({**to_json(one), **alike} == {**to_json(other), **alike})
