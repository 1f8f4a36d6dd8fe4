"""Whole runs with the real SDK against a loopback Gemini server: accepted policies, kill and resume, keys nowhere."""

import dataclasses
import io
import json
import os
import signal
import subprocess
import threading
import time
import zipfile
from pathlib import Path

import pytest
from gemini_runs import answer, given, made
from running import new_run, rows, start_command

from csro_core.errors import UsageError
from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool
from csro_core.oracles import ORACLES
from csro_core.runner import Runner
from csro_core.runner.keys import Credentials, take_credentials
from csro_core.seeds import Seed
from csro_core.store import open_store
from csro_core.store.archive import export_run
from csro_core.store.records import Caps
from tests.models.fake_gemini import KEY, FakeGemini, error, wrong_key


def run_here(store, run, target, credentials, caps=None):
    pool = LocalPool(make_game)
    try:
        Runner(store, run, pool, credentials, caps).run_to(target)
    finally:
        pool.close()


@pytest.mark.parametrize("oracle", [name for name in ORACLES if name != "exact"])  # which asks no model
def test_a_run_of_each_oracle_ends_with_accepted_policies(tmp_path, oracle):
    store, run = new_run(tmp_path / "s.sqlite", made(oracle, attempts=0 if oracle == "zero-shot" else 5), 3)
    with FakeGemini(answer) as server:
        run_here(store, run, 3, given(server))
    record = store.run(run)
    assert (record.status, record.message) == ("done", "")
    assert any(member.origin == "oracle" for member in store.members(run))
    calls = store.calls(run)
    assert len(calls) == len(server.requests) > 0
    assert {call.status for call in calls} == {"answered"}
    assert all(call.usd > 0 for call in calls)
    assert record.usd == pytest.approx(sum(call.usd for call in calls))
    attempts = {(attempt.iteration, attempt.index) for attempt in store.attempts(run)}
    assert {(call.iteration, call.attempt) for call in calls} <= attempts
    store.close()


class Stuck:
    """Answers two requests; the others wait until `free` is set."""

    def __init__(self):
        self.free = threading.Event()
        self.stuck = threading.Event()
        self._count = 0
        self._lock = threading.Lock()

    def __call__(self, body):
        with self._lock:
            self._count += 1
            number = self._count
        if number > 2 and not self.free.is_set():
            self.stuck.set()
            self.free.wait(60)
        return answer(body)


def bodies(server):
    return [json.dumps(body, sort_keys=True) for body in server.requests]


@pytest.mark.parametrize("oracle", ["linear-refinement", "alpha-evolve"])
def test_killed_and_resumed_it_repeats_no_paid_call(tmp_path, monkeypatch, oracle):
    chosen = made(oracle, attempts=4, refine_all=True)
    unbroken, first = new_run(tmp_path / "unbroken.sqlite", chosen, 1)
    with FakeGemini(answer) as server:
        run_here(unbroken, first, 1, given(server))
        expected = bodies(server)
    store, run = new_run(tmp_path / "s.sqlite", chosen, 1)
    stuck = Stuck()
    with FakeGemini(stuck) as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        monkeypatch.setenv("GEMINI_API_KEY", KEY)
        process = start_command(store.path, "resume", run)
        assert stuck.stuck.wait(60)
        while len([call for call in store.calls(run) if call.status == "answered"]) < 2:
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        arrived = len(server.requests)
        stuck.free.set()
        later = open_store(store.path, clock=lambda: time.time() + 6)
        run_here(later, run, 1, given(server))
        sent = bodies(server)
    calls = later.calls(run)
    paid = [call for call in calls if call.status == "answered"]
    lost = [call for call in calls if call.status == "possibly billed"]
    assert later.run(run).status == "done"
    assert [call.reused for call in paid] == [1, 1] + [0] * (len(paid) - 2)
    assert lost
    assert len(sent) - arrived == len(paid) - 2
    # What was in flight is sent again, nothing else is; and the rows are those of the unbroken run.
    assert set(sent) == set(expected)
    assert len(sent) - len(expected) == arrived - 2 <= len(lost)
    assert without_calls(rows(later, run)) == without_calls(rows(unbroken, first))
    for opened in (store, later, unbroken):
        opened.close()


def without_calls(found):
    return {name: value for name, value in found.items() if name != "calls"}


def test_a_stopped_run_goes_on_with_a_larger_budget(tmp_path):
    store, run = new_run(tmp_path / "s.sqlite", made(caps=Caps(calls=3)), 1)
    with FakeGemini(answer) as server:
        run_here(store, run, 1, given(server))
        stopped = store.run(run)
        assert (stopped.status, stopped.iteration) == ("stopped", 0)
        assert "the budget of 3 model calls is used up" in stopped.message
        assert [event.data["share"] for event in store.events(run) if event.kind == "budget"] == [0.5, 0.8]
        run_here(store, run, 1, given(server), Caps(calls=9))
        assert len(server.requests) == 4
    assert (store.run(run).status, store.run(run).iteration) == ("done", 1)
    assert store.run(run).settings.caps == Caps(calls=9)
    store.close()


