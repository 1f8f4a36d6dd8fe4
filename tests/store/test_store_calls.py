"""Rows of model calls: one a call that was sent, answers found again, totals, and stores and archives of version 1."""

import contextlib
import json
import sqlite3
import zipfile
from dataclasses import replace
from importlib.resources import files

import pytest

from csro_core.errors import UsageError
from csro_core.seeds import SCHEME
from csro_core.store import migrations, open_store
from csro_core.store.archive import export_run, import_run
from csro_core.store.calls import typical_tokens
from csro_core.store.records import Caps


@pytest.fixture
def lease(store, run):
    return store.acquire(run, "me")


def sent(call):
    return replace(call, status="sent", answer="", tokens_in=0, tokens_out=0, usd=None)


def test_a_failed_or_lost_call_keeps_its_row_when_the_same_is_asked_again(store, run, lease, make):
    call = make.call("k", usd=0.25)
    first = lease.put_call(sent(call))
    lease.put_call(replace(call, status="failed", reason="truncated", message="cut off", usd=0.1), first)
    second = lease.put_call(sent(call))
    assert second != first
    lease.discard_unfinished()
    third = lease.put_call(sent(call))
    lease.put_call(call, third)
    assert [row.status for row in store.calls(run)] == ["failed", "possibly billed", "answered"]
    assert lease.answered("k") == call
    assert store.calls(run, iteration=call.iteration) == store.calls(run)
    assert store.calls(run, iteration=call.iteration + 1) == []


def test_an_answer_that_comes_after_its_call_was_given_up_is_kept(store, run, lease, make):
    call = make.call("k", usd=0.25)
    number = lease.put_call(sent(call))
    lease.discard_unfinished()
    lease.put_call(call, number)
    assert store.calls(run) == [call]


def test_instant_models_leave_no_calls_of_an_unfinished_iteration(store, run, lease, make):
    kept = replace(make.call("free local model"), prompt="words")
    for call in (kept, replace(make.call("synthesiser"), prompt=""), replace(make.call("recording"), cached=True)):
        lease.put_call(call)
    lease.discard_unfinished()
    assert store.calls(run) == [kept]


def test_reuse_is_counted_and_priced(store, run, lease, make):
    lease.put_call(make.call("k", usd=0.25))
    lease.put_call(make.call("unpriced", usd=None))
    for key in ("k", "k", "unpriced", "nobody"):
        lease.count_reuse(key)
    priced, unpriced = store.calls(run)
    assert (priced.reused, priced.saved_usd) == (2, 0.5)
    assert (unpriced.reused, unpriced.saved_usd) == (1, 0.0)
    (total,) = store.call_totals(run)
    assert (total.reused, total.saved_usd, total.saved_unpriced) == (3, 0.5, 1)
    assert store.run(run).usd is None


def test_totals_by_model(store, run, lease, make):
    other = replace(make.call("c", usd=None), model="other")
    lease.put_call(replace(make.call("a", usd=0.5), tokens_cached=4, tokens_thinking=3))
    lease.put_call(other)
    lease.put_call(replace(make.call("b", usd=0.25), status="failed"))
    lease.put_call(replace(other, key="d", status="failed", tokens_in=0, tokens_out=0))
    lease.put_call(replace(other, key="e", status="possibly billed", tokens_in=0, tokens_out=0))
    lease.count_reuse("a")
    first, second = store.call_totals(run)
    assert (first.model, first.calls, first.failed, first.usd, first.unpriced) == ("synthesiser", 2, 1, 0.75, 0)
    assert (first.tokens_in, first.tokens_out, first.tokens_cached, first.tokens_thinking) == (20, 40, 4, 3)
    assert (first.reused, first.saved_usd, first.seconds) == (1, 0.5, 1.0)
    assert (second.calls, second.failed, second.possibly_billed, second.unpriced, second.usd) == (3, 1, 1, 2, 0.0)
    assert store.call_totals("nobody") == []


def test_answers_are_found_by_what_was_asked(store, run, lease, make):
    lease.put_call(replace(make.call("a"), request_key="asked", answer="old"))
    lease.put_call(replace(make.call("b"), request_key="asked", answer="new"))
    lease.put_call(replace(make.call("c"), request_key="failed", status="failed"))
    lease.put_call(make.call("without"))
    found = store.answers(run)
    assert [found.find(key) for key in ("asked", "failed", "other", "")] == ["new", None, None, None]
    assert store.answers("another").find("asked") is None


