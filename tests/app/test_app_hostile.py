"""Bad and hostile input, wherever a person, a model or a link can put it: never a traceback, one sentence instead."""

import time

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app import services
from app.panels import edit, stages
from csro_core.errors import StoreError
from csro_core.games.base import GameSpec
from csro_core.store.records import RunSettings
from tests.app.app_pages import SHELL, app, figures, html, run_id, words
from tests.app.fake_run import add_wide_run, numbered_texts

PAGES = ("", "views/policies.py", "views/metagame.py", "views/matches.py", "views/benchmark.py", "views/calls.py")
SCRIPT = "</style><script>alert(1)</script><img src=x onerror=alert(1)>"
NAMES = (
    SCRIPT,
    "**bold** [link](http://evil.example) :red[red] $x^2$ `code` &lt;b&gt;",
    "🎲🃏 naïve 名前",
    "x" * 100,
    "=cmd|'/c calc'!A1",
    "../../etc/passwd",
)
TEXTS = {
    "random bytes": bytes(np.random.default_rng(5).integers(0, 256, 3000, dtype=np.uint8)).decode("latin-1"),
    "a megabyte in a line": "x = 1 # " + "y" * 1_000_000,
    "a megabyte of lines": "x = 1\n" * 170_000,
    "many blank lines": "\n" * 30_000,
    "script": f'class Policy:\n    """{SCRIPT}"""\n    def act(self, obs):\n        return "{SCRIPT}"\n',
    "null bytes": "class Policy:\x00\n    pass\x00\n",
    "windows": "class Policy:\r\n\tdef act(self, obs):\r\n\t\treturn 0\r\n",
    "odd line ends": "a = 1\x0bb = 2\x0cc = 3\x85d = 4\u2028e = 5\u2029f = 6\r",
    "right to left": "# \u202eevil\u202c\nclass Policy: pass\n",
    "empty": "",
}


def clean(test: AppTest) -> None:
    """Fails where anything of a hostile name or text would be taken for HTML."""
    for place in (html(test), words(test)):
        assert "<script" not in place
        assert "<img" not in place


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("name", NAMES)
def test_names_of_runs_and_policies_are_letters(store, name, page):
    run = add_wide_run(store, name, numbered_texts(3), [name, f"{name[:90]} 1", f"{name[:90]} 2"])
    clean(app(page, run=run))


def test_markdown_in_a_name_is_not_markdown(store):
    run = store.create_run(NAMES[1], RunSettings(GameSpec("repeated_rps")), 1)
    shown = app("views/policies.py", run=run).subheader[0].value
    assert "**bold**" not in shown
    assert "](http" not in shown
    assert r"\&lt" in shown


@pytest.mark.parametrize("tab", ["Code", "Diff", "Edit", "Lineage", "Prompt"])
@pytest.mark.parametrize("kind", list(TEXTS))
def test_any_text_of_a_policy_can_be_looked_at(store, kind, tab):
    run = add_wide_run(store, "hostile", [*numbered_texts(2), TEXTS[kind]], seeds=2)
    began = time.monotonic()
    test = app("views/policies.py", run=run, policy=store.members(run)[2].policy.hash, tab=tab)
    assert time.monotonic() - began < 20
    clean(test)
    assert sum(len(element.value) for element in test.html) < 3_000_000
    if kind.startswith("a megabyte") and tab == "Code":
        assert "more characters are not shown" in html(test)


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("", {"run": "../../x"}),
        ("", {"run": "\x00"}),
        ("", {"run": "a" * 10_000}),
        ("", {"iteration": "-5"}),
        ("", {"iteration": "1e9"}),
        ("", {"iteration": "9" * 5000}),
        ("", {"iteration": "٣"}),
        ("", {"iteration": "²"}),
        ("", {"embed": "true", "unknown": SCRIPT}),
        ("views/policies.py", {"policy": "zzz"}),
        ("views/policies.py", {"policy": "%' OR 1=1 --"}),
        ("views/policies.py", {"policy": "0"}),
        ("views/policies.py", {"policy": "", "player": "7"}),
        ("views/policies.py", {"player": "-1", "run": "none"}),
        ("views/policies.py", {"tab": "Nonsense"}),
        ("views/calls.py", {"call": "0"}),
        ("views/calls.py", {"call": SCRIPT}),
        ("views/policies.py", {"tab": SCRIPT}),
        ("views/matches.py", {"row": "zzz", "column": "<b>"}),
        ("views/matches.py", {"episode": "9" * 5000}),
        ("views/matches.py", {"episode": "0"}),
        ("views/matches.py", {"episode": "99"}),
    ],
)
def test_garbage_in_the_address_falls_back(store, page, query):
    known = {"run": run_id(store, "demo rps")}
    clean(app(page, **(known | query)))


