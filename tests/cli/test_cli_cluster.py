"""`--cluster` where nobody answers: one line, and whoever waits on the page is told."""

import pytest

from csro_core.matches import cluster
from csro_core.store import default_path, open_store

NOBODY = "tcp://127.0.0.1:1"
RUN = ("--game", "repeated_rps(num_throws=9)", "--initial", "reference:rock", "--iterations", 0)

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)


def test_a_run_without_a_scheduler_is_not_made(csro):
    csro("run", *RUN, "--cluster", NOBODY).refused("there must be a Dask scheduler at tcp://127.0.0.1:1")
    csro("run", *RUN, "--cluster", "127.0.0.1:1").refused("tcp://HOST:PORT")
    assert csro("runs", "--json").json == []


def test_whoever_waits_for_an_answer_is_told_why_there_is_none(csro):
    run = csro("run", *RUN, "--json").json["run"]
    store = open_store(default_path())
    check = store.add_request(run, "check", {"text": ""})
    csro("serve", run, "--cluster", NOBODY).refused("there must be a Dask scheduler")
    assert (store.request(check).state, store.run(run).status) == ("failed", "done")
    step = store.add_request(run, "step", {"until": "iteration"})
    csro("serve", run, "--cluster", NOBODY).refused("there must be a Dask scheduler")
    answered, record = store.request(step), store.run(run)
    assert answered.state == "failed"
    assert "there must be a Dask scheduler" in answered.result["message"]
    assert (record.status, record.message) == ("failed", answered.result["message"])
    store.close()


def test_local_is_this_machine(csro):
    asked = ("play", "reference:rock", "reference:rock", "--game", "repeated_rps(num_throws=9)", "--cluster", "local")
    assert csro(*asked).code == 0
