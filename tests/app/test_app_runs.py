"""The Runs page by AppTest: find, label, resume, repeat, archive, delete and take back."""

import pytest

from app.panels import new_run_start, run_list
from csro_core.games.base import GameSpec
from csro_core.seeds import SCHEME, Seed
from csro_core.store.labels import RunLabels
from csro_core.store.records import RunSettings
from tests.app.app_pages import app, html, run_id, words
from tests.app.fake_run import policy_text

PAGE = "views/runs.py"
EVIL = "</style><script>alert(1)</script> [x](http://evil.example)"


@pytest.fixture
def labels(store):
    return RunLabels(store.connections, store.clock)


@pytest.fixture
def run(store):
    return run_id(store, "demo rps")


def names(test):
    return list(test.dataframe[0].value["name"])


def key_of(test, kind, beginning):
    return next(one.key for one in getattr(test, kind) if str(one.key).startswith(beginning))


def test_the_table_has_every_run_with_its_settings(store, run, labels):
    labels.set_tags(run, ["baseline", "x"])
    test = app(PAGE)
    table = test.dataframe[0].value.set_index("name")
    assert set(table.index) == {"demo rps", "demo matrix"}
    row = table.loc["demo rps"]
    assert row["status"] == "✓ done"
    assert (row["oracle"], row["done"], row["wanted"], row["seed"]) == ("linear-refinement", 4, 4, "0")
    assert row["last gain"] == 22.5
    assert list(row["tags"]) == ["baseline", "x"]
    assert table.loc["demo matrix"]["exploitability"] == 0.0
    assert "2 of 2 runs" in words(test)


def test_search_and_filters_stand_in_the_address(store, run, labels):
    labels.set_note(run, "about seeds")
    test = app(PAGE)
    test.text_input(key="runs_find").set_value("SEEDS done").run()
    assert names(test) == ["demo rps"]
    assert test.query_params["find"] in ("SEEDS done", ["SEEDS done"])
    assert names(app(PAGE, game="matrix")) == ["demo matrix"]
    assert names(app(PAGE, oracle="linear-refinement,best-of-n", sort="name")) == ["demo matrix", "demo rps"]
    test = app(PAGE, find="nothing like it", status="failed")  # a status that no run has is no filter
    assert not test.dataframe
    test.button(key="runs_show_all").click().run()
    assert len(names(test)) == 2
    assert "find" not in test.query_params


def test_archived_runs_are_shown_where_wanted_and_left_out_of_the_picker(store, run, labels):
    other = run_id(store, "demo matrix")
    labels.archive(run)
    test = app(PAGE, run=other)
    assert names(test) == ["demo matrix"]
    assert len(test.selectbox(key="run_picker").options) == 1
    test.toggle(key="runs_archived").set_value(True).run()
    assert list(test.dataframe[0].value["status"]) == ["✓ done · archived", "✓ done"]
    assert len(app(PAGE, run=run).selectbox(key="run_picker").options) == 2  # it is open
    assert app(PAGE).query_params["run"] in (other, [other])


def test_one_run_is_renamed_tagged_and_noted(store, run):
    test = app(PAGE, picked=run)
    test.text_input(key=key_of(test, "text_input", "runs_name-")).set_value("better")
    test.text_area(key=key_of(test, "text_area", "runs_note-")).set_value("why <b>")
    test.multiselect(key=key_of(test, "multiselect", "runs_tags-")).set_value(["a b"])
    test.button(key="runs_save").click().run()
    record = store.run(run)
    assert (record.name, record.note, record.tags) == ("better", "why <b>", ("a b",))
    assert not test.exception
    test.text_input(key=key_of(test, "text_input", "runs_name-")).set_value("demo matrix")
    test.button(key="runs_save").click().run()
    assert "the name of a run must be new" in test.error[0].value
    assert store.run(run).name == "better"


def test_deleting_asks_first_and_can_be_undone(store, run):
    test = app(PAGE, picked=run, run=run)
    test.button(key="runs_delete").click().run()
    assert len(store.runs()) == 2
    test.button(key="runs_sure").click().run()
    assert [record.name for record in store.runs()] == ["demo matrix"]
    assert not test.exception
    assert not test.warning  # the open run is gone: another is shown without a word about links
    test.button(key="runs_undo").click().run()
    assert len(store.runs()) == 2
    assert not test.exception


def test_the_question_can_be_declined(store, run):
    test = app(PAGE, picked=run)
    test.button(key="runs_delete").click().run()
    test.button(key="runs_cancel").click().run()
    assert len(store.runs()) == 2
    assert "runs_sure" not in {button.key for button in test.button}


def test_a_run_that_is_worked_on_says_why_it_stays(store, run):
    store.acquire(run, "runner, pid 7")
    test = app(PAGE, picked=run)
    test.button(key="runs_delete").click().run()
    test.button(key="runs_sure").click().run()
    assert "works on it" in test.error[0].value
    assert len(store.runs()) == 2