def test_a_run_or_policy_that_is_not_there_is_said(store):
    assert "There is no run “nonsense”" in words(app(run="nonsense"))
    missing = app("views/policies.py", run=run_id(store, "demo rps"), policy="f00f00")
    assert "has no policy “f00f00”" in words(missing)


@pytest.mark.parametrize("count", [1, 2, 60])
@pytest.mark.parametrize("page", PAGES)
def test_a_population_of_any_size_is_shown(store, count, page):
    run = add_wide_run(store, "wide", numbered_texts(count))
    test = app(page, run=run)
    if not page:
        assert len(figures(test)[0]["data"][0]["customdata"]) == count


@pytest.mark.parametrize("page", PAGES)
def test_a_large_matrix_is_shown(store, page):
    rows = np.arange(2500.0).reshape(50, 50).tolist()
    run = store.create_run("fifty", RunSettings(GameSpec("matrix", {"payoffs": rows})), 1)
    assert "50 x 50" in html(app(page, run=run)) or page


def matrix_form(text: str) -> AppTest:
    test = AppTest.from_file(SHELL, default_timeout=60)
    test.session_state["new_run_wanted"] = True
    test.run()
    test.selectbox(key="new_game").set_value("matrix").run()
    test.selectbox(key="new_matrix").set_value("another matrix (paste or upload)").run()
    return test.text_area(key="new_matrix_text").set_value(text).run()


@pytest.mark.parametrize(
    "text",
    [
        "", "\n\n", ",", "1,2\n3", "nan", "inf, 1\n1, 2", "1e999", "1e308, -1e308", "a, b\nc, d", "1;2,3", "\x00",
        "1" * 10_000, "0," * 5000, "0\n" * 5000, SCRIPT, "1 2\n3 4", "１,２\n３,４x", "0x10, 1\n1, 0", "1_0,\n2,3",
    ],
)  # fmt: skip
def test_a_bad_matrix_is_one_sentence(store, text):
    test = matrix_form(text)
    assert not test.exception
    assert len(test.error) == 1
    assert len(test.error[0].value) < 400
    assert test.button(key="create_disabled").disabled


def test_a_large_matrix_can_be_pasted(store):
    test = matrix_form("\n".join(", ".join(str(row - column) for column in range(50)) for row in range(50)))
    assert not test.exception
    assert not test.error
    test.button(key="create").click().run()
    assert not test.exception


@pytest.mark.parametrize("name", ["x" * 10_000, "a\x00b", "a\nb", "\u202e", "demo rps"])
def test_a_bad_name_of_a_run_is_one_sentence(store, name):
    before = len(store.runs())
    test = AppTest.from_file(SHELL, default_timeout=60)
    test.session_state["new_run_wanted"] = True
    test.run()
    test.text_input(key="new_name").set_value(name).run()
    test.button(key="create").click().run()
    assert not test.exception
    if len(name) > 100:  # Streamlit itself holds the field at its limit
        assert len(store.runs()[0].name) <= 100
        return
    assert len(test.error) == 1
    assert len(store.runs()) == before


@pytest.fixture
def readonly(store, monkeypatch):
    """The demo store, from now on as on a read-only disk."""
    services.store().runs()

    def refuse():
        raise StoreError("store s: it is read-only: make the file and its folder writable")

    monkeypatch.setattr(services.store().connections, "writing", refuse)
    return store


@pytest.mark.parametrize("page", PAGES)
def test_a_store_that_became_read_only_can_still_be_read(readonly, page):
    assert "read-only" not in words(app(page, run=run_id(readonly, "demo rps")))


def test_a_step_on_a_read_only_store_says_so(readonly):
    test = app(run=run_id(readonly, "demo rps"))
    test.button(key="step").click().run()
    assert not test.exception
    assert "it is read-only" in test.text[0].value


def test_a_draft_that_cannot_be_kept_says_so(readonly):
    run = run_id(readonly, "demo rps")
    policy = readonly.members(run)[-1].policy
    assert "it is read-only" in edit._save(run, policy, "changed")


def test_a_run_cannot_be_made_in_a_read_only_store_and_the_form_says_so(readonly):
    test = AppTest.from_file(SHELL, default_timeout=60)
    test.session_state["new_run_wanted"] = True
    test.run()
    test.button(key="create").click().run()
    assert not test.exception
    assert "read" in test.error[0].value


