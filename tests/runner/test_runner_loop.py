import pytest
from running import BIASED, SHORT_RPS, new_run, rows, run_here, settings

from csro_core.errors import LeaseError, UsageError
from csro_core.games.base import GameSpec
from csro_core.seeds import Seed

PENNIES = GameSpec("matrix", {"preset": "matching_pennies"})


@pytest.mark.parametrize("game", [GameSpec("matrix"), BIASED], ids=["rps", "biased-rps"])
def test_psro_on_a_symmetric_matrix_reaches_exploitability_zero(tmp_path, game):
    # Double oracle on RPS from (rock, rock): NashConv 2, 2, 0 with sizes 1, 2, 3 (hand; OpenSpiel double_oracle_test).
    store, run = new_run(tmp_path / "s.sqlite", settings(game, meta_solver="nash"))
    run_here(store, run, 3)
    solutions = store.solutions(run)
    assert solutions[0].exploitability == pytest.approx(1.0 if game.key == "matrix" else 0.25, abs=1e-9)
    assert solutions[-1].exploitability == pytest.approx(0.0, abs=1e-6)
    assert solutions[-1].exploitability_exact
    assert store.run(run).status == "done"


def test_an_asymmetric_matrix_keeps_a_population_per_player_and_takes_turns(tmp_path):
    store, run = new_run(tmp_path / "s.sqlite", settings(PENNIES, meta_solver="nash"))
    run_here(store, run, 4)
    assert {member.player for member in store.members(run)} == {0, 1}
    assert [iteration.player for iteration in store.iterations(run)] == [0, 1, 0, 1]
    assert all(len(solution.sigma) == 2 for solution in store.solutions(run))
    assert store.solutions(run)[-1].exploitability == pytest.approx(0.0, abs=1e-6)


def test_equal_seeds_give_equal_rows_and_other_seeds_do_not(tmp_path):
    documents = []
    for number, seed in enumerate(map(Seed, "778")):
        made = settings(SHORT_RPS, seed=seed, attempts=2, initial=("reference:rock", "reference:beat_last"))
        store, run = new_run(tmp_path / f"{number}.sqlite", made)
        run_here(store, run, 2)
        documents.append(rows(store, run))
    assert documents[0] == documents[1]
    assert documents[0]["cells"] != documents[2]["cells"]


def test_the_first_response_to_simple_starters_improves_and_joins(tmp_path):
    made = settings(SHORT_RPS, attempts=3, initial=("reference:rock", "reference:rotate"))
    store, run = new_run(tmp_path / "s.sqlite", made)
    run_here(store, run, 1)
    iteration = store.iterations(run)[0]
    assert iteration.verdict == "improves"
    assert iteration.gain is not None
    assert iteration.gain.mean > 20
    newest = store.members(run)[-1]
    assert newest.origin == "oracle"
    assert newest.policy.hash == iteration.finalist
    assert store.solutions(run)[-1].sizes == (3,)
    assert store.solutions(run)[-1].sigma[0][-1] == pytest.approx(1.0, abs=0.05)


def test_a_second_runner_is_refused_while_the_lease_lives(tmp_path):
    store, run = new_run(tmp_path / "s.sqlite")
    lease = store.acquire(run, "somebody else")
    with pytest.raises(LeaseError, match="already running"):
        run_here(store, run, 1)
    lease.release("stopped", "")


def test_a_hostile_initial_policy_is_refused_with_its_line(tmp_path):
    store, run = new_run(tmp_path / "s.sqlite", settings(initial=("reference:first_action", "reference:nobody")))
    with pytest.raises(UsageError, match="nobody"):
        run_here(store, run, 1)
    assert store.run(run).status == "failed"


def test_the_robust_target_is_half_uniform_over_behaviour_clusters(tmp_path):
    names = ("rock", "first_action", "beat_last")  # the first two behave alike: one cluster
    made = settings(SHORT_RPS, attempts=1, target_mix=1.0, initial=tuple(f"reference:{name}" for name in names))
    store, run = new_run(tmp_path / "s.sqlite", made)
    run_here(store, run, 1)
    assert store.iterations(run)[0].tau == pytest.approx((0.25, 0.25, 0.5))
    assert store.iterations(run)[0].lift is not None
