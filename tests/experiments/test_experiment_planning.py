from dataclasses import replace

import pytest

from csro_core.errors import UsageError
from csro_core.experiments.plan import Plan, Variant
from csro_core.experiments.planning import Grid, checked, ensure_runs, same_but_for_work, settings_of, with_seeds
from csro_core.games.base import GameSpec
from csro_core.seeds import Seed
from csro_core.store import open_store
from csro_core.store.codec import from_json, to_json
from csro_core.store.experiments import ExperimentTable
from csro_core.store.labels import RunLabels
from csro_core.store.records import Caps

RPS = GameSpec("repeated_rps", {"num_throws": 60})
PLAN = Plan("plan", RPS, Grid(("best-of-n", "zero-shot")).variants(), (Seed("3"), Seed("4")), "calls", 8.0, "best-of-n")


@pytest.fixture
def store(tmp_path):
    opened = open_store(tmp_path / "store.sqlite")
    yield opened
    opened.close()


def test_best_of_n_is_always_among_the_variants():
    assert [one.oracle for one in Grid(("zero-shot",)).variants()] == ["best-of-n", "zero-shot"]


def test_a_plan_survives_the_store(store):
    table = ExperimentTable(store.connections, store.clock)
    record = table.find(table.create("plan", to_json(PLAN)))
    assert from_json(Plan, record.plan) == PLAN


def test_runs_are_made_once_and_missing_ones_again(store):
    table = ExperimentTable(store.connections, store.clock)
    experiment = table.create("plan", to_json(PLAN))
    runs = ensure_runs(store, table, experiment, PLAN)
    assert [(one.variant, one.seed) for one in runs] == [
        ("best-of-n", "3"), ("zero-shot", "3"), ("best-of-n", "4"), ("zero-shot", "4"),
    ]  # fmt: skip
    assert ensure_runs(store, table, experiment, PLAN) == runs
    more = ensure_runs(store, table, experiment, with_seeds(PLAN, 1))
    assert more[:4] == runs
    assert {one.seed for one in more[4:]} == {"5"}
    assert len({record.name for record in store.runs()}) == 6


def test_names_of_runs_are_free_and_fit(store):
    long = replace(PLAN, name="x" * 100)
    table = ExperimentTable(store.connections, store.clock)
    for name in ("one", "two"):
        ensure_runs(store, table, table.create(name, to_json(long)), long)
    assert len(store.runs()) == 8


def test_settings_have_the_plan_in_them(store):
    made = settings_of(store, replace(PLAN, attempts=4, target_mix=0.5), PLAN.variants[1], Seed("9"))
    assert (made.oracle, made.seed, made.attempts, made.target_mix, made.refine_all) == ("zero-shot", "9", 4, 0.5, True)
    assert made.caps == Caps()
    paid = replace(PLAN, variants=(Variant("g", "zero-shot", "gemini:gemini-3.5-flash"),), baseline="g")
    assert settings_of(store, paid, paid.variants[0], 0).caps == Caps(calls=8)
    money = replace(paid, resource="usd", budget=0.5)
    assert settings_of(store, money, money.variants[0], 0).caps == Caps(usd=0.5)


@pytest.mark.parametrize(
    "changes",
    [
        {"variants": ()}, {"variants": (PLAN.variants[0], PLAN.variants[0])}, {"seeds": ()}, {"seeds": ("1", "1")},
        {"seeds": tuple(map(str, range(600)))}, {"budget": 0.0}, {"budget": float("inf")}, {"target_mix": 2.0},
        {"play": 2}, {"play": 7}, {"episodes": 3}, {"baseline": "nobody"}, {"jobs": -1}, {"benchmark": "leduc"},
        {"name": " "},
        {"eval_solver": "no-such-solver"}, {"variants": (replace(PLAN.variants[0], name="held out"),)},
        {"variants": (replace(PLAN.variants[0], oracle="exact"),)}, {"game": GameSpec("no_such_game", {})},
    ],
)  # fmt: skip
def test_impossible_plans_are_refused(changes):
    with pytest.raises(UsageError):
        checked(replace(PLAN, **changes))


def test_plans_are_the_same_whoever_works_on_them():
    assert same_but_for_work(PLAN, replace(PLAN, jobs=7, seeds=tuple(map(Seed, "123"))))
    assert not same_but_for_work(PLAN, replace(PLAN, budget=9.0))


def test_a_name_in_the_bin_is_taken(store):
    table = ExperimentTable(store.connections, store.clock)
    one = table.create("one", to_json(PLAN))
    (first, *_) = ensure_runs(store, table, one, PLAN)
    table.drop(one)
    RunLabels(store.connections, store.clock).put_into_bin(first.run)
    runs = ensure_runs(store, table, table.create("two", to_json(PLAN)), PLAN)
    assert store.run(runs[0].run).name.endswith("(2)")