def test_a_process_that_cannot_be_started_is_one_sentence(store, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setenv("CSRO_STORE", str(store.path))
    monkeypatch.setattr(services, "_spawned", {})

    def fail(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(services.subprocess, "Popen", fail)
    test = app(run=run_id(store, "demo rps"))
    test.button(key="step").click().run()
    assert not test.exception
    assert "could not (Permission denied)" in test.text[0].value


def test_a_store_that_cannot_be_read_for_a_moment_does_not_break_the_live_panel(store, monkeypatch):
    run = run_id(store, "demo rps")

    def fail(_):
        raise StoreError("store s: another program keeps it locked")

    monkeypatch.setattr(services, "keep_waiting_served", fail)
    test = app(run=run)
    assert "keeps it locked" in test.warning[0].value


def test_two_texts_that_are_the_same_can_both_be_members(store):
    source = numbered_texts(1)[0]
    run = add_wide_run(store, "twins", numbered_texts(2))
    lease = store.acquire(run, "test")
    members = store.members(run)
    for place in (2, 3):
        lease.add_member(
            type(members[0])(0, place, members[1].policy, f"twin{place}", "human", members[0].policy.hash, 0)
        )
    lease.release("done")
    assert source
    app("views/policies.py", run=run, policy=members[0].policy.hash, tab="Lineage")


def test_windows_line_ends_are_no_change_of_the_text(store):
    policy = store.members(run_id(store, "demo rps"))[0].policy
    windows = type(policy)(policy.hash, "", "a\r\nb\rc\n", "", 3)
    assert not edit.is_changed("a\nb\nc\n", windows)
    assert edit.is_changed("a\nb\nc", windows)


def test_what_a_dead_process_left_behind_is_not_shown_as_live(store):
    run = run_id(store, "demo rps")
    lease = store.acquire(run, "test")
    left = {"iteration": 5, "stages": [{"name": "solve", "state": "now"}], "bar": [7, 9], "paused": None}
    lease.set_progress(left)
    lease.release("done")
    test = app(run=run)
    assert "Nothing is under way" in html(test)
    assert "solve meta-game" not in html(test)
    assert "7/9" not in html(test)


@pytest.mark.parametrize("bar", [None, [9, 9], [0, 0], [3], "x", [-1, 4]])
def test_a_bar_that_is_full_or_broken_is_not_drawn(bar):
    assert stages.meter(bar) == ""


@pytest.mark.parametrize(("kind", "words_"), [("check", "checking"), ("score", "scoring"), ("add", "adding")])
@pytest.mark.parametrize("page", PAGES)
def test_work_on_an_edit_shows_while_the_run_is_idle(store, page, kind, words_):
    run = run_id(store, "demo rps")
    request = store.add_request(run, kind, {"text": "x"})
    lease = store.acquire(run, "test")
    lease.answer(request, "working", {})
    lease.set_progress({"stages": [{"name": "solve", "state": "now"}], "bar": [3, 12]})
    test = app(page, run=run)
    assert f"{words_} an edit …" in html(test)
    assert not test.button(key="stop").disabled
    assert not test.button(key="step").disabled
    if not page:
        assert "3/12 matches" in html(test)
        assert "solve meta-game" not in html(test)
    lease.answer(request, "done", {})
    assert f"{words_} an edit" not in html(app(page, run=run))
    lease.release("done")


def test_an_edit_whose_worker_was_killed_is_not_under_way_and_a_refresh_says_what_happened(store):
    run = run_id(store, "demo rps")
    policy = store.members(run)[-1].policy
    request = store.add_request(run, "score", {"text": policy.source, "parent": policy.hash, "player": 0})
    lease = store.acquire(run, "test")
    lease.answer(request, "working", {})
    with store.connections.writing() as connection:
        connection.execute("UPDATE leases SET heartbeat = heartbeat - 60")
    test = app("views/policies.py", may_complain=True, run=run, policy=policy.hash[:12], tab="Edit")
    assert "the process that worked on this has died" in test.error[0].value
    assert not test.button(key="score").disabled
    assert "scoring an edit" not in html(test)


def test_a_refresh_takes_up_the_question_that_is_still_open(store):
    run = run_id(store, "demo rps")
    policy = store.members(run)[-1].policy
    request = store.add_request(run, "score", {"text": policy.source, "parent": policy.hash, "player": 0})
    test = app("views/policies.py", run=run, policy=policy.hash[:12], tab="Edit")
    assert test.button(key="score").disabled
    lease = store.acquire(run, "test")
    lease.answer(request, "done", {
        "ok": True, "problems": [], "payoffs": [], "versus_parent": None, "verdict": "cannot tell yet",
        "versus_sigma": {"mean": 7.0, "stderr": 1.0, "episodes": 8}, "sigma_if_added": {"weight": 0.5},
    })  # fmt: skip
    lease.release("done")
    test.run()
    assert "against sigma: <b>+7 ± 2</b>" in html(test)
    assert not test.button(key="score").disabled


def test_a_text_in_both_populations_is_edited_for_the_player_it_was_opened_for(store):
    run = run_id(store, "demo matrix")
    shared = next(member.policy.hash for member in store.members(run) if member.name == "first_action")
    for player in (0, 1):
        test = app("views/policies.py", run=run, policy=shared[:12], player=str(player), tab="Edit")
        assert f"seed, player {player}, added" in html(test)
        test.button(key="score").click().run()
        assert store.requests(run, "score")[0].payload["player"] == player
