"""Forfeits of a benchmark in `evaluate` and `show`, as text and as JSON."""

import json

from csro_core.cli.main import main
from csro_core.store import open_store
from tests.app.benchmark_runs import add_benchmark_run, answered, scores
from tests.evaluation.test_forfeits import FAILING, KNOWN


def said(capsys, *arguments: str) -> str:
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


def test_evaluate_says_who_forfeited(tmp_path, capsys):
    path, store = tmp_path / "failing.py", str(tmp_path / "s.sqlite")
    path.write_text(FAILING, encoding="utf-8")
    open_store(tmp_path / "s.sqlite").close()
    command = ("evaluate", str(path), "--benchmark", "leduc", "--episodes", "2", "--store", store)
    assert "forfeits: 6 of 6 episodes were forfeited (illegal-action: " in said(capsys, *command)
    document = json.loads(said(capsys, *command, "--json"))
    assert document["forfeits"]["forfeited"] == 6
    assert document["forfeits"]["policies"][0]["reasons"]
    whole = ("evaluate", "reference:always_call", *command[2:])
    assert "forfeits:" not in said(capsys, *whole)
    assert json.loads(said(capsys, *whole, "--json"))["forfeits"]["forfeited"] == 0


def test_show_tells_of_what_was_measured(tmp_path, capsys):
    store = open_store(tmp_path / "s.sqlite")
    run = add_benchmark_run(store)
    payload = {"target": "champion", "benchmark": "rrps", "episodes": 10}
    answered(store, run, "benchmark", payload, scores("rrps", target="champion"))  # by an older version
    answered(store, run, "benchmark", payload | {"target": "mixture"}, scores("rrps", target="mixture", forfeits=KNOWN))
    lease = store.acquire(run, "test")
    last = store.solutions(run)[-1]
    live = {"benchmark": scores("rrps", forfeits=KNOWN | {"forfeited": 0, "policies": []})}
    lease.add_solution(type(last)(1, 0, "final", last.sizes, last.sigma, 0.0, 0.0, 0.0, extra=live))
    lease.release("done")
    store.close()
    text = said(capsys, "show", run, "--store", str(tmp_path / "s.sqlite"))
    lines = {line.split("  ")[0]: line for line in text.splitlines()}
    assert lines["champion after iteration 0"].endswith("not told")
    assert lines["sigma after iteration 0"].endswith("0 of 20")
    assert "mixture after iteration 0: 3 of 20 episodes were forfeited (memory: too much)" in text
    document = json.loads(said(capsys, "show", run, "--store", str(tmp_path / "s.sqlite"), "--json"))
    told = {one["of"]: one["forfeits"] for one in document["benchmarks"]}
    assert told["champion after iteration 0"] is None
    assert told["mixture after iteration 0"]["forfeited"] == 3
    assert document["origin"] == "here"
