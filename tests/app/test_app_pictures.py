"""Pictures for the pages: who is started, what a page sees, and the real process, also killed and cancelled."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import streamlit as st

from app import pictures, services
from csro_core.analysis.pictures import MatrixGame
from csro_core.store.pictures import PictureTable
from tests.known_values import BATTLE_OF_THE_SEXES

RPS = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])
GAME = MatrixGame(np.stack([RPS, RPS.T]), symmetric=True)
BATTLE = MatrixGame(BATTLE_OF_THE_SEXES)
SECONDS = 60.0


def slow_game(count=700):
    """A game whose dominance takes minutes: noise, in which no policy is dominated."""
    noise = np.random.default_rng(0).normal(size=(count, count))
    return MatrixGame(np.stack([noise - noise.T, noise.T - noise]), symmetric=True)


@pytest.fixture
def processes(tmp_path, monkeypatch):
    """The processes that the pages have started, ended with the test."""
    monkeypatch.setenv("CSRO_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.setattr(services, "_import_demos", lambda store: None)
    monkeypatch.setattr(pictures, "_spawned", {})
    st.cache_resource.clear()
    started: list[subprocess.Popen] = []
    popen = subprocess.Popen

    def start(*arguments, **options):
        started.append(popen(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(pictures.subprocess, "Popen", start)
    yield started
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def started(processes, monkeypatch):
    """The commands that would have been started."""
    commands: list[list[str]] = []
    monkeypatch.setattr(pictures.subprocess, "Popen", lambda command, **_: commands.append(command))
    return commands


def table():
    return PictureTable(services.store().connections)


def wait_for(name, game, params, states):
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        state = pictures.picture(name, game, params)
        if state.state in states:
            return state
        time.sleep(0.05)
    raise AssertionError(f"{name} is still {state}")


def test_nothing_is_computed_unasked(started):
    assert pictures.picture("disc", GAME, {}).state == "absent"
    pictures.cancel("disc", GAME, {})
    assert started == []


def test_asking_starts_one_process_on_the_same_store(started):
    pictures.start("disc", GAME, {})
    pictures.start("disc", GAME, {})
    key = pictures.picture_key("disc", GAME, {})
    assert pictures.picture("disc", GAME, {}).state == "waiting"
    assert started == [[sys.executable, "-m", "csro_core", "picture", key, "--store", str(services.store().path)]]


def test_the_process_gets_no_key(started, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", "secret")
    environments = []
    monkeypatch.setattr(pictures.subprocess, "Popen", lambda command, env, **_: environments.append(env))
    pictures.start("disc", GAME, {})
    (environment,) = environments
    assert "secret" not in environment.values()
    assert environment["PATH"] == os.environ["PATH"]
    assert environment["OPENBLAS_NUM_THREADS"] == "1"


def test_pages_that_ask_at_once_start_one_process(started):
    services.store()
    barrier = threading.Barrier(6)

    def page():
        barrier.wait()
        pictures.start("disc", GAME, {})
        pictures.picture("disc", GAME, {})

    threads = [threading.Thread(target=page) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(started) == 1


def test_keys_differ_by_picture_game_and_params():
    other = MatrixGame(GAME.payoffs * 2, symmetric=True)
    keys = {
        pictures.picture_key(*one)
        for one in (
            ("disc", GAME, {}), ("gamescape", GAME, {}), ("disc", other, {}), ("disc", GAME, {"policies": [0, 1, 2]}),
            ("disc", GAME, {"policies": [0, 2, 1]}),
        )
    }  # fmt: skip
    assert len(keys) == 5
    renamed = MatrixGame(GAME.payoffs, None, True, (("r", "p", "s"),) * 2)
    assert pictures.picture_key("disc", renamed, {"a": 1, "b": 2}) == pictures.picture_key(
        "disc", GAME, {"b": 2, "a": 1}
    )


def test_a_refused_picture_is_never_asked_for(started):
    state = pictures.picture("disc", BATTLE, {})
    assert state.state == "refused"
    assert "zero-sum" in state.message
    pictures.start("disc", BATTLE, {})
    assert started == []
    assert table().row(pictures.picture_key("disc", BATTLE, {})) is None


def test_a_picture_that_nobody_takes_gets_another_process_and_is_given_up(started, monkeypatch):
    pictures.start("disc", GAME, {})
    monkeypatch.setattr(pictures, "RESTART_SECONDS", -1.0)
    pictures.picture("disc", GAME, {})
    assert len(started) == 2
    monkeypatch.setattr(pictures, "RESTART_SECONDS", 5.0)
    now = time.monotonic()
    for second in range(60):
        monkeypatch.setattr(pictures.time, "monotonic", lambda then=now + second: then)
        pictures.picture("disc", GAME, {})
    assert 3 <= len(started) <= 5  # ever more rarely
    monkeypatch.setattr(pictures, "GIVE_UP_SECONDS", -1.0)
    state = pictures.picture("disc", GAME, {})
    assert state.state == "failed"
    assert str(services.log_path()) in state.message
    monkeypatch.setattr(pictures, "GIVE_UP_SECONDS", 60.0)
    pictures.start("disc", GAME, {})
    assert pictures.picture("disc", GAME, {}).state == "waiting"


@pytest.mark.parametrize("document", ["", "{", "NaN", "[1]", "null", '{"a": Infinity}', "3", "{}"])
def test_odd_documents_read_as_failed_and_can_be_asked_for_again(started, document):
    pictures.start("disc", GAME, {})
    with services.store().connections.writing() as connection:
        connection.execute("UPDATE pictures SET state = 'done', document = ?", (document,))
    state = pictures.picture("disc", GAME, {})
    assert state.state == "failed"
    assert "cannot be read" in state.message
    pictures.start("disc", GAME, {})
    assert pictures.picture("disc", GAME, {}).state == "waiting"


def test_a_picture_from_start_to_end(processes):
    pictures.start("spinning-top", GAME, {})
    state = wait_for("spinning-top", GAME, {}, {"done", "failed"})
    assert state.state == "done"
    assert state.document["clusters"] == [[0, 1, 2]]
    assert state.document is pictures.picture("spinning-top", GAME, {}).document  # parsed once
    pictures.start("spinning-top", GAME, {})
    assert len(processes) == 1


def test_a_cancelled_picture_ends_its_process(processes):
    game = slow_game()
    pictures.start("dominance", game, {})
    assert wait_for("dominance", game, {}, {"working", "done", "failed"}).state == "working"
    pictures.cancel("dominance", game, {})
    assert pictures.picture("dominance", game, {}).state == "cancelled"
    assert processes[0].wait(timeout=SECONDS) == 0
    assert pictures.picture("dominance", game, {}).state == "cancelled"


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_killed_worker_reads_as_failed_and_is_begun_again(processes):
    game = slow_game()
    pictures.start("dominance", game, {})
    wait_for("dominance", game, {}, {"working"})
    os.kill(processes[0].pid, signal.SIGKILL)
    processes[0].wait()
    state = wait_for("dominance", game, {}, {"failed"})
    assert "has died" in state.message
    pictures.start("dominance", game, {})
    assert wait_for("dominance", game, {}, {"working"}).state == "working"
    assert len(processes) >= 2  # a worker that is long in starting gets a second one
    pictures.cancel("dominance", game, {})
    assert [process.wait(timeout=SECONDS) for process in processes[1:]] == [0] * len(processes[1:])
