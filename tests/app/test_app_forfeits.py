"""Forfeits of a benchmark on its page: a warning beside the score, in the detail and under the course."""

from tests.app.app_pages import app, html
from tests.app.benchmark_runs import add_benchmark_run, answered, scores
from tests.evaluation.test_forfeits import KNOWN, POLICY

PAGE = "views/benchmark.py"
PAYLOAD = {"target": "mixture", "benchmark": "rrps", "episodes": 10}
EVIL = KNOWN | {"policies": [POLICY | {"reasons": ["exception: <script>alert(1)</script> **b**"]}]}


def measured(store, **changes) -> str:
    run = add_benchmark_run(store, name=f"bench {store.count_runs()}")
    answered(store, run, "benchmark", PAYLOAD, scores("rrps", target="mixture", **changes))
    return run


def test_a_score_with_forfeits_is_warned_of_beside_it_and_in_its_detail(store):
    test = app(PAGE, run=measured(store, forfeits=EVIL))
    assert "⚠ 3 forfeited" in html(test)
    assert "forfeited: 3 of 20 episodes" in html(test)
    assert "<script" not in html(test)
    (warning,) = [one.value for one in test.warning]
    assert warning.startswith("3 of 20 episodes were forfeited")
    assert "**b**" not in warning


def test_one_without_is_not_and_an_older_one_says_that_nobody_has_told(store):
    test = app(PAGE, run=measured(store, forfeits=KNOWN | {"forfeited": 0, "policies": []}))
    assert "⚠" not in html(test)
    assert "forfeited: 0 of 20 episodes" in html(test)
    assert not test.warning
    test = app(PAGE, run=measured(store, forfeits={"odd": 1}))
    assert "forfeits: not told" in html(test)


def test_the_course_of_sigma_names_its_iterations(store):
    run = add_benchmark_run(store, name="live", benchmark="rrps")
    last = store.solutions(run)[-1]
    lease = store.acquire(run, "test")
    extra = {"benchmark": scores("rrps", forfeits=KNOWN)}
    lease.add_solution(type(last)(1, 0, "final", last.sizes, last.sigma, 0.0, 0.0, 0.0, extra=extra))
    lease.release("done")
    (warning,) = [one.value for one in app(PAGE, run=run).warning]
    assert warning.replace("\\", "").startswith("Forfeits after iteration 0. After 0: 3 of 20")