def test_the_bin_gives_back_and_deletes_for_good(store, run, labels):
    other = run_id(store, "demo matrix")
    for one in (run, other):
        labels.put_into_bin(one)
    test = app(PAGE, bin="1")
    assert "There is no run yet" in [header.value for header in test.subheader]
    table = next(frame for frame in test.dataframe if "deleted" in frame.value)
    assert set(table.value["name"]) == {"demo rps", "demo matrix"}
    places = {name: place for place, name in enumerate(table.value["name"])}

    def select(place):
        ids = tuple(record.id for record in store.bin())
        test.session_state[f"runs_bin_table-{hash(ids)}"] = {"selection": {"rows": [place], "columns": [], "cells": []}}
        test.run()

    select(places["demo rps"])
    test.button(key="runs_take_back").click().run()
    assert [record.id for record in store.runs()] == [run]
    select(0)
    test.button(key="runs_erase").click().run()
    assert store.bin()
    test.button(key="runs_sure").click().run()
    assert store.bin() == []
    assert not test.exception


def test_stopped_runs_offer_to_go_on(store, run, monkeypatch):
    asked = []
    monkeypatch.setattr("app.services.ask", lambda run, kind, payload: asked.append((run, kind, payload)))
    assert "runs_resume" not in {button.key for button in app(PAGE, picked=run).button}
    store.acquire(run, "me").release("stopped", "somebody asked for it")
    test = app(PAGE, picked=run)
    assert "somebody asked for it" in html(test)
    test.button(key="runs_resume").click().run()
    assert asked == [(run, "run", {"iterations": 5})]


def test_several_are_tagged_archived_and_deleted_together(store, run, labels):
    other = run_id(store, "demo matrix")
    labels.set_tags(other, ["old"])
    test = app(PAGE, picked=f"{run}.{other}")
    test.text_input(key="runs_new_tag").set_value("both").run()
    test.button(key="runs_add_tag").click().run()
    assert (store.run(run).tags, store.run(other).tags) == (("both",), ("old", "both"))
    test.button(key="runs_archive").click().run()
    assert all(record.archived for record in store.runs())
    test = app(PAGE, picked=f"{run}.{other}", archived="1")
    test.button(key="runs_delete").click().run()
    test.button(key="runs_sure").click().run()
    assert store.runs() == []
    assert not test.exception


def test_comparing_names_the_runs_in_the_address(store, run):
    other = run_id(store, "demo matrix")
    test = app(PAGE, picked=f"{run}.{other}")
    test.button(key="runs_compare").click().run()
    named = test.query_params["runs"]
    assert set((named[0] if isinstance(named, list) else named).split(".")) == {run, other}


def test_the_selection_of_a_row_is_named_in_the_address(store):
    test = app(PAGE)
    ids = [record.id for record in store.runs()]
    assert run_list.picked(store.runs()) == []
    test.session_state[f"runs_table-{hash(tuple(ids))}"] = {"selection": {"rows": [1], "columns": [], "cells": []}}
    test.run()
    assert not test.exception


def test_same_but_with_fills_the_form_in(store):
    own = policy_text("class Policy:\n    def act(self, obs):\n        return 1\n", "One.")
    settings = RunSettings(
        GameSpec("repeated_rps", {"num_throws": 321}), "best-of-n", "synthesiser", "uniform", seed=Seed("41"),
        target_mix=0.3, admit="always", attempts=7, initial=("reference:rock", f"policy:{own.hash}:mine"), episodes=12,
        context="summary", opponents="3", allocation="adaptive", payoff_stderr=2.5, eval_solver="nash",
    )  # fmt: skip
    run = store.create_run(EVIL, settings, 5, [own])
    test = app(PAGE, picked=run)
    test.button(key="runs_same").click().run()
    assert not test.exception
    assert "every finalist is admitted" in words(test).replace("\\", "")
    test.text_input(key="new_seed").set_value("42").run()
    test.button(key="create").click().run()
    assert not test.exception
    copy = store.runs()[0]
    assert copy.id != run
    assert copy.settings == RunSettings(**{**vars(settings), "seed": "42", "seed_scheme": SCHEME})
    assert copy.target == 5
    assert store.policies(copy.id) == [own]


def test_a_new_run_after_a_repeated_one_begins_with_the_usual_values(store, run):
    test = app(PAGE, picked=run)
    test.session_state["new_run_like"] = run
    test.button(key="new_run_button").click().run()
    assert test.number_input(key="new_iterations").value == 8
    assert new_run_start.of_run("gone0000").run is None


def test_hostile_names_tags_and_notes_stay_letters(store, run, labels):
    labels.rename(run, EVIL)
    labels.set_tags(run, ["<img src=x>", "**b**"])
    labels.set_note(run, EVIL)
    for test in (app(PAGE, picked=run), app(PAGE, picked=".".join(one.id for one in store.runs()))):
        assert "<script" not in html(test)
        assert "<script" not in words(test).replace("\\<", "")
        assert "](http" not in words(test)
    labels.put_into_bin(run)
    test = app(PAGE)
    test.session_state[run_list.BINNED] = [run]
    test.run()
    assert "](http" not in words(test)
    assert "In the bin:" in words(test)


def test_an_empty_store_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("CSRO_STORE", str(tmp_path / "empty.sqlite"))
    monkeypatch.setattr("app.services.ASSETS", tmp_path)
    (tmp_path / "style.css").write_text("/* */")
    test = app(PAGE)
    test.button(key="first_run").click().run()
    assert test.session_state["new_run_wanted"]
