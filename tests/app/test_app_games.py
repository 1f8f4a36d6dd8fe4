"""Pages of games that are not repeated rock-paper-scissors, and the picker of the form."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.match_walk import walk
from csro_core.games import make_game, parse_game
from csro_core.store import open_store
from tests.app.app_pages import SHELL, app, figures, html, words
from tests.app.game_runs import add_game_run, played


@pytest.fixture
def store(tmp_path, monkeypatch):
    path = tmp_path / "store.sqlite"
    monkeypatch.setenv("CSRO_STORE", str(path))
    monkeypatch.setattr("app.services.keep_served", lambda run: None)
    return open_store(path)


@pytest.mark.parametrize(
    ("game", "charts", "told"),
    [
        ("kuhn_poker", 1, "Bet"),
        ("tic_tac_toe", 1, "x("),
        ("goofspiel(num_cards=4)", 1, "[P1]Bid"),
        ("repeated_leduc(num_hands=5)", 2, "hand 5, card"),
        ("tiny_hanabi", 1, "p0a"),
    ],
)
def test_a_match_of_a_game_of_turns_can_be_looked_at(store, game, charts, told):
    run = add_game_run(store, game)
    members = store.members(run)
    hashes = [member.policy.hash[:12] for member in members]
    test = app("views/matches.py", run=run, row=hashes[0], column=hashes[1], episode="2")
    assert len(figures(test)) == charts
    assert told in html(test)
    assert "forfeited" not in html(test)


OTHERS = ("kuhn_poker", "matrix_pd", "matrix_rps", "tiny_hanabi", "repeated_leduc(num_hands=2)")


@pytest.mark.parametrize("game", OTHERS)
def test_the_other_pages_open(store, game):
    run = add_game_run(store, game)
    for page in ("", "views/policies.py", "views/matches.py"):
        text = html(app(page, run=run))
        assert ("(not constant-sum)" in text) == (page == "" and game in {"matrix_pd", "tiny_hanabi"})


@pytest.mark.parametrize("seat", [0, 1])
def test_a_walk_ends_where_the_episode_ended(seat):
    game = make_game(parse_game("repeated_leduc(num_hands=4)"))
    episodes = game.new_episodes([7])
    while turns := episodes.pending():
        episodes.apply([1 for _ in turns])  # both check and call
    log = np.frombuffer(episodes.moves()[0], dtype=np.uint8).reshape(-1, 2)
    log = (log[:, ::-1] if seat else log).tobytes()
    total = float(episodes.returns()[0, seat])
    told = walk(game, log, seat, 7, total)
    assert len(told.acts) == len(log) // 2
    assert told.replay.cumulative[-1] == total
    assert {act.policy for act in told.acts if act.step == 0} == {seat}
    assert told.has_score


def test_a_log_of_another_game_is_no_crash():
    game = make_game(parse_game("kuhn_poker"))
    told = walk(game, bytes([7, 255, 255, 9]), 0, 1, 0.0)
    assert len(told.acts) <= 1
    cell = played(game, "a", "b")
    assert cell.returns.sum() == 0


def new_run() -> AppTest:
    test = AppTest.from_file(SHELL, default_timeout=60)
    test.session_state["new_run_wanted"] = True
    test.run()
    assert not test.exception, [error.message for error in test.exception]
    return test


def test_the_picker_finds_games_and_says_why_some_cannot_be_played(store):
    test = new_run()
    options = test.selectbox(key="new_game").options
    assert "Tic Tac Toe (tic_tac_toe)" in options
    assert any(option.startswith("Chess (chess): no, it has 4,674 distinct actions") for option in options)
    assert options.index("Tic Tac Toe (tic_tac_toe)") < next(i for i, o in enumerate(options) if ": no, " in o)
    test.selectbox(key="new_game").set_value("chess").run()
    assert "4,674 distinct actions" in words(test)
    assert test.button(key="create_disabled").disabled


def test_parameters_are_typed_and_checked(store):
    test = new_run()
    test.selectbox(key="new_game").set_value("goofspiel").run()
    test.text_input(key="new_parameters-goofspiel").set_value("num_card=4").run()
    assert "did you mean num\\_cards?" in words(test)
    test.text_input(key="new_parameters-goofspiel").set_value("num_cards=4").run()
    assert not test.error
    test.button(key="create").click().run()
    assert store.runs()[0].settings.game == parse_game("goofspiel(num_cards=4)")


def test_a_game_that_is_not_constant_sum_gets_the_uniform_solver_and_says_so(store):
    test = new_run()
    test.selectbox(key="new_game").set_value("tiny_hanabi").run()
    assert "not constant-sum" in words(test)
    test.button(key="create").click().run()
    assert store.runs()[0].settings.meta_solver == "uniform"


def test_training_and_evaluation_solver_are_chosen_apart(store):
    test = new_run()
    test.selectbox(key="new_solver-zero-sum").set_value("prd").run()
    assert "replicator" in words(test)
    test.selectbox(key="new_eval_solver-zero-sum").set_value("nash").run()
    test.button(key="create").click().run()
    settings = store.runs()[0].settings
    assert (settings.meta_solver, settings.eval_solver) == ("prd", "nash")


def test_a_general_sum_game_offers_the_solvers_that_handle_it(store):
    test = new_run()
    test.selectbox(key="new_game").set_value("tiny_hanabi").run()
    offered = test.selectbox(key="new_solver-general").options
    assert "logit" in offered
    assert "nash" not in offered
    test.selectbox(key="new_solver-general").set_value("logit").run()
    test.selectbox(key="new_eval_solver-general").set_value("logit").run()
    test.button(key="create").click().run()
    settings = store.runs()[0].settings
    assert (settings.meta_solver, settings.eval_solver) == ("logit", "")
