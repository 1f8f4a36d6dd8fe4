"""Budgets, keys and models on the command line."""

import io
import json
import sys
from types import SimpleNamespace

import pytest

from csro_core.store import open_store
from tests.models.fake_gemini import KEY, FakeGemini

RUN = ("run", "--game", "matrix(preset=biased_rps)", "--iterations", "1", "--oracle", "best-of-n", "--candidates", "2")
LITE = "gemini:gemini-3.5-flash-lite"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def answer(body):
    return f"```python\nclass Policy:\n    def act(self, obs):\n        return {len(str(body)) % 3}\n```"


def test_money_alone_is_no_budget_for_an_unpriced_model(csro):
    csro(*RUN, "--model", "gemini:gemini-99", "--max-usd", "1").refused("is unpriced: give --max-calls")
    assert csro("runs", "--json").json == []


@pytest.mark.parametrize("value", ["0", "-1", "many", "nan"])
def test_a_budget_is_a_positive_number(csro, value):
    csro(*RUN, f"--max-calls={value}").refused("--max-calls")
    csro(*RUN, f"--max-usd={value}").refused("--max-usd")


def test_a_model_without_a_known_form_lists_the_forms(csro):
    csro(*RUN, "--model", "gpt").refused("gemini:MODEL")
    csro(*RUN, "--model", "recorded:nobody").refused("run must be an id")
    assert csro("runs", "--json").json == []


def test_a_run_stops_at_its_budget_and_goes_on_with_a_larger_one(csro):
    stopped = csro(*RUN, "--max-calls", "1", "--json")
    assert (stopped.code, stopped.json["status"]) == (0, "stopped")
    assert "go on with a larger one, --max-calls" in stopped.json["message"]
    assert "At most 2 model calls, free of charge." in stopped.err
    assert "of the budget is spent: 1 of 1 model calls" in stopped.err
    done = csro("resume", stopped.json["run"], "--max-calls", "9", "--json")
    assert done.json["status"] == "done"
    assert done.json["calls"][0]["calls"] == 2
    assert done.json["usd"] == 0.0


def test_a_run_needs_a_key_and_takes_it_from_standard_input(csro, monkeypatch, tmp_path):
    with FakeGemini(answer) as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        waiting = csro(*RUN, "--model", LITE, "--json")
        assert (waiting.code, waiting.json["status"]) == (1, "needs-key")
        assert "US dollars" in waiting.err
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(f"{KEY}\n".encode())))
        done = csro("resume", waiting.json["run"], "--key-on-stdin", "--json")
        assert done.json["status"] == "done", done.json["message"]
        assert done.json["usd"] > 0
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"two words\n")))
        csro("resume", waiting.json["run"], "--key-on-stdin").refused("printable ASCII")
    shown = csro("show", waiting.json["run"])
    assert "usd saved" in shown.out
    store = open_store(tmp_path / "store" / "csro.sqlite")
    assert store.run(waiting.json["run"]).settings.model == LITE
    store.close()
    for said in (waiting, done, shown):
        assert KEY not in said.out + said.err
    assert json.loads(done.out)["calls"][0]["model"] == LITE
