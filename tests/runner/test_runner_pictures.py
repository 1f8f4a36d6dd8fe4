"""The work of the process that computes one picture."""

import json
import threading
import time

import numpy as np
import pytest

from csro_core.analysis.pictures import PICTURES, MatrixGame, Picture
from csro_core.errors import Cancelled, IsolationError, NotFoundError
from csro_core.runner import pictures as work
from csro_core.runner.pictures import compute_picture
from csro_core.store import open_store
from csro_core.store.pictures import PictureTable
from tests.known_values import BATTLE_OF_THE_SEXES

RPS = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])
GAME = MatrixGame(np.stack([RPS, RPS.T]), symmetric=True)


@pytest.fixture
def table(tmp_path):
    store = open_store(tmp_path / "csro.sqlite")
    yield PictureTable(store.connections)
    store.close()


def picture_of(monkeypatch, compute):
    """Puts a picture of the test's own into the registry."""
    mine = Picture("mine", "Mine", "Read it.", lambda game: "", compute)
    monkeypatch.setattr(work, "PICTURES", {**PICTURES, "mine": mine})


def ask(table, kind="disc", params=None, game=GAME):
    table.ask("k", kind, params or {}, game.to_document)


@pytest.mark.parametrize("kind", PICTURES)
def test_every_picture_is_computed(table, kind):
    ask(table, kind)
    assert compute_picture(table, "k") == "done"
    assert isinstance(json.loads(table.row("k").document), dict)
    assert compute_picture(table, "k") == "nothing to do"


@pytest.mark.parametrize(
    ("kind", "params", "document", "words"),
    [
        ("disc", {}, MatrixGame(BATTLE_OF_THE_SEXES).to_document(), "zero-sum"),
        ("painting", {}, GAME.to_document(), "there is no picture 'painting'"),
        ("replicator", {"policies": [0, 0, 9]}, GAME.to_document(), "three different indices"),
        ("alpha-rank", {"alpha": "large"}, GAME.to_document(), "alpha must be a number"),
        ("disc", {}, {"payoffs": [[[None]]]}, "finite"),
        ("disc", {}, {"payoffs": [[[1.0, 2.0], [3.0]]]}, "one length"),
        ("disc", {}, {"payoffs": [[[1e300]]]}, "1e100"),
        ("disc", {}, [1, 2, 3], "JSON object"),
        ("disc", {}, None, "JSON object"),
    ],
)
def test_what_cannot_be_drawn_fails_with_the_reason(table, kind, params, document, words):
    table.ask("k", kind, params, lambda: document)
    assert compute_picture(table, "k") == "failed"
    assert words in table.row("k").message


def test_unknown_keys_and_garbled_rows(table):
    with pytest.raises(NotFoundError):
        compute_picture(table, "k")
    ask(table)
    with table._connections.writing() as connection:
        connection.execute("UPDATE pictures SET game = '{'")
    assert compute_picture(table, "k") == "failed"


def test_progress_is_written_at_most_four_times_a_second(table, monkeypatch):
    written = []
    beat = PictureTable.beat
    monkeypatch.setattr(PictureTable, "beat", lambda self, task, progress=None: (
        written.append(progress) if progress else None, beat(self, task, progress)
    ))  # fmt: skip

    def slow(game, params, on_progress):
        for step in range(60):
            on_progress(step, 60)
            time.sleep(0.01)
        return {}

    picture_of(monkeypatch, slow)
    ask(table, "mine")
    began = time.monotonic()
    assert compute_picture(table, "k") == "done"
    assert 1 <= len(written) <= (time.monotonic() - began) / 0.25 + 1


def test_a_cancel_is_heard_at_the_next_progress(table, monkeypatch):
    seen = []

    def endless(game, params, on_progress):
        while True:
            on_progress(len(seen), 10)
            seen.append(0)
            if len(seen) == 3:
                table.cancel("k")
            time.sleep(0.02)

    picture_of(monkeypatch, endless)
    monkeypatch.setattr(work, "WRITE_SECONDS", 0.0)
    ask(table, "mine")
    assert compute_picture(table, "k") == "cancelled"
    assert len(seen) == 3
    assert table.row("k").state == "cancelled"


def test_what_is_cancelled_inside_a_long_call_ends_the_process(table, monkeypatch):
    left = threading.Event()
    monkeypatch.setattr(work.os, "_exit", lambda code: left.set())
    monkeypatch.setattr(work, "BEAT_SECONDS", 0.02)
    monkeypatch.setattr(work, "GRACE_SECONDS", 0.02)

    def deaf(game, params, on_progress):
        table.cancel("k")
        assert left.wait(20)
        raise Cancelled("the process has left")

    picture_of(monkeypatch, deaf)
    ask(table, "mine")
    compute_picture(table, "k")
    assert left.is_set()


def test_a_long_call_without_progress_keeps_the_picture_alive(table, monkeypatch):
    monkeypatch.setattr(work, "BEAT_SECONDS", 0.02)
    beats = []
    beat = PictureTable.beat
    monkeypatch.setattr(PictureTable, "beat", lambda self, task, progress=None: (
        beats.append(progress), beat(self, task, progress)
    ))  # fmt: skip

    def long(game, params, on_progress):
        waited = time.monotonic() + 20
        while len(beats) < 3 and time.monotonic() < waited:
            time.sleep(0.01)
        return {"beats": 1}

    picture_of(monkeypatch, long)
    ask(table, "mine")
    assert compute_picture(table, "k") == "done"
    assert beats[:3] == [None, None, None]


def test_whatever_ends_the_work_is_its_reason(table, monkeypatch):
    def refused(game, params, on_progress):
        raise IsolationError("full isolation is required")

    picture_of(monkeypatch, refused)
    ask(table, "mine")
    assert compute_picture(table, "k") == "failed"
    assert table.row("k").message == "full isolation is required"


def test_too_little_memory_is_a_failure_in_words(table, monkeypatch):
    def greedy(game, params, on_progress):
        raise MemoryError

    picture_of(monkeypatch, greedy)
    ask(table, "mine")
    assert compute_picture(table, "k") == "failed"
    assert "memory" in table.row("k").message
