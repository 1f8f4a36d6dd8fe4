"""A realistic comparison for the tests of the Compare page: four variants, five seeds, real runs, invented numbers."""

from dataclasses import replace

import numpy as np

from csro_core.experiments.document import (
    HELD_OUT,
    SHARED,
    Comparison,
    Course,
    CrossPlay,
    Difference,
    Joint,
    JointPolicy,
    MeasureName,
    Point,
    VariantLine,
)
from csro_core.experiments.plan import Plan, Variant
from csro_core.experiments.verdicts import differences, summaries
from csro_core.games.base import GameSpec
from csro_core.seeds import Seed
from csro_core.store import Store
from csro_core.store.codec import to_json
from csro_core.store.experiments import ExperimentRun, ExperimentTable
from csro_core.store.records import Member, RunSettings
from tests.app.fake_run import numbered_texts, policy_text

GAME = GameSpec("repeated_rps", {"num_throws": 1000})
UNIT = "net throws per 1,000-throw match"
BUDGET = 120.0

# Name, calls an iteration, the gap that is left in the end.
VARIANTS = (
    ("zero-shot", 1, 118.0),
    ("best-of-n", 10, 84.0),
    ("linear-refinement", 10, 52.0),
    ("alpha-evolve", 30, 63.0),
)
CURVES: tuple[MeasureName, ...] = ("gap", "agg_score", "pop_return", "pop_expl")


def plan(**changes) -> Plan:
    """Returns the plan of the comparison."""
    variants = tuple(Variant(name, name, "synthesiser") for name, _, _ in VARIANTS)
    made = Plan("oracles at equal calls", GAME, variants, tuple(map(Seed, "01234")), "calls", BUDGET, "best-of-n")
    return replace(made, **changes)


def add_experiment(store: Store, states=("done",), chosen: Plan | None = None, name: str = "") -> str:
    """Writes an experiment with its runs; the states are given to them in turn.

    Returns:
        Its id.
    """
    wanted = chosen or plan()
    if name:
        wanted = replace(wanted, name=name)
    table = ExperimentTable(store.connections, store.clock)
    experiment = table.create(wanted.name, to_json(wanted))
    place = 0
    for variant in wanted.variants:
        for seed in wanted.seeds:
            state = states[place % len(states)]
            message = "no connection to the model's server: start it and retry" if state == "failed" else ""
            run = _add_run(store, f"{wanted.name} {variant.name} {seed}", variant, seed)
            table.put_run(experiment, ExperimentRun(variant.name, seed, run, state, message))
            place += 1
    return experiment


def _add_run(store: Store, name: str, variant: Variant, seed: Seed) -> str:
    settings = RunSettings(
        GAME, oracle=variant.oracle, model=variant.model, context=variant.context, meta_solver=variant.meta_solver,
        seed=seed,
    )  # fmt: skip
    run = store.create_run(name[:100], settings, 0)
    lease = store.acquire(run, "test")
    for index, source in enumerate(numbered_texts(2)):
        text = policy_text(f"# {variant.name} {seed}\n{source}", "A policy.")
        lease.add_member(Member(0, index, text, f"r{index}", "oracle" if index else "seed", "", index))
    lease.release("done")
    return run


def comparison(store: Store, experiment: str, without_human: bool = False) -> Comparison:
    """Returns the comparison of an experiment that `add_experiment` has written."""
    table = ExperimentTable(store.connections, store.clock)
    known = table.runs(experiment)
    rng = np.random.default_rng(7)
    courses = tuple(
        _course(rng, one.variant, one.seed, (one.run, store.run(one.run).name)) for one in known
    )
    lines = tuple(_line(store, known, name, without_human) for name, _, _ in VARIANTS)
    told = tuple(one for measure in CURVES for one in summaries(measure, _finals(courses, measure)))
    return Comparison(
        game=to_json(GAME), title="repeated rock-paper-scissors", unit=UNIT, cost="calls", budget=BUDGET,
        baseline="best-of-n", eval_solver="max-entropy-nash", play=8, without_human=without_human, variants=lines,
        pool=(143,), held_out=("beat_last", "markov", "uniform"), courses=courses, summaries=told,
        differences=_differences(courses), cross_play=_cross(), joint=_joint(store, known),
        notes=("The synthesiser's grammar was informed by the 43 RoShamBo bots.",), created=1_800_000_000.0,
    )  # fmt: skip


