"""The pages by AppTest: everything but what needs a browser."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from app.panels import attempts
from app.panels.curves import curves_csv, matrix_csv, settings_differences
from app.snapshot import curves, snapshot_of
from csro_core.games.base import GameSpec
from csro_core.policies.library import UNIFORM_NOTE
from csro_core.seeds import Seed
from csro_core.store import open_store
from csro_core.store.records import RunSettings
from tests.app.app_pages import SHELL, app, figures, html, run_id


def test_an_empty_store_says_what_to_do_and_has_the_button(tmp_path, monkeypatch):
    monkeypatch.setenv("CSRO_STORE", str(tmp_path / "empty.sqlite"))
    monkeypatch.setattr("app.services.ASSETS", tmp_path)
    (tmp_path / "style.css").write_text("/* */")
    test = app()
    assert any("no run yet" in header.value for header in test.subheader)
    test.button(key="first_run").click().run()
    assert test.session_state["new_run_wanted"]
    assert not test.exception


def test_the_header_says_what_is_played_by_whom_against_what(store):
    text = html(app(run=run_id(store, "demo rps")))
    for part in ("repeated rock-paper-scissors", "linear-refinement", "hand-written grammar, not an LLM",
                 "max-entropy-nash", "target: <b>sigma</b>", "iteration <b>4/4</b>", "$0.00"):  # fmt: skip
        assert part in text
    assert "value <b>" not in text
    assert "ε-equilibrium, ε = " in text
    assert "meta-game NashConv = " in text


def test_the_value_is_shown_where_symmetry_does_not_make_it_zero(store):
    assert "value <b>" in html(app(run=run_id(store, "demo matrix")))


def test_the_address_names_the_run_and_a_bad_one_falls_back(store):
    assert app(run="nonsense").query_params["run"] == [store.runs()[0].id] or (
        app(run="nonsense").query_params["run"] == store.runs()[0].id
    )


def test_the_heat_map_shows_payoffs_to_the_row_policy(store):
    test = app(run=run_id(store, "demo rps"))
    heat = figures(test)[0]["data"][0]
    assert heat["type"] == "heatmap"
    assert len(heat["customdata"]) == 12
    assert "payoff to the row policy" in html(test)


def test_the_slider_goes_back_to_the_population_of_then(store):
    test = app(run=run_id(store, "demo rps"))
    test.slider(key="iteration_slider").set_value(1).run()
    assert not test.exception
    assert len(figures(test)[0]["data"][0]["customdata"]) == 10
    assert "attempts of iteration 1" in html(test)
    assert test.query_params["iteration"] in ("1", ["1"])


def test_attempts_have_verdicts_reasons_and_whole_ideas(store):
    run = run_id(store, "demo rps")
    finished = store.iterations(run)[2]
    rows = [attempts.row(attempt, finished) for attempt in store.attempts(run, 3)]
    assert [row.cells[0] for row in rows] == ["refused", "no answer", "rejected"]
    assert rows[0].cells[-1] == "line 1: import of os is not allowed"
    assert rows[2].cells[2] == "Count what follows the last two throws, <b>then</b> beat it."
    assert "standard error" in rows[2].titles[4]
    assert [row.readable for row in rows] == [True, False, True]


def test_a_note_comes_after_the_reason_of_the_decision(store):
    run = run_id(store, "demo rps")
    finished = store.iterations(run)[2]
    note = "like r2 on the probe histories, differs from it first in act 17 of a match against r2"
    finalist = replace(store.attempts(run, 3)[2], message=note)
    assert attempts.row(finalist, finished).cells[-1] == f"{finished.message}; {note}"
    assert attempts.row(replace(finalist, verdict=""), finished).cells[-1] == note


def test_reading_an_attempt_opens_its_program(store):
    run = run_id(store, "demo rps")
    test = app(run=run, iteration="3")
    test.session_state["attempts"] = {"read": 0}
    test.run()
    assert not test.exception
    assert "not a member of a population" in html(test)


def test_rows_by_sigma_begin_with_the_heaviest(store):
    test = app(run=run_id(store, "demo rps"))
    test.segmented_control(key="order").set_value("by sigma").run()
    bars = figures(test)[0]["data"][1]
    assert max(bars["customdata"][:1]) == "r4"


def test_curves_stand_on_the_same_axis(store):
    known = curves(snapshot_of(run_id(store, "demo rps")))
    assert [gain.finished for gain in known.gains] == [0, 1, 2, 3]
    assert [gain.found for gain in known.gains] == [True, True, False, True]
    assert [gap.finished for gap in known.gaps] == [0, 1, 2, 3, 4]
    assert known.gaps[0].value > known.gaps[-1].value
    matrix = curves(snapshot_of(run_id(store, "demo matrix")))
    assert [(point.value, point.proven) for point in matrix.exact] == [(1.0, True), (1.0, True), (0.0, True)]


def test_downloads_hold_every_cell_and_every_point(store):
    snapshot = snapshot_of(run_id(store, "demo rps"))
    assert len(matrix_csv(snapshot).splitlines()) == 1 + 12 * 12
    assert "gap with hindsight" in curves_csv(curves(snapshot))


def test_policies_page_shows_code_and_bars(store):
    test = app("views/policies.py", run=run_id(store, "demo rps"))
    assert "class=\"csro-code\"" in html(test)
    assert "<script" not in html(test)
    assert "oracle, added after iteration" in html(test)
    assert figures(test)[0]["data"][0]["type"] == "bar"


@pytest.mark.parametrize("tab", ["Code", "Diff", "Edit", "Lineage", "Prompt"])
@pytest.mark.parametrize("name", ["demo rps", "demo matrix"])
def test_every_tab_draws_for_every_kind_of_game(store, name, tab):
    test = app("views/policies.py", run=run_id(store, name), tab=tab)
    assert test.segmented_control(key="tab").value == tab


def test_a_text_that_was_never_admitted_can_be_read(store):
    run = run_id(store, "demo rps")
    rejected = next(attempt.policy for attempt in store.attempts(run, 3) if attempt.status == "refused")
    text = html(app("views/policies.py", run=run, policy=rejected[:12]))
    assert "not a member of a population" in text
    assert "<span class=\"nn\">os</span>" in text


def edited(store, name: str = "demo rps") -> tuple[AppTest, str, str]:
    run = run_id(store, name)
    player, policy = store.members(run)[-1].player, store.members(run)[-1].policy
    test = app("views/policies.py", run=run, policy=policy.hash[:12], player=str(player), tab="Edit")
    key = f"editor-{run}-{player}-{policy.hash[:12]}"
    test.session_state[key] = {"value": policy.source + "# changed\n"}
    test.run()
    return test, run, policy.hash


def answer(store, run: str, kind: str, result: dict, state: str = "done") -> None:
    request = store.requests(run, kind)[0]
    lease = store.acquire(run, "test")
    lease.answer(request.id, state, result)
    lease.release("done")


def test_check_asks_the_owner_of_the_run_and_names_line_and_rule(store):
    test, run, _ = edited(store)
    test.button(key="check").click().run()
    assert store.requests(run, "check")[0].payload["text"].endswith("# changed\n")
    assert "Checking" in html(test)
    answer(store, run, "check", {"ok": False, "problems": [{"line": 2, "message": "import of <os> is refused"}]})
    test.run()
    assert r"line 2\: import of \<os\> is refused" in test.error[0].value


def test_score_gives_a_paired_verdict_and_a_preview_and_adds_nothing(store):
    test, run, policy = edited(store)
    before = len(store.members(run))
    test.button(key="score").click().run()
    assert store.requests(run, "score")[0].payload["parent"] == policy
    answer(store, run, "score", {
        "ok": True, "problems": [], "hash": "f" * 64,
        "payoffs": [{"opponent": "rock", "hash": "x", "mean": 20.0, "stderr": 2.0, "episodes": 8}],
        "versus_sigma": {"mean": 20.0, "stderr": 2.0, "episodes": 8},
        "versus_parent": {"mean": 14.2, "stderr": 3.06, "episodes": 8},
        "verdict": "better", "sigma_if_added": {"weight": 0.312, "sigma": [[0.688, 0.312]]},
    })  # fmt: skip
    test.run()
    assert not test.exception
    text = html(test)
    assert "edit − parent against sigma: <b>+14 ± 6</b> (95 %, paired): <b>better</b>" in text
    assert "if added, sigma gives it <b>0.31</b>" in text
    assert len(store.members(run)) == before


def test_what_cannot_be_told_yet_offers_to_play_more(store):
    test, run, _ = edited(store)
    test.button(key="score").click().run()
    answer(store, run, "score", {
        "ok": True, "problems": [], "payoffs": [], "versus_sigma": {"mean": 1.0, "stderr": 2.0, "episodes": 8},
        "versus_parent": {"mean": 1.0, "stderr": 2.0, "episodes": 8}, "verdict": "cannot tell yet",
        "sigma_if_added": {"weight": 0.0, "sigma": [[1.0]]},
    })  # fmt: skip
    test.run()
    test.button(key="play_more").click().run()
    assert not test.exception
    assert store.requests(run, "score")[0].payload["episodes"] == 16


def test_a_failed_request_says_why(store):
    test, run, _ = edited(store)
    test.button(key="check").click().run()
    answer(store, run, "check", {"message": "the sandbox is *gone*"}, state="failed")
    test.run()
    assert test.error[0].value == r"the sandbox is \*gone\*"


def test_a_step_is_a_request_and_a_second_click_waits(store):
    run = run_id(store, "demo rps")
    test = app(run=run)
    test.button(key="step").click().run()
    assert [(request.kind, request.payload) for request in store.waiting(run)] == [("step", {"until": "iteration"})]
    assert test.button(key="step").disabled
    assert not test.button(key="stop").disabled


def test_live_stages_come_from_the_owner_of_the_run(store):
    run = run_id(store, "demo rps")
    lease = store.acquire(run, "test")
    lease.set_status("running", "")
    lease.set_progress({
        "iteration": 5, "player": 0, "bar": [160, 200], "paused": None, "message": "",
        "stages": [
            {"name": "solve", "state": "done", "seconds": 0.01, "detail": ""},
            {"name": "check", "state": "failed", "seconds": 0.2, "detail": "line 12: <b>no</b>"},
            {"name": "play", "state": "now", "seconds": 0.0, "detail": ""},
        ],
    })  # fmt: skip
    text = html(app(run=run))
    assert "iteration 5" in text
    assert "160/200" in text
    assert "line 12: &lt;b&gt;no&lt;/b&gt;" in text
    assert 'csro-chip blue running' in text


def test_a_match_shows_score_strips_and_failures(store):
    run = run_id(store, "demo rps")
    by_name = {member.name: member.policy.hash[:12] for member in store.members(run)}
    for row, column in (("rock", "r2"), ("r2", "rock")):
        test = app("views/matches.py", run=run, row=by_name[row], column=by_name[column])
        assert "rock forfeited 1 of them" in html(test)
        assert [figure["data"][0]["type"] for figure in figures(test)] == ["scatter", "heatmap"]
        assert r"rock\: exception, line 9, episode 1, step 13\: KeyError\: \<b\>" in test.warning[0].value


def test_the_two_sides_of_a_match_mirror_each_other(store):
    run = run_id(store, "demo rps")
    by_name = {member.name: member.policy.hash[:12] for member in store.members(run)}
    ends = []
    for row, column in (("rotate", "r4"), ("r4", "rotate")):
        test = app("views/matches.py", run=run, row=by_name[row], column=by_name[column])
        ends.append(test.segmented_control(key="episode_picker").options[0].removeprefix("1: "))
    assert ends[0] == ends[1].replace("+", "−") or ends[1] == ends[0].replace("+", "−")


def test_a_one_shot_game_has_a_table(store):
    test = app("views/matches.py", run=run_id(store, "demo matrix"))
    assert "csro-table" in html(test)
    assert not figures(test)


def new_run(store, **choices) -> AppTest:
    test = AppTest.from_file(SHELL, default_timeout=30)
    test.session_state["new_run_wanted"] = True
    test.run()
    assert not test.exception, [error.message for error in test.exception]
    return test


def test_the_form_explains_every_choice_and_warns_of_uniform(store):
    test = new_run(store)
    shown = " ".join(caption.value for caption in test.caption)
    assert "plain PSRO" in shown
    assert "Needs no key" in shown
    assert UNIFORM_NOTE in shown
    box = test.multiselect(key="new_initial-repeated_rps")
    box.set_value([*box.value, "uniform"]).run()
    assert UNIFORM_NOTE in [warning.value for warning in test.warning]


def test_the_form_creates_a_run_and_shows_it(store):
    before = {run.id for run in store.runs()}
    test = new_run(store)
    test.radio(key="new_preset").set_value("Robust exploiter").run()
    test.text_input(key="new_name").set_value("mine").run()
    test.button(key="create").click().run()
    assert not test.exception
    created = next(run for run in store.runs() if run.id not in before)
    assert (created.name, created.settings.target_mix, created.settings.initial) == ("mine", 0.5, ())
    assert created.id in str(test.query_params["run"])


@pytest.mark.parametrize(("text", "part"), [("1, 2\n3", "line 2 has 1"), ("1, nan\n0, 1", "finite"), ("", "matrix")])
def test_a_bad_matrix_is_one_sentence_and_cannot_be_run(store, text, part):
    test = new_run(store)
    test.selectbox(key="new_game").set_value("matrix").run()
    test.selectbox(key="new_matrix").set_value("another matrix (paste or upload)").run()
    test.text_area(key="new_matrix_text").set_value(text).run()
    assert not test.exception
    assert part in test.error[0].value.lower()
    assert test.button(key="create_disabled").disabled


def test_a_store_of_a_newer_version_is_one_sentence(tmp_path, monkeypatch):
    path = tmp_path / "newer.sqlite"
    store = open_store(path)
    with store.connections.writing() as connection:
        connection.execute("PRAGMA user_version = 999")
    store.close()
    monkeypatch.setenv("CSRO_STORE", str(path))
    test = AppTest.from_file(SHELL, default_timeout=30).run()
    assert not test.exception
    assert "newer" in test.text[0].value


def test_differences_of_settings_are_named():
    spec = GameSpec("repeated_rps")
    found = settings_differences(RunSettings(spec, seed=Seed("1")), RunSettings(spec, seed=Seed("2"), target_mix=0.5))
    assert found == [("seed", "1", "2"), ("target mix", "0.0", "0.5")]
