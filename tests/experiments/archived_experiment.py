"""An experiment of two variants and two seeds with short runs, and a comparison of them."""

import zlib

import numpy as np

from csro_core.estimates import Estimate
from csro_core.experiments.kept import keep_comparison
from csro_core.experiments.plan import Plan, Variant
from csro_core.games.base import GameSpec
from csro_core.metagame.cells import Cell
from csro_core.seeds import Seed
from csro_core.store.codec import from_json, to_json
from csro_core.store.experiments import ExperimentRun, ExperimentTable
from csro_core.store.records import IterationRecord, Member, PolicyText, RunSettings, SolutionRecord
from tests.experiments.fake_documents import fake_comparison
from tests.store.conftest import true_policy

GAME = GameSpec("repeated_rps", {"num_throws": 300})
NAMES = ("zero-shot", "best-of-n")
PLAN = Plan(
    "which oracle?", GAME, tuple(Variant(name, name, "synthesiser") for name in NAMES), (Seed("3"), Seed("7")),
    "calls", 60.0, "zero-shot", cluster="tcp://10.0.0.1:8786",
)  # fmt: skip


def policy(number: int, extra: str = "") -> PolicyText:
    return true_policy(
        f'# {number} ✓ {extra}\nclass Policy:\n    """Plays {number % 3}. {extra}"""\n\n'
        f"    number = ({number}, {extra!r})\n\n"
        f"    def act(self, obs):\n        return {number % 3}\n"
    )


def add_run(store, name: str, settings: RunSettings, extra: str = "") -> str:
    """Makes a run with two seeds and one response."""
    run = store.create_run(name, settings, 4)
    lease = store.acquire(run, "me")
    members = [
        Member(0, index, policy(index, extra), f"p{index} {extra}".strip(), "oracle" if index == 2 else "seed", "", 0)
        for index in range(3)
    ]
    for member in members[:2]:
        lease.add_member(member)
    lease.add_solution(_solution(0, 2))
    for row in range(3):
        for column in range(row, 3):
            first, second = members[row].policy, members[column].policy
            if first.tree_hash <= second.tree_hash:
                lease.cells.put(_cell(first, second, row - column))
            else:
                lease.cells.put(_cell(second, first, column - row))
    gain = Estimate(3.25, 0.5, 20)
    record = IterationRecord(
        1, 0, 0, ((0.5, 0.5),), (0.5, 0.5), gain, None, "improves", "gain", members[2].policy.hash, 1, 2.5, 40
    )
    lease.commit_iteration(record, [members[2]], _solution(1, 3))
    lease.release("done")
    return run


def _solution(number: int, size: int) -> SolutionRecord:
    return SolutionRecord(number, number, "iteration", (size,), (tuple(1 / size for _ in range(size)),), 0.0, 0.0, 0.0)


def _cell(row: PolicyText, column: PolicyText, payoff: float) -> Cell:
    returns = np.array([[payoff + e % 2, -payoff - e % 2] for e in range(4)], dtype=float)
    logs = tuple(zlib.compress(bytes([e] * 50)) for e in range(4))
    return Cell(row.tree_hash, column.tree_hash, returns, np.zeros((4, 2), dtype=np.bool_), (), logs)


def add_experiment(store, plan: Plan = PLAN, compared: bool = True) -> str:
    """Makes the experiment with all its runs; returns its id."""
    table = ExperimentTable(store.connections, store.clock)
    experiment = table.create(plan.name, to_json(plan))
    runs = {}
    for variant in plan.variants:
        for seed in plan.seeds:
            settings = RunSettings(plan.game, variant.oracle, variant.model, seed=seed)
            run = add_run(store, f"{variant.name} {seed}", settings)
            runs[variant.name, seed] = run
            table.put_run(experiment, ExperimentRun(variant.name, seed, run, "done"))
    if compared:
        keep_comparison(store, experiment, comparison_of(runs, plan))
    return experiment


def comparison_of(runs, plan: Plan = PLAN):
    """Returns a comparison of these runs: (variant, seed) → id."""
    names = tuple(variant.name for variant in plan.variants)
    places = {(name, place): runs[name, seed] for name in names for place, seed in enumerate(plan.seeds)}
    fake = fake_comparison(names, len(plan.seeds), places)
    data = to_json(fake)
    data["game"] = to_json(plan.game)
    for line in data["variants"]:
        line["seeds"] = list(plan.seeds)
    for course in data["courses"]:
        course["seed"] = plan.seeds[int(course["seed"])]
    return from_json(type(fake), data)
