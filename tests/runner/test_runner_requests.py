import threading
import time

import pytest
from running import SHORT_RPS, new_run, run_here, settings, start_command

from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool
from csro_core.policies.library import reference_text
from csro_core.runner import Runner

PAPER = '"""Always paper."""\n\n\nclass Policy:\n    """Always paper."""\n\n    def act(self, obs):\n        return 1\n'
ROCKS = ("reference:rock", "reference:copy_last")


@pytest.fixture
def served(tmp_path):
    """A run with a runner that answers its requests."""
    store, run = new_run(tmp_path / "s.sqlite", settings(SHORT_RPS, attempts=2, initial=ROCKS))
    pool = LocalPool(make_game)
    runner = Runner(store, run, pool)
    thread = threading.Thread(target=lambda: runner.serve(linger=30.0))
    thread.start()
    yield store, run
    runner.end()
    thread.join(timeout=30)
    pool.close()
    assert not thread.is_alive()


def answer(store, request, seconds=30.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        record = store.request(request)
        if record.state in ("done", "failed"):
            return record
        time.sleep(0.05)
    raise AssertionError(f"request {request} was not answered: {store.request(request)}")


def wait_for(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("the condition did not come true")


def test_check_score_and_add_are_answered(served):
    store, run = served
    checked = answer(store, store.add_request(run, "check", {"text": PAPER})).result
    assert checked["ok"] is True
    assert checked["problems"] == []

    refused = answer(store, store.add_request(run, "check", {"text": "import os\n" + PAPER})).result
    assert refused["ok"] is False
    assert any(problem["line"] == 1 and "os" in problem["message"] for problem in refused["problems"])

    scored = store.add_request(run, "score", {"text": PAPER, "player": 0, "parent": "", "episodes": 4})
    result = answer(store, scored).result
    assert [payoff["opponent"] for payoff in result["payoffs"]] == ["rock", "copy_last"]
    assert result["payoffs"][0]["mean"] == 60.0
    assert result["payoffs"][0]["stderr"] == 0.0
    assert result["sigma_if_added"]["weight"] > 0.3
    assert [member.name for member in store.members(run)] == ["rock", "copy_last"]  # nothing was added

    added = answer(store, store.add_request(run, "add", {"text": PAPER, "player": 0, "parent": ""})).result
    members = store.members(run)
    assert members[-1].origin == "human"
    assert members[-1].index == added["index"] == 2
    assert store.solutions(run)[-1].cause == "edit"
    assert store.run(run).iteration == 0


def test_a_score_says_better_than_the_parent_when_it_is(served):
    store, run = served
    answer(store, store.add_request(run, "add", {"text": PAPER, "player": 0, "parent": ""}))
    members = {member.name: member.policy for member in store.members(run)}
    # sigma is all paper now or nearly: scissors beat it, rock loses to it.
    scissors = PAPER.replace("return 1", "return 2").replace("paper", "scissors")
    request = store.add_request(
        run, "score", {"text": scissors, "player": 0, "parent": members["rock"].hash, "episodes": 4}
    )
    result = answer(store, request).result
    assert result["verdict"] in ("better", "cannot tell yet")
    assert result["versus_parent"]["mean"] > 0


def test_a_policy_that_fails_in_play_is_answered_with_its_line_and_hurts_nothing(served):
    store, run = served
    text = PAPER.replace("return 1", "return 7")
    result = answer(store, store.add_request(run, "score", {"text": text, "player": 0, "parent": ""})).result
    assert result["ok"] is False
    assert "7" in result["problems"][0]["message"]
    record = answer(store, store.add_request(run, "add", {"text": text, "player": 0, "parent": ""}))
    assert record.state == "failed"
    assert "7" in record.result["message"]


def test_stepping_by_stages_pauses_before_the_next_stage(served):
    store, run = served
    store.add_request(run, "step", {"until": "stage"})
    wait_for(lambda: store.progress(run).get("paused") == "stage")
    assert store.run(run).status == "paused"
    states = {stage["name"]: stage["state"] for stage in store.progress(run)["stages"]}
    assert states["solve"] == "done"
    store.add_request(run, "step", {"until": "attempt"})
    wait_for(lambda: store.progress(run).get("paused") == "attempt")
    assert len(store.attempts(run, 1)) >= 1
    store.add_request(run, "step", {"until": "iteration"})
    wait_for(lambda: store.run(run).iteration == 1)
    wait_for(lambda: store.run(run).status == "done")


def test_stop_acts_soon_and_the_run_resumes_to_the_same_rows(tmp_path):
    made = settings(attempts=10, game=type(SHORT_RPS)("repeated_rps"), oracle="best-of-n")
    store, run = new_run(tmp_path / "s.sqlite", made)
    worker = threading.Thread(target=lambda: run_here(store, run, 1))
    worker.start()
    wait_for(lambda: store.progress(run).get("stages"))
    time.sleep(1.0)
    began = time.monotonic()
    request = store.add_request(run, "stop", {})
    wait_for(lambda: store.run(run).status == "stopped", 20.0)
    assert time.monotonic() - began < 10.0  # 1 on an idle machine; the whole iteration takes longer
    worker.join(timeout=10)
    assert store.request(request).state == "done"
    assert store.run(run).iteration == 0


def test_serve_takes_requests_from_the_command_line(tmp_path):
    path = tmp_path / "s.sqlite"
    store, run = new_run(path, settings(attempts=1))
    request = store.add_request(run, "check", {"text": reference_text("rock")})
    process = start_command(path, "serve", run, "--linger", "1")
    assert answer(store, request).result["ok"] is True
    assert process.wait(timeout=20) == 0
