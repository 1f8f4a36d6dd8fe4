"""The text of a call in flight on its way to the page, and keys on their way to a process that serves."""

import threading
import time

import pytest
from gemini_runs import answer, given, made
from running import SHORT_RPS, new_run, settings

from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool
from csro_core.runner import Runner
from csro_core.runner.keys import Credentials
from csro_core.runner.watch import LIVE_CHARACTERS, Watch
from tests.models.fake_gemini import FakeGemini


class Sheet:
    """A lease that only remembers the progress."""

    def __init__(self):
        self.written = []

    def set_progress(self, progress):
        self.written.append(progress)


@pytest.fixture
def watch():
    class NobodyAsks:
        def waiting(self, run):
            return []

    made = Watch(NobodyAsks(), Sheet(), "r", threading.Event(), 1.0)
    made.begin(1, 0)
    return made


def test_the_end_of_the_text_is_shown_at_most_twice_a_second(watch):
    sheet = watch._lease
    watch.asking("attempt 1/3")
    before = len(sheet.written)
    began = time.monotonic()
    while time.monotonic() - began < 0.7:
        watch.heard(0, "x" * 5000 + "end")
    assert 1 <= len(sheet.written) - before <= 2
    (live,) = sheet.written[-1]["live"]
    assert live["attempt"] == 0
    assert len(live["text"]) == LIVE_CHARACTERS
    assert live["text"].endswith("end")
    watch.silent(0)
    watch.asking("attempt 2/3")
    assert sheet.written[-1]["live"] == []


def test_questions_in_a_row_are_one_stage(watch):
    watch.asking("attempt 1/3")
    watch.asking("attempt 2/3")
    stages = {row["name"]: row for row in watch._lease.written[-1]["stages"]}
    assert (stages["ask"]["state"], stages["ask"]["detail"]) == ("now", "attempt 2/3")


def serve(store, run, credentials):
    pool = LocalPool(make_game)
    try:
        Runner(store, run, pool, credentials).serve(20.0)
    finally:
        pool.close()


def test_a_process_without_a_key_ends_and_the_next_one_has_it(tmp_path):
    store, run = new_run(tmp_path / "s.sqlite", made("zero-shot", attempts=0), 1)
    with FakeGemini(answer) as server:
        store.add_request(run, "step", {"until": "iteration"})
        began = time.monotonic()
        serve(store, run, given(server, None))
        assert time.monotonic() - began < 15.0  # it did not linger
        assert store.run(run).status == "needs-key"
        later = threading.Timer(1.5, lambda: store.add_request(run, "step", {"until": "iteration"}))
        later.start()
        serve(store, run, given(server, None))
        # It had been waiting before it was asked: whoever asked may have a key, so it left the request to the next one.
        assert [request.kind for request in store.waiting(run)] == ["step"]
        serve_one_iteration(store, run, given(server))
    assert store.run(run).status == "done"
    store.close()


def serve_one_iteration(store, run, credentials):
    pool = LocalPool(make_game)
    runner = Runner(store, run, pool, credentials)

    def look():
        while store.run(run).iteration < 1:
            time.sleep(0.1)
        time.sleep(0.3)
        runner.end()

    threading.Thread(target=look, daemon=True).start()
    try:
        runner.serve(30.0)
    finally:
        pool.close()


def test_a_free_model_lingers_without_a_key(tmp_path):
    store, run = new_run(tmp_path / "s.sqlite", settings(SHORT_RPS, attempts=1), 1)
    threading.Timer(0.8, lambda: store.add_request(run, "step", {"until": "iteration"})).start()
    serve_one_iteration(store, run, Credentials())
    assert store.run(run).status == "done"
    store.close()
