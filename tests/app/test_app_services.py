"""The seam between pages and core: who is started when, the demo runs, the components' files."""

import hashlib
import sys
from pathlib import Path

import pytest
import streamlit as st

from app import services
from csro_core.matches.jobs import Isolation
from csro_core.store.archive import export_run
from csro_core.store.store import Store
from tests.app.fake_run import demo_store

EDITOR = Path(__file__).resolve().parents[2] / "app" / "components" / "editor"


@pytest.fixture
def started(tmp_path, monkeypatch) -> list[list[str]]:
    """The commands that would have been started, over the demo store."""
    monkeypatch.setenv("CSRO_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.setattr(services, "_spawned", {})
    st.cache_resource.clear()
    commands: list[list[str]] = []
    monkeypatch.setattr(services.subprocess, "Popen", lambda command, **_: commands.append(command))
    demo_store(tmp_path / "store.sqlite")
    return commands


def run_of(store: Store) -> str:
    return store.runs()[0].id


def test_asking_starts_one_process_for_the_run_on_the_same_store(started):
    run = run_of(services.store())
    services.ask(run, "step", {"until": "stage"})
    services.ask(run, "check", {"text": ""})
    assert started == [[sys.executable, "-m", "csro_core", "serve", run, "--store", str(services.store().path)]]


def test_nobody_is_started_while_the_run_has_an_owner(started):
    run = run_of(services.store())
    services.store().acquire(run, "somebody")
    services.ask(run, "step", {"until": "stage"})
    assert started == []


def test_a_request_that_waits_too_long_gets_another_process(started, monkeypatch):
    run = run_of(services.store())
    number = services.ask(run, "check", {"text": ""})
    services.answer(number)
    assert len(started) == 1
    monkeypatch.setattr(services, "RESTART_SECONDS", -1.0)
    assert services.answer(number).state == "waiting"
    assert len(started) == 2


def test_a_process_that_cannot_start_is_tried_ever_more_rarely_and_then_given_up(started, monkeypatch):
    run = run_of(services.store())
    now = [1000.0]
    monkeypatch.setattr(services.time, "monotonic", lambda: now[0])
    number = services.ask(run, "check", {"text": ""})
    for _ in range(60):
        now[0] += 1.0
        services.keep_served(run)
    assert 3 <= len(started) <= 5
    monkeypatch.setattr(services, "GIVE_UP_SECONDS", -1.0)
    record = services.answer(number)
    assert record.state == "failed"
    assert "nobody could be started" in record.result["message"]


def test_a_request_whose_worker_died_reads_as_failed(started):
    store = services.store()
    run = run_of(store)
    number = services.ask(run, "check", {"text": ""})
    lease = store.acquire(run, "worker")
    lease.answer(number, "working", {})
    assert services.answer(number).state == "working"
    lease.release("done")
    assert services.answer(number).state == "failed"
    assert "died" in services.answer(number).result["message"]


def test_a_new_store_gets_the_demo_runs_and_a_broken_one_is_left_out(tmp_path, monkeypatch):
    source = demo_store(tmp_path / "source.sqlite")
    for place, run in enumerate(source.runs()):
        export_run(source, run.id, tmp_path / f"demo-{place}.zip")
    (tmp_path / "demo-broken.zip").write_bytes(b"not a zip file")
    monkeypatch.setattr(services, "ASSETS", tmp_path)
    monkeypatch.setenv("CSRO_STORE", str(tmp_path / "fresh.sqlite"))
    st.cache_resource.clear()
    assert {run.name for run in services.store().runs()} == {"demo rps", "demo matrix"}


def test_isolation_is_what_the_owner_said_last(started):
    run = run_of(services.store())
    assert services.isolation(run) is None
    lease = services.store().acquire(run, "owner")
    lease.event("isolation", {"level": "reduced", "reason": "no kernel jail here"})
    assert services.isolation(run) == Isolation("reduced", "no kernel jail here")


def test_the_editor_was_built_from_its_source():
    digest = hashlib.sha256((EDITOR / "index.js").read_bytes()).hexdigest()
    built = (EDITOR / "editor.js").read_text(encoding="utf-8")
    assert built.startswith(f"// built from index.js {digest};"), "run `npm ci && npm run build` in its folder"


def test_every_bundled_package_comes_with_its_licence():
    text = (EDITOR / "LICENCES.txt").read_text(encoding="utf-8")
    for package in ("@codemirror/view", "@codemirror/state", "@lezer/python", "style-mod", "w3c-keyname", "crelt"):
        assert f"\n{package} " in text
    assert text.count("Permission is hereby granted") == text.count("\nSource: ")