def _line(store: Store, known: list[ExperimentRun], name: str, without_human: bool) -> VariantLine:
    own = [one for one in known if one.variant == name]
    settings = {
        key: value
        for key, value in to_json(store.run(own[0].run).settings).items()
        if key not in {"seed", "seed_scheme"}
    }
    edits = 2 if name == "linear-refinement" and not without_human else 0
    return VariantLine(name, tuple(o.run for o in own), tuple(o.seed for o in own), settings, edits, 3 if edits else 0)


def _course(rng, variant: str, seed: int, run: tuple[str, str]) -> Course:
    _, calls, left = next(one for one in VARIANTS if one[0] == variant)
    own = left + rng.normal(0, 9)
    points = []
    for iteration in range(int(BUDGET) // calls + 2):
        used = iteration * calls
        gap = own + (420 - own) * np.exp(-used / 22) + rng.normal(0, 4)
        ret = 190 - 0.9 * gap + rng.normal(0, 5)
        points.append(
            Point(
                iteration, used, 700 + 160 * used, 0.0, 2.0 + 1.7 * used + rng.uniform(0, 1), float(gap), 5.0,
                agg_score=float(ret - 0.7 * gap), pop_return=float(ret), pop_expl=float(0.7 * gap),
                oracle_gain=float(rng.normal(30, 12)) if iteration else None,
            )
        )  # fmt: skip
    final = max(place for place, point in enumerate(points) if point.calls <= BUDGET)
    return Course(variant, *run, seed, tuple(points), final)


def _finals(courses, measure: MeasureName) -> dict[str, dict[int, float]]:
    found: dict[str, dict[int, float]] = {name: {} for name, _, _ in VARIANTS}
    for one in courses:
        found[one.variant][one.seed] = getattr(one.points[one.final], measure)
    return found


def _differences(courses) -> tuple[Difference, ...]:
    at = ("calls", BUDGET)
    found = [
        one for measure in CURVES for one in differences(measure, _finals(courses, measure), "best-of-n", at, UNIT)
    ]
    cells = _cross()
    base = cells.variants.index("best-of-n")
    versus = {
        name: {seed: cells.mean[row][base] + 9.0 * (seed - 2) for seed in range(5)}
        for row, name in enumerate(cells.variants)
    }
    return (*found, *differences("versus", versus, "best-of-n", at, UNIT))


def _cross() -> CrossPlay:
    names = tuple(name for name, _, _ in VARIANTS)
    strength = np.array([-left for _, _, left in VARIANTS])
    mean = 0.8 * (strength[:, None] - strength[None, :])
    mean[0, 3], mean[3, 0] = 12.0, -12.0
    half = np.where(np.eye(4) > 0, 0.0, 11.0)
    return CrossPlay(
        names, tuple(map(tuple, mean.tolist())), tuple(map(tuple, half.tolist())), tuple((5,) * 4 for _ in names)
    )


def _joint(store: Store, known: list[ExperimentRun]) -> Joint:
    shares = {"linear-refinement": 0.46, "alpha-evolve": 0.31, "best-of-n": 0.11, SHARED: 0.07, HELD_OUT: 0.05}
    policies = []
    for owner, share in shares.items():
        one = next((run for run in known if run.variant == owner), known[0])
        run = "" if owner == HELD_OUT else one.run
        member = store.members(one.run)[1]
        name = "markov" if owner == HELD_OUT else member.name
        policies.append(JointPolicy(member.policy.hash, name, owner, run, 0, share))
    return Joint("max-entropy-nash", shares, tuple(policies))