def test_typical_tokens_are_the_mean_of_all_answers(store, run, lease, make):
    assert typical_tokens(store.connections, "synthesiser") is None
    lease.put_call(make.call("a"))
    lease.put_call(replace(make.call("b"), tokens_in=30, tokens_out=60))
    lease.put_call(replace(make.call("c"), tokens_in=99, status="failed"))
    assert typical_tokens(store.connections, "synthesiser") == (20.0, 40.0)


def test_caps_change_and_nothing_else(store, run, lease, make):
    lease.set_caps(Caps(usd=1.5, calls=3))
    assert store.run(run).settings == replace(make.settings, seed_scheme=SCHEME, caps=Caps(1.5, None, 3, None))


def test_a_store_of_version_1_keeps_its_calls_and_attempts(tmp_path, make):
    path = tmp_path / "old.sqlite"
    script = files("csro_core.store").joinpath("schema.sql").read_text(encoding="utf-8")
    migrations.prepare(path, (script,))
    settings = json.dumps({"game": {"name": "repeated_rps", "parameters": {}}, "seed": 3})
    with contextlib.closing(sqlite3.connect(path)) as old:
        old.execute(
            "INSERT INTO runs (id, name, settings, game_key, status, message, target, created) "
            "VALUES ('r', 'old', ?, 'g', 'done', '', 1, 0)",
            (settings,),
        )
        for number, status in enumerate(("answered", "failed"), 1):
            old.execute(
                "INSERT INTO calls VALUES (?, 'r', ?, 1, 0, 'm', ?, 'p', 'words', 1, 2, 0.5, 0.1)",
                (number, f"k{number}", status),
            )
        old.execute(
            "INSERT INTO attempts VALUES ('r', 1, 0, '', 'refine', '', NULL, 'no-answer', '', NULL, NULL, NULL, '[]', "
            "0, '')"
        )
        old.commit()
    store = open_store(path)
    answered, failed = store.calls("r")
    assert (answered.answer, answered.message, answered.usd, answered.reused) == ("words", "", 0.5, 0)
    assert (failed.answer, failed.message, failed.reason) == ("", "words", "")
    (attempt,) = store.attempts("r")
    assert (attempt.operator, attempt.mate, attempt.island) == ("refine", None, None)
    assert store.run("r").settings.caps == Caps()
    lease = store.acquire("r", "me")
    lease.put_call(make.call("k1"))  # a key is no longer unique
    assert len(store.calls("r")) == 3
    store.close()


def rewritten(path, change):
    with zipfile.ZipFile(path) as archive:
        texts = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(texts["run.json"])
    change(document)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (texts | {"run.json": json.dumps(document).encode()}).items():
            archive.writestr(name, data)


def test_an_archive_of_version_1_is_read(store, run, lease, make, tmp_path):
    lease.put_call(make.call("k"))
    lease.release("done", "")
    export_run(store, run, tmp_path / "run.zip")

    def older(document):
        for name in ("caps", "context", "opponents"):
            del document["settings"][name]
        for name in ("tokens_cached", "reason", "message", "identity", "request_key", "task", "cached", "reused"):
            del document["calls"][0][name]

    rewritten(tmp_path / "run.zip", older)
    assert store.calls(import_run(store, tmp_path / "run.zip")) == [make.call("k")]


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document["calls"][0].update(usd=-1.0),
        lambda document: document["calls"][0].update(tokens_out=-5),
        lambda document: document["settings"].update(caps={"usd": 0.0}),
        lambda document: document["settings"].update(caps={"dollars": 1.0}),
        lambda document: document["settings"].update(caps=7),
        lambda document: document["settings"].update(caps={"calls": 2**62}),
        lambda document: document["calls"].append(7),
    ],
)
def test_senseless_calls_and_caps_are_refused(store, run, lease, make, tmp_path, change):
    lease.put_call(make.call("k"))
    lease.release("done", "")
    export_run(store, run, tmp_path / "run.zip")
    rewritten(tmp_path / "run.zip", change)
    with pytest.raises(UsageError, match=r"run\.zip"):
        import_run(store, tmp_path / "run.zip")
    assert len(store.runs()) == 1
