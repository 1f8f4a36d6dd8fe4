"""Hostile policies in the editor: the page's own service function, the desk of the runner, a real store."""

import threading
import time

import pytest
import streamlit as st

from app import services
from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool
from csro_core.runner import Runner
from tests.runner.running import SHORT_RPS, new_run, settings
from tests.sandbox.attack_cases import REFUSED, attack_text

SCORED = {
    "annotation_string": True,
    "copy_bound_method": False,
    "exception_markup": False,
    "huge_list": False,
    "loop_act": False,
    "return_markers": False,
    "shared_marks": True,
    "traceback_frame": False,
}
"""Attack → whether it gets a score; the others get one sentence."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """The services over a store with one run, whose owner answers in this process; and a folder with a secret."""
    folder = tmp_path_factory.mktemp("desk")
    canary = folder / "canary"
    canary.mkdir()
    canary.chmod(0o777)
    (canary / "secret").write_text("4711")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CSRO_STORE", str(folder / "s.sqlite"))
        st.cache_resource.clear()
        store, run = new_run(folder / "s.sqlite", settings(SHORT_RPS, initial=("reference:rock", "reference:rotate")))
        pool = LocalPool(make_game)
        runner = Runner(store, run, pool)
        thread = threading.Thread(target=lambda: runner.serve(linger=60.0))
        thread.start()
        while not services.has_owner(run):
            time.sleep(0.01)
        yield run, canary
        runner.end()
        thread.join(timeout=60)
        pool.close()
        st.cache_resource.clear()


def ask(desk, kind, names):
    """Returns the answers to a request of one kind for each attack."""
    run, canary = desk
    asked = {name: services.ask(run, kind, {"text": attack_text(name, canary, 9)}) for name in names}
    answers = {}
    deadline = time.monotonic() + 300.0
    while len(answers) < len(asked) and time.monotonic() < deadline:
        for name in asked.keys() - answers.keys():
            record = services.answer(asked[name])
            if record.state in {"done", "failed"}:
                answers[name] = record
        time.sleep(0.05)
    assert [path.name for path in canary.iterdir()] == ["secret"]
    return answers


def check_sentences(result):
    assert result["ok"] is False
    assert result["problems"]
    for problem in result["problems"]:
        assert problem["line"] >= 0
        assert problem["message"].isprintable()
        assert len(problem["message"]) < 700


def test_check_says_what_is_refused(desk):
    answers = ask(desk, "check", REFUSED)
    assert set(answers) == set(REFUSED)
    for record in answers.values():
        assert record.state == "done"
        check_sentences(record.result)
        assert [problem["line"] for problem in record.result["problems"]] == sorted(
            problem["line"] for problem in record.result["problems"]
        )


def test_score_gives_a_sentence_or_an_honest_score(desk):
    answers = ask(desk, "score", SCORED)
    assert set(answers) == set(SCORED)
    for name, scored in SCORED.items():
        assert answers[name].state == "done", name
        result = answers[name].result
        if scored:
            # Paper in all of 60 throws: 60 against rock, 0 against a rotation.
            assert [payoff["mean"] for payoff in result["payoffs"]] == [60.0, 0.0]
        else:
            check_sentences(result)
            assert "payoffs" not in result