def test_a_run_without_a_key_needs_one_and_goes_on_with_it(tmp_path):
    store, run = new_run(tmp_path / "s.sqlite", made("zero-shot", attempts=0), 1)
    with FakeGemini(answer) as server:
        run_here(store, run, 1, given(server, None))
        waiting = store.run(run)
        assert waiting.status == "needs-key"
        assert "needs an API key" in waiting.message
        assert store.calls(run) == []
        run_here(store, run, 1, given(server, "AIza-not-the-right-one-at-all-00000"))
        assert store.run(run).status == "failed"
        assert store.calls(run)[-1].reason == "wrong-key"
        run_here(store, run, 1, given(server))
    assert store.run(run).status == "done"
    store.close()


def test_a_recording_is_stepped_again_without_a_key(tmp_path):
    chosen = made("linear-refinement", attempts=2, refine_all=True)
    store, run = new_run(tmp_path / "s.sqlite", chosen, 2)
    with FakeGemini(answer) as server:
        run_here(store, run, 2, given(server))
    again = store.create_run("", dataclasses.replace(chosen, model=f"recorded:{run}"), 2)
    run_here(store, again, 2, Credentials())
    assert store.run(again).status == "done"
    assert without_calls(rows(store, again)) == without_calls(rows(store, run))
    assert {(call.cached, call.usd) for call in store.calls(again)} == {(True, 0.0)}
    other = store.create_run("", dataclasses.replace(chosen, model=f"recorded:{run}", seed=Seed("8")), 1)
    run_here(store, other, 1, Credentials())
    assert "holds no answer" in store.run(other).message
    store.close()


def test_a_key_is_found_nowhere(tmp_path, monkeypatch):
    """Planted in the environment and on standard input, the key is in no file, no child, no output."""
    store, run = new_run(tmp_path / "s.sqlite", made("linear-refinement", attempts=3, refine_all=True), 1)
    planted = "AIza-planted-in-the-environment-123456"
    stuck = Stuck()
    with FakeGemini(stuck) as server:
        server.play(error(400, "INVALID_ARGUMENT", f"no field {KEY} in the body"), wrong_key())
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        monkeypatch.setenv("GEMINI_API_KEY", planted)
        outputs = [hand_over(store.path, run, KEY) for _ in range(2)]
        failures = [call.message for call in store.calls(run) if call.status == "failed"]
        assert len(failures) == 2
        process = start_with_key(store.path, run, KEY)
        assert stuck.stuck.wait(60)
        seen = b"".join(what_is_told_of(child) for child in children_of(process.pid))
        assert len(seen) > 100
        stuck.free.set()
        outputs.append("".join(process.communicate(timeout=60)))
    assert store.run(run).status == "done"
    export_run(store, run, tmp_path / "run.zip")
    unpacked = zipfile.ZipFile(tmp_path / "run.zip")
    store.close()
    texts = [path.read_bytes() for path in tmp_path.iterdir() if path.is_file()]
    texts += [unpacked.read(name) for name in unpacked.namelist()]
    texts += [seen, "".join(outputs).encode()]
    assert not [text[:200] for text in texts for key in (KEY, planted) if key.encode() in text]


def start_with_key(path, run, key):
    process = start_command(path, "resume", run, "--key-on-stdin", stdin=subprocess.PIPE)
    process.stdin.write(f"{key}\n")
    process.stdin.flush()
    return process


def hand_over(path, run, key):
    return "".join(start_with_key(path, run, key).communicate(timeout=60))


def children_of(pid):
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if parent == pid:
            child = int(status.parent.name)
            found += [child, *children_of(child)]
    return found


def what_is_told_of(pid):
    try:
        return b"".join((Path("/proc") / str(pid) / name).read_bytes() for name in ("environ", "cmdline"))
    except OSError:
        return b""


def test_keys_leave_the_environment():
    variables = {"GEMINI_API_KEY": "one", "openrouter_api_key": "two", "HF_TOKEN": "three", "HOME": "/", "PATH": "x"}
    taken = take_credentials(variables, io.BytesIO(b"  handed-over \nsecond line\n"))
    assert variables == {"HOME": "/", "PATH": "x"}
    assert (taken.key, taken.environment["GEMINI_API_KEY"]) == ("handed-over", "one")
    assert "handed-over" not in repr(taken)
    assert "one" not in repr(taken)
    assert take_credentials({}, io.BytesIO(b"\n")).key is None


@pytest.mark.parametrize("line", [b"two words\n", b"x" * 5000, b"\xff\xfe\n", b"tab\tbed\n", "schlüssel\n".encode()])
def test_what_is_no_key_is_refused_and_not_repeated(line):
    with pytest.raises(UsageError) as caught:
        take_credentials({}, io.BytesIO(line))
    assert line.decode("latin-1").strip()[:5] not in str(caught.value)
