"""The loop with the exact oracle is double oracle: it comes to the equilibrium of the game, without sampling error."""

import numpy as np
import pytest

from csro_core.csro import Loop, LoopSettings, settle
from csro_core.errors import UsageError
from csro_core.evaluation.bench import Bench
from csro_core.evaluation.exact_play import game_exploitability
from csro_core.games import make_game, parse_game
from csro_core.matches.local_pool import LocalPool
from csro_core.meta_solvers import make_meta_solver
from csro_core.metagame.population import Populations
from csro_core.oracles.exact import Exact
from csro_core.policies.library import reference_text
from csro_core.progress import Silent
from csro_core.seeds import Seed, run_secret
from tests.metagame.fake_executor import MemoryCells, entry


@pytest.fixture(scope="module")
def pool():
    executor = LocalPool(make_game)
    yield executor
    executor.close()


def asks_nobody(request):
    raise AssertionError("the oracle exact asks no model")


def exact_loop(pool, text, start):
    game = make_game(parse_game(text))
    bench = Bench(game, pool, MemoryCells(), run_secret(Seed("0"), 1), 2, Silent(), make_game, exact=True)
    loop = Loop(bench, make_meta_solver("nash"), Exact(), asks_nobody, lambda attempt: None, LoopSettings(0))
    lists = ((entry(reference_text(start), start),),) * (1 if game.symmetric else 2)
    return loop, settle(bench, loop.solver, Populations(game.symmetric, lists))


def test_kuhn_comes_to_an_equilibrium_in_a_few_iterations(pool):
    loop, state = exact_loop(pool, "kuhn_poker", "first_action")
    curve, verdicts = [], []
    for iteration in range(1, 15):
        known = game_exploitability(loop.bench, state.populations, state.solution.sigma)
        assert known is not None
        assert known.exact
        curve.append(known.value)
        outcome = loop.step(iteration, state)
        verdicts.append(outcome.admission.verdict)
        state = outcome.metagame
        if verdicts[-2:] == ["rejected", "rejected"]:
            break
    # Both always pass: NashConv 2 (OpenSpiel exploitability_test.py), exploitability 1.
    assert curve[0] == pytest.approx(1.0)
    assert verdicts[-2:] == ["rejected", "rejected"], "neither player finds anything: this is a proof here"
    known = game_exploitability(loop.bench, state.populations, state.solution.sigma)
    assert known.value == pytest.approx(0.0, abs=1e-6)
    assert state.solution.value == pytest.approx(-1 / 18, abs=1e-6)  # Kuhn 1950


def test_the_gain_of_an_exact_response_is_what_it_says(pool):
    loop, state = exact_loop(pool, "kuhn_poker", "first_action")
    outcome = loop.step(1, state)
    # Against "always pass" the best response always bets and wins the ante every time; sigma earned 0.
    assert (outcome.admission.gain.mean, outcome.admission.gain.stderr) == (pytest.approx(1.0), 0.0)
    assert outcome.admission.verdict == "improves"
    assert outcome.finalist.operator == "propose"


def test_matrices_are_served_too(pool):
    loop, state = exact_loop(pool, "matrix", "rock")
    for iteration in range(1, 4):
        state = loop.step(iteration, state).metagame
    assert state.solution.sigma[0] == pytest.approx([1 / 3] * 3, abs=1e-6)


@pytest.mark.parametrize(("text", "words"), [("repeated_rps(num_throws=10)", "matrix"), ("tiny_hanabi", "zero-sum")])
def test_a_game_that_cannot_be_is_one_clear_line(pool, text, words):
    with pytest.raises(UsageError, match=words):
        exact_loop(pool, text, "first_action")


def test_the_exact_curve_is_none_where_it_cannot_be(pool):
    game = make_game(parse_game("repeated_leduc(num_hands=2)"))
    bench = Bench(game, pool, MemoryCells(), run_secret(Seed("0"), 1), 2, Silent(), make_game)
    lists = ((entry(reference_text("always_call"), "calls"),),) * (1 if game.symmetric else 2)
    populations = Populations(game.symmetric, lists)
    assert game_exploitability(bench, populations, make_meta_solver("uniform").solve(np.zeros((2, 1, 1))).sigma) is None
