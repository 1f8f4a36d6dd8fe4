"""An experiment with models of two providers: each is sent its own key, and neither key is found anywhere."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from csro_core.store import open_store
from csro_core.store.experiments import ExperimentTable
from tests.models.fake_gemini import KEY as GEMINI_KEY
from tests.models.fake_gemini import FakeGemini
from tests.models.fake_openai import KEY as OPENAI_KEY
from tests.models.fake_openai import FakeOpenAi

POLICY = "```python\nclass Policy:\n    def act(self, obs):\n        return 1\n```\n"
SPEC = """
name = "two providers"
game = "matrix(preset=biased_rps)"
oracles = ["best-of-n"]
models = ["gemini:gemini-3.8-flash", "openai:fake-coder@{url}"]
seeds = 1
budget = {{ calls = 1 }}
attempts = 1
episodes = 2
play = 4
jobs = 2
"""


class Held:
    """An answer that is kept back until the processes that wait for it were looked at."""

    def __init__(self):
        self.asked, self.free = threading.Event(), threading.Event()

    def __call__(self, _body):
        self.asked.set()
        self.free.wait(60)
        return POLICY


@pytest.mark.skipif(sys.platform != "linux", reason="it looks at other processes in /proc")
def test_each_provider_gets_its_own_key_and_no_key_is_found_anywhere(tmp_path):
    held = Held()
    with FakeGemini(held) as gemini, FakeOpenAi(held) as openai:
        (tmp_path / "two.toml").write_text(SPEC.format(url=openai.url))
        process = subprocess.Popen(
            [sys.executable, "-m", "csro_core", "experiment", str(tmp_path / "two.toml"), "--keys-on-stdin", "--json",
             "--store", str(tmp_path / "s.sqlite"), "--out", str(tmp_path / "out")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "GOOGLE_GEMINI_BASE_URL": gemini.url},
        )  # fmt: skip
        process.stdin.write(f"{openai.url} {OPENAI_KEY}\ngemini {GEMINI_KEY}\n\n".encode())
        process.stdin.flush()
        assert held.asked.wait(60)
        seen = told_of(process.pid) + told_of_children(process.pid)
        held.free.set()
        said = b"".join(process.communicate(timeout=120))
    assert process.returncode == 0, said.decode()[-2000:]
    assert {call.headers.get("x-goog-api-key") for call in gemini.calls} == {GEMINI_KEY}
    assert {call.headers.get("authorization") for call in openai.calls} == {f"Bearer {OPENAI_KEY}"}
    sent = repr([(call.headers, call.body) for call in gemini.calls])
    assert OPENAI_KEY not in sent
    assert GEMINI_KEY not in repr([(call.headers, call.body) for call in openai.calls])
    texts = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(texts) > 3
    assert len(seen) > 500
    for text in (*texts, said, seen):
        assert GEMINI_KEY.encode() not in text
        assert OPENAI_KEY.encode() not in text
    store = open_store(tmp_path / "s.sqlite")
    table = ExperimentTable(store.connections)
    assert {run.state for run in table.runs(table.find("two providers").id)} == {"done"}
    store.close()


def told_of(pid) -> bytes:
    """Returns the variables and the command line of a process."""
    return b"".join((Path("/proc") / str(pid) / name).read_bytes() for name in ("environ", "cmdline"))


def told_of_children(pid) -> bytes:
    """Returns those of everything that it has started."""
    found = b""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
            if parent == pid:
                found += told_of(int(status.parent.name)) + told_of_children(int(status.parent.name))
        except (OSError, ValueError):
            continue
    return found


def test_one_key_for_models_of_two_providers_is_refused(csro, tmp_path, monkeypatch):
    (tmp_path / "two.toml").write_text(SPEC.format(url="https://openrouter.ai/api/v1"))
    monkeypatch.setattr("sys.stdin", open_bytes(tmp_path, f"{GEMINI_KEY}\n"))
    found = csro("experiment", tmp_path / "two.toml", "--key-on-stdin")
    found.refused("models are of several providers, gemini, https://openrouter.ai/api/v1")
    assert GEMINI_KEY not in found.err
    csro("experiment", tmp_path / "two.toml", "--key-on-stdin", "--keys-on-stdin").refused("not allowed")


def open_bytes(tmp_path, text):
    (tmp_path / "typed").write_text(text)
    return (tmp_path / "typed").open()
