"""What a comparison is asked for by: which runs, at equal amounts of what, and how they are valued."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from csro_core.errors import UsageError
from csro_core.experiments.document import COSTS, HELD_OUT, SHARED, Cost
from csro_core.experiments.plan import MOST_RUNS, MOST_VARIANTS, Plan
from csro_core.games import make_game
from csro_core.meta_solvers import make_meta_solver
from csro_core.store import Store
from csro_core.store.codec import dumps, from_json, to_json, with_defaults
from csro_core.store.experiments import ExperimentRecord, ExperimentTable

KIND = "comparison"
"""The kind of a comparison in the table of pictures."""

FORM = 2
"""Grows when equal requests come to another document."""

MOST_EPISODES = 1_000


@dataclass(frozen=True)
class ComparisonRequest:
    """Which runs are compared, and how. Stored as JSON.

    Attributes:
        groups: (name of the variant, ids of its runs, one a seed).
        baseline: name of the variant that the others are compared with.
        cost: at equal amounts of what.
        budget: how much of it; None: all that each run has.
        eval_solver: meta-solver of every mixture.
        play: episodes of each pair of policies, an even number >= 4.
        without_human: True: what people added, and what descends from it, is left out.
    """

    groups: tuple[tuple[str, tuple[str, ...]], ...]
    baseline: str
    cost: Cost = "calls"
    budget: float | None = None
    eval_solver: str = "max-entropy-nash"
    play: int = 8
    without_human: bool = False


def checked_request(store: Store, request: ComparisonRequest) -> ComparisonRequest:
    """Returns the request.

    Raises:
        UsageError: it cannot be answered.
        NotFoundError: there is no such run.
    """
    names = [name for name, _ in request.groups]
    runs = [run for _, ids in request.groups for run in ids]
    if len(names) != len(set(names)) or not all(names) or {SHARED, HELD_OUT} & set(names):
        raise UsageError(f"variants need names that differ, got {', '.join(names)[:200]}")
    if not all(ids for _, ids in request.groups) or len(runs) != len(set(runs)):
        raise UsageError("each variant needs at least one run, and no run may be in two")
    if not 1 <= len(runs) <= MOST_RUNS or len(names) > MOST_VARIANTS:
        raise UsageError(
            f"a comparison takes 1 to {MOST_RUNS} runs of at most {MOST_VARIANTS} variants, got {len(runs)} of "
            f"{len(names)}: pick fewer"
        )
    if request.baseline not in names:
        raise UsageError(f"the baseline must be one of {', '.join(names)[:200]}, got {request.baseline[:60]!r}")
    if request.cost not in COSTS:
        raise UsageError(f"the cost must be one of {', '.join(COSTS)}, got {request.cost!r}")
    if request.budget is not None and not request.budget > 0:
        raise UsageError(f"the budget must be a positive number, got {request.budget}")
    if request.play % 2 or not 4 <= request.play <= MOST_EPISODES:
        raise UsageError(f"the episodes must be an even number from 4 to {MOST_EPISODES}, got {request.play}")
    games = {spec.key: spec for spec in (store.run(run).settings.game for run in runs)}
    if len(games) != 1:
        raise UsageError(f"compared runs must be of one game, got {', '.join(str(game) for game in games.values())}")
    (spec,) = games.values()
    if make_meta_solver(request.eval_solver).zero_sum_only and not make_game(spec).zero_sum:
        raise UsageError(f"{request.eval_solver} is for zero-sum games, which {spec.name} is not: choose uniform")
    return request


def request_key(store: Store, request: ComparisonRequest) -> str:
    """Returns what the comparison is kept under: another one where rows of its runs have changed."""
    runs = [run for _, ids in request.groups for run in ids]
    known = [(run, store.run(run).name, store.rows_version(run)) for run in runs]
    return hashlib.sha256(dumps([KIND, FORM, to_json(request), known])).hexdigest()


def for_experiment(store: Store, record: ExperimentRecord) -> ComparisonRequest:
    """Returns the request of an experiment: its runs so far that have anything to compare.

    Raises:
        UsageError: no run has.
    """
    plan = plan_of(record)
    there = [
        one
        for one in ExperimentTable(store.connections, store.clock).runs(record.id)
        if one.state == "done" or store.solutions(one.run)
    ]
    groups = [
        (variant.name, tuple(one.run for one in there if one.variant == variant.name)) for variant in plan.variants
    ]
    kept = tuple((name, runs) for name, runs in groups if runs)
    if not kept:
        raise UsageError(
            f"experiment {record.name} has no run with results yet: wait for the first one, or let it be worked on"
        )
    names = [name for name, _ in kept]
    baseline = plan.baseline if plan.baseline in names else names[0]
    return ComparisonRequest(kept, baseline, plan.resource, plan.budget, plan.eval_solver, plan.play)


def plan_of(record: ExperimentRecord) -> Plan:
    """Returns the plan of an experiment.

    Raises:
        UsageError: what is stored is no plan.
    """
    try:
        return from_json(Plan, with_defaults(Plan, dict(record.plan)))
    except ValueError as error:
        raise UsageError(f"the plan of an experiment must be readable; {error}") from error


def grouped(store: Store, runs: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Returns runs in groups of equal settings but for the seed and the caps, each with a name that tells them apart.

    The name consists of the settings that differ between the groups; of a single group it is the oracle's.

    Args:
        store: where they are.
        runs: ids.

    Raises:
        NotFoundError: there is no such run.
    """
    settings = {run: store.run(run).settings for run in dict.fromkeys(runs)}
    hidden = ("game", "seed", "seed_scheme", "caps", "cluster", "benchmark", "eval_solver")
    told = {
        run: {name: str(value) for name, value in to_json(one).items() if name not in hidden}
        for run, one in settings.items()
    }
    groups: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for run, words in told.items():
        groups.setdefault(tuple(words.items()), []).append(run)
    differing = [
        name for name in next(iter(told.values()), {}) if len({words[name] for words in told.values()}) > 1
    ]
    shown = [name for name in ("oracle", "model", "context", "meta_solver") if name in differing] or ["oracle"]
    shown += [name for name in differing if name not in {*shown, "oracle", "model", "context", "meta_solver"}]
    named: list[tuple[str, tuple[str, ...]]] = []
    for key, ids in groups.items():
        values = dict(key)
        parts = [_said(name, values[name]) for name in shown]
        named.append((" · ".join(part for part in parts if part)[:80], tuple(ids)))
    return _distinct(named)


def _said(name: str, value: str) -> str:
    if name in {"oracle", "model", "meta_solver"}:
        return value
    return f"{name.replace('_', ' ')} {value or 'default'}"[:40]


def _distinct(named: Sequence[tuple[str, tuple[str, ...]]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    taken: set[str] = set()
    found = []
    for name, runs in named:
        stem, number = name, 2
        while name in taken:
            name, number = f"{stem} ({number})", number + 1
        taken.add(name)
        found.append((name, runs))
    return tuple(found)
