"""The tour, the help and the glossary by AppTest; where a step leads is followed through the address."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from app import words as vocabulary
from app.address import KEYS
from app.panels import guide
from app.services import ASSETS, PROJECT
from app.snapshot import snapshot_of
from app.tour_steps import facts_of, places, steps
from csro_core.store import open_store
from csro_core.store.archive import import_run
from csro_core.store.records import RunSettings
from tests.app.app_pages import app, html, run_id, words
from tests.app.fake_run import add_wide_run, numbered_texts

COURSE = steps(frozenset({"compare"}))


@pytest.fixture
def demos(store, tmp_path, monkeypatch):
    """A store with nothing but demo runs, the one of the tour not the newest."""
    path = tmp_path / "demos.sqlite"
    monkeypatch.setenv("CSRO_STORE", str(path))
    found = open_store(path)
    for name in ("demo-3-rps", "demo-1-matrix"):
        import_run(found, ASSETS / f"{name}.zip")
    return found


def said(test: AppTest) -> str:
    """Returns the title of the card, "" where there is none."""
    titles = re.findall(r'role="status">(.*?)</p>', html(test))
    return titles[0] if titles else ""


def keys(test: AppTest) -> set[str]:
    """Returns the keys of the buttons."""
    return {button.key for button in test.button}


def query(test: AppTest, key: str) -> str:
    """Returns what the address says, as a plain text."""
    value = test.query_params.get(key, "")
    return value[0] if isinstance(value, list) else value


def test_the_tour_is_offered_over_demo_runs_alone(demos):
    assert "tour_start" in keys(app())
    demos.create_run("mine", RunSettings(demos.runs()[0].settings.game), 0)
    assert "tour_start" not in keys(app())


def test_no_thanks_is_kept_over_a_reload_and_the_button_still_starts_it(demos):
    test = app()
    test.button(key="tour_no").click().run()
    assert "tour_start" not in keys(test)
    again = app(tour=query(test, "tour"))
    assert "tour_start" not in keys(again)
    again.button(key="tour_button").click().run()
    assert "step 1 of 5" in said(again)


def test_it_opens_the_demo_run_and_leads_over_five_pages_and_back(demos):
    test = app()
    test.button(key="tour_start").click().run()
    rps = run_id(demos, "demo: repeated rock-paper-scissors")
    for number, step in enumerate(COURSE, start=1):
        assert not test.exception
        assert f"step {number} of 5" in said(test)
        assert step.title in said(test)
        assert query(test, "run") == rps
        assert query(test, "tour") == str(number)
        assert test.button(key="tour_back").disabled == (number == 1)
        if number < 5:
            test.button(key="tour_next").click().run()
    test.button(key="tour_back").click().run()
    assert "step 4 of 5" in said(test)
    heaviest = facts_of(snapshot_of(rps)).heaviest
    assert query(test, "row") == heaviest.policy.hash[:12]
    test.button(key="tour_end").click().run()
    assert said(test) == ""
    assert query(test, "tour") == "off"


def test_what_it_says_is_true_of_the_demo_run(demos):
    test = app(run=run_id(demos, "demo: repeated rock-paper-scissors"), tour="1")
    shown = words(test).replace("\\", "")
    for part in ("8 iterations of repeated rock-paper-scissors", "9 programs at the start", "3 that joined later"):
        assert part in shown
    assert re.search(r"won from sigma: 87\d at first, 1[67] in the end", shown), shown


def test_a_link_to_another_page_says_where_the_step_is(demos):
    test = app(tour="3")
    assert "tour_next" not in keys(test)
    test.button(key="tour_there").click().run()
    assert "Meta-game" in said(test)
    assert "tour_next" in keys(test)


@pytest.mark.parametrize("number", ["0", "6", "x", "1e3"])
def test_a_step_that_is_none_is_no_step(store, number):
    assert said(app(tour=number)) == ""


def test_the_last_step_ends_with_the_form_of_a_new_run(demos):
    test = app("views/compare.py", tour="5")
    test.button(key="tour_new_run").click().run()
    assert said(test) == ""
    assert test.session_state["new_run_wanted"]


def test_every_step_is_about_any_run(store):
    hostile = add_wide_run(store, "hostile", numbered_texts(2), ["[x](http://evil.example)", "<b>*"])
    for name in ("demo rps", "demo matrix", "hostile"):
        facts = facts_of(snapshot_of(run_id(store, name)))
        for step in COURSE:
            assert step.about(facts)
            assert "[x](http" not in step.about(facts)
    empty = store.create_run("empty", RunSettings(store.run(hostile).settings.game), 1)
    assert facts_of(snapshot_of(empty)) is None
    assert "step 2 of 5" in said(app("views/policies.py", run=empty, tour="2"))


def test_two_populations_meet_across_the_table(store):
    snapshot = snapshot_of(run_id(store, "demo matrix"))
    named = places(COURSE[3], facts_of(snapshot))
    assert snapshot.find(named["row"], 0).player == 0
    assert snapshot.find(named["column"], 1).player == 1


def test_without_the_page_compare_the_benchmark_is_shown():
    assert [step.page for step in steps(frozenset())] == ["", "policies", "metagame", "matches", "benchmark"]
    assert all((PROJECT / "app" / step.file).is_file() for step in (*steps(frozenset()), *COURSE))
    assert "tour" in KEYS


def test_help_lists_the_keys_and_every_page(store):
    test = app()
    test.button(key="help_button").click().run()
    for key in guide.SHORTCUTS:
        assert f"<kbd>{key}</kbd>" in html(test)
    for title in ("Run", "Policies", "Meta-game", "Matches", "Benchmark", "Model calls"):
        assert f"- **{title}**: " in words(test)
    test.button(key="tour_from_help").click().run()
    assert "step 1 of 5" in said(test)


def test_the_key_opens_the_help(store):
    test = app()
    test.session_state["help_key"] = {"pressed": True}
    test.run()
    assert "tour_from_help" in keys(test)


def test_the_glossary_is_searched_in_words_and_meanings(store):
    test = app()
    test.text_input(key="glossary_search").set_value("NEMESIS").run()
    shown = next(element.value for element in test.sidebar.markdown if "**nemesis**" in element.value)
    assert "**PopExpl**" in shown
    assert "**policy**" not in shown
    test.text_input(key="glossary_search").set_value("*zzz*").run()
    assert any("No word of the glossary holds" in element.value for element in test.sidebar.caption)


def test_the_glossary_has_the_words_of_readme_and_issue():
    wanted = {
        "gap", "gain", "lift", "tau", "target", "champion", "held-out", "common pool", "baseline", "budget",
        "cross-play", "joint population", "human edit", "tag", "archive", "bin", "AggScore", "PopReturn", "PopExpl",
        "effective diversity", "variant", "experiment", "evaluation solver", "paired difference",
    }  # fmt: skip
    table = (PROJECT / "README.md").read_text(encoding="utf-8").partition("## How to read the numbers")[2]
    named = re.findall(r"^\| \*\*(.*?)\*\* \|", table, re.MULTILINE)
    assert len(named) > 8
    wanted |= {word for cell in named for word in cell.split(", ")}
    assert wanted - set(vocabulary.WORDS) == set()
    assert sum(len(found) for found in vocabulary.SUBJECTS.values()) == len(vocabulary.WORDS), "a word stands twice"
    assert all(text.endswith(".") for text in vocabulary.WORDS.values())
