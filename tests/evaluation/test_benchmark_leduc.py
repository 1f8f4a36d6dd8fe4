import ast

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from csro_core.errors import UsageError  # noqa: E402 - after the check that OpenSpiel is there
from csro_core.evaluation.benchmark import (  # noqa: E402
    BENCHMARKS,
    Mixture,
    Scoreboard,
    benchmark_named,
    evaluate_mixtures,
)
from csro_core.evaluation.benchmark_leduc import play_leduc  # noqa: E402
from csro_core.games import make_game  # noqa: E402
from csro_core.matches.local_pool import LocalPool  # noqa: E402
from csro_core.policies.library import reference_text  # noqa: E402
from csro_core.policies.tables import leduc_table_policy  # noqa: E402
from csro_core.seeds import Secret  # noqa: E402

GAME = pyspiel.load_game("leduc_poker(suit_isomorphism=true)")


@pytest.fixture(scope="module")
def pool():
    opened = LocalPool(make_game, workers=3)
    yield opened
    opened.close()


def spots(choose):
    """A strategy of OpenSpiel from a function (key of the shipped table, legal actions) -> chances by action."""
    spots_of_game = pyspiel.CFRPlusSolver(GAME).tabular_average_policy().policy_table()
    chances = {}
    for state, actions in spots_of_game.items():
        # The key of a state is read off the text that the writer makes for it alone.
        tree = ast.parse(leduc_table_policy({state: {1: 1.0}}, "", ""))
        (key,) = ast.literal_eval(next(n.value for n in tree.body if isinstance(n, ast.Assign)))
        by_action = choose(key, [action for action, _ in actions])
        chances[state] = [(action, by_action[action]) for action, _ in actions]
    return pyspiel.TabularPolicy(chances)


def fixed(*order):
    """The first of these actions that is legal."""

    def choose(key, legal):
        chosen = next(action for action in order if action in legal)
        return {action: float(action == chosen) for action in legal}

    return spots(choose)


def per_100_hands(first, second):
    """Exact, both seat orders."""
    here = pyspiel.expected_returns(GAME.new_initial_state(), [first, second], -1, True)[0]
    there = pyspiel.expected_returns(GAME.new_initial_state(), [second, first], -1, True)[1]
    return 50 * (here + there)


def test_the_issues_cross_checks_exactly():
    """CFR+ 40.2 / 0 / 40.2 and AlwaysRaise 22.2 / 33.5 / -11.3 chips per 100 hands, by OpenSpiel's expected returns."""
    tree = ast.parse(reference_text("leduc_cfr_plus"))
    table = ast.literal_eval(next(n.value for n in tree.body if isinstance(n, ast.Assign)))
    plus = spots(lambda key, legal: {action: table[key][action] for action in legal})
    opponents = (plus, fixed(1), fixed(0, 1))
    expected = ((plus, (0.0, 63.3, 57.3)), (fixed(2, 1), (-33.5, 0.0, 100.0)))
    scores = []
    for policy, published in expected:
        row = [per_100_hands(policy, opponent) for opponent in opponents]
        assert row == pytest.approx(published, abs=0.5)
        scores.append((np.mean(row), max(0.0, -min(row))))
    assert scores[0] == pytest.approx((40.2, 0.0), abs=0.5)
    assert scores[1] == pytest.approx((22.2, 33.5), abs=0.5)
    assert pyspiel.nash_conv(GAME, plus) < 1e-3


def test_the_matches_agree_with_the_exact_values(pool):
    entrants = [Mixture((reference_text(name),), (1.0,)) for name in ("leduc_cfr_plus", "always_raise")]
    plus, raising = evaluate_mixtures(benchmark_named("leduc"), entrants, 24, Secret.of_key(b"5"), pool)
    assert plus.opponents == ("CFR+", "AlwaysCall", "AlwaysFold")
    assert plus.returns.shape == (3, 12)
    # The same policy on the same cards in both seats: it wins what it loses.
    assert np.all(plus.returns[0] == 0.0)
    assert abs(plus.agg_score.mean - 40.2) < 4 * plus.agg_score.stderr
    assert abs(raising.pop_return.mean - 22.2) < 4 * raising.pop_return.stderr
    assert raising.nemesis == "CFR+"
    assert np.all(raising.returns[2] == 100.0)


def test_deals_are_common_to_all_policies_and_depend_on_nothing_else(pool):
    call, raising = (reference_text(f"always_{name}") for name in ("call", "raise"))
    together = play_leduc([call, raising], 4, Secret.of_key(b"9"), pool)
    (alone,) = play_leduc([raising], 4, Secret.of_key(b"9"), pool)
    assert np.array_equal(together[1].returns, alone.returns)
    (more,) = play_leduc([raising], 8, Secret.of_key(b"9"), pool)
    assert np.array_equal(more.returns[:, :2], alone.returns)


def test_a_failing_policy_forfeits_and_is_told(pool):
    failing = "class Policy:\n    def act(self, obs):\n        return 7\n"
    (found,) = play_leduc([failing], 2, Secret.of_key(b"1"), pool)
    assert {failure.status for failure in found.failures} == {"illegal-action"}
    assert found.returns[0, 0] < 0  # it folds where it can


def test_wrong_requests(pool):
    with pytest.raises(UsageError, match="even number of episodes"):
        play_leduc(["x"], 3, Secret.of_key(b"1"), pool)
    with pytest.raises(UsageError, match="known benchmarks: rrps, leduc"):
        benchmark_named("chess")
    assert BENCHMARKS["leduc"].unit == "chips per 100 hands"


class CountingPool:
    def __init__(self, pool):
        self.pool = pool
        self.tasks = 0

    def submit(self, jobs, on_result=None):
        self.tasks += len(jobs)
        return self.pool.submit(jobs, on_result)

    def run(self, tasks, on_result=None):
        self.tasks += len(tasks)
        return self.pool.run(tasks, on_result)


def test_a_scoreboard_plays_a_policy_once(pool):
    call, raising = (reference_text(f"always_{name}") for name in ("call", "raise"))
    counting = CountingPool(pool)
    board = Scoreboard(benchmark_named("leduc"), 4, Secret.of_key(b"3"))
    (first,) = board.scores([Mixture((call,), (1.0,))], counting)
    before = counting.tasks
    mixed = Mixture((call, raising), (0.25, 0.75))
    again, half = board.scores([Mixture((call,), (1.0,)), mixed], counting)
    assert counting.tasks == 2 * before
    assert np.array_equal(first.returns, again.returns)
    (fresh,) = evaluate_mixtures(benchmark_named("leduc"), [mixed], 4, Secret.of_key(b"3"), pool)
    assert np.allclose(half.returns, fresh.returns)
    board.scores([mixed], counting)
    assert counting.tasks == 2 * before
