import threading

import pytest
from running import BIASED, new_run, rows, run_here, settings

from csro_core.errors import UsageError
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.local_pool import LocalPool
from csro_core.runner import Runner
from csro_core.runner.assessments import MIXTURE, _entrant
from csro_core.runner.session import Session
from csro_core.runner.watch import Watch
from csro_core.store.defaults import general_sum_solvers, meta_solver_for, meta_solver_note

DILEMMA = GameSpec("matrix_pd")


def test_training_and_evaluation_solvers_differ_and_both_are_stored(tmp_path):
    store, run = new_run(tmp_path / "s.sqlite", settings(meta_solver="uniform", eval_solver="nash"))
    run_here(store, run, 3)
    last = store.solutions(run)[-1]
    count = len(store.members(run))
    assert last.sigma[0] == pytest.approx([1 / count] * count)
    evaluation = last.extra["evaluation"]
    assert evaluation["solver"] == "nash"
    assert evaluation["nash_conv"] == pytest.approx(0.0, abs=1e-9)
    assert evaluation["exploitability"] < last.exploitability
    assert last.reported_sigma[0] == tuple(evaluation["sigma"][0]) != last.sigma[0]


def test_one_solver_stores_no_second_solution(tmp_path):
    for eval_solver in ("", "nash"):
        store, run = new_run(tmp_path / f"{eval_solver}.sqlite", settings(meta_solver="nash", eval_solver=eval_solver))
        run_here(store, run, 1)
        last = store.solutions(run)[-1]
        assert "evaluation" not in last.extra
        assert last.reported_sigma == last.sigma


def test_the_course_of_a_run_does_not_depend_on_how_it_is_evaluated(tmp_path):
    courses = []
    for number, eval_solver in enumerate(("", "logit")):
        store, run = new_run(tmp_path / f"{number}.sqlite", settings(meta_solver="nash", eval_solver=eval_solver))
        run_here(store, run, 2)
        courses.append(rows(store, run))
    assert courses[0]["cells"] == courses[1]["cells"]
    assert courses[0]["iterations"] == courses[1]["iterations"]


def test_a_run_that_goes_on_knows_its_evaluation_and_scores_it(tmp_path):
    store, run = new_run(tmp_path / "s.sqlite", settings(BIASED, meta_solver="uniform", eval_solver="nash"))
    run_here(store, run, 2)
    pool = LocalPool(make_game)
    try:
        lease = store.acquire(run, "test")
        session = Session(store, lease, pool, Watch(store, lease, run, threading.Event(), 1.0))
        session.open()
        assert session.metagame.evaluation.sigma[0] == pytest.approx(store.solutions(run)[-1].reported_sigma[0])
        assert session.metagame.solution.sigma[0] != pytest.approx(session.metagame.evaluation.sigma[0])
        _, mixture = _entrant(session, MIXTURE)
        kept = [share for share in session.metagame.evaluation.sigma[0] if share > 1e-6]
        assert sorted(mixture.weights) == pytest.approx(sorted(kept))
    finally:
        pool.close()


def test_general_sum_games_take_any_solver_that_handles_them(tmp_path):
    game = make_game(DILEMMA)
    assert general_sum_solvers()[0] == "uniform"
    for name in general_sum_solvers():
        assert meta_solver_for(game, name) == name
        assert meta_solver_note(game, name) == ""
    for name in ("nash", "max-entropy-nash", "rectified-nash"):
        assert meta_solver_for(game, name) == "uniform"
        assert f"{name} is for zero-sum games only" in meta_solver_note(game, name)
    store, run = new_run(tmp_path / "s.sqlite", settings(DILEMMA, meta_solver="logit", eval_solver="alpha-rank"))
    run_here(store, run, 2)
    last = store.solutions(run)[-1]
    assert last.extra["evaluation"]["solver"] == "alpha-rank"
    assert len(last.sigma) == len(last.extra["evaluation"]["sigma"]) == 2


def test_the_exploitability_of_the_evaluation_mixture_is_known_where_that_of_sigma_is(tmp_path):
    store, run = new_run(tmp_path / "s.sqlite", settings(meta_solver="nash", eval_solver="uniform"))
    run_here(store, run, 3)
    last = store.solutions(run)[-1]
    assert len(last.sigma[0]) > 1
    assert last.exploitability < last.extra["evaluation"]["exploitability"]


def test_runners_refuse_an_unknown_evaluation_solver(tmp_path):
    store, run = new_run(tmp_path / "s.sqlite", settings(eval_solver="guess"))
    pool = LocalPool(make_game)
    try:
        with pytest.raises(UsageError, match="meta-solver must be one of"):
            Runner(store, run, pool).run_to(1)
    finally:
        pool.close()
