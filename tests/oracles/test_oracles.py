import numpy as np
import pytest
from canned import CannedModel, CannedPayoffs, context

from csro_core.errors import ModelError, UsageError
from csro_core.estimates import Estimate
from csro_core.metagame.population import Entry
from csro_core.oracles import ORACLES, make_oracle
from csro_core.oracles.attempts import Proving, make_attempt, ranked
from csro_core.oracles.best_of_n import BestOfN
from csro_core.oracles.context import MAX_OPPONENTS, choose_opponents
from csro_core.oracles.linear_refinement import LinearRefinement
from csro_core.oracles.zero_shot import ZeroShot


def test_zero_shot_makes_one_attempt_and_offers_it():
    made = context(CannedModel(["a"]), CannedPayoffs({("a", "screen"): -5.0}), 1)
    result = ZeroShot().respond(made)
    assert [attempt.source for attempt in result.attempts] == ["a"]
    assert result.finalist is result.attempts[0]
    assert made.recorded == list(result.attempts)


def test_zero_shot_offers_nothing_when_the_attempt_fails():
    result = ZeroShot().respond(context(CannedModel(["a"]), CannedPayoffs({("a", "screen"): "line 3: boom"}), 1))
    assert result.finalist is None
    assert result.attempts[0].screen.status == "failed"


def test_best_of_n_lets_only_the_fresh_seeds_decide_among_three_finalists():
    screens = {"a": 5.0, "b": 40.0, "c": 30.0, "d": 20.0}
    finals = {"b": 1.0, "c": 9.0, "d": 2.0}
    payoffs = CannedPayoffs(
        {(t, "screen"): s for t, s in screens.items()} | {(t, "final"): s for t, s in finals.items()}
    )
    result = BestOfN().respond(context(CannedModel(["a", "b", "c", "d"]), payoffs, 4))
    assert result.finalist is not None
    assert result.finalist.source == "c"
    assert [text for text, stage in payoffs.played if stage == "final"] == ["b", "c", "d"]
    assert result.attempts[2].final is not None


def test_a_failure_never_wins_even_when_everything_else_loses():
    payoffs = CannedPayoffs({("a", "screen"): "line 1: boom", ("b", "screen"): -700.0})
    result = BestOfN().respond(context(CannedModel(["a", "b"]), payoffs, 2))
    assert result.finalist is not None
    assert result.finalist.source == "b"


def test_linear_refinement_stops_once_the_advantage_is_positive_beyond_its_error():
    payoffs = CannedPayoffs({
        ("a", "screen"): -3.0, ("b", "screen"): 0.5, ("c", "screen"): 2.0,
        ("a", "final"): -2.0, ("b", "final"): 0.0, ("c", "final"): 1.0,
    })  # fmt: skip
    model = CannedModel(["a", "b", "c", "d"])
    result = LinearRefinement().respond(context(model, payoffs, 11))
    assert [attempt.source for attempt in result.attempts] == ["a", "b", "c"]
    assert [request.task for request in model.requests] == ["propose", "refine", "refine"]
    assert [feedback.source for feedback in model.requests[2].feedback] == ["a", "b"]
    assert result.attempts[2].parent == 1
    assert result.finalist is not None
    assert result.finalist.source == "c"


def test_linear_refinement_spends_everything_when_told_to():
    payoffs = CannedPayoffs({(t, "screen"): 9.0 for t in "abcd"} | {(t, "final"): 9.0 for t in "abcd"})
    result = LinearRefinement().respond(context(CannedModel(list("abcd")), payoffs, 4, refine_all=True))
    assert len(result.attempts) == 4


def test_linear_refinement_stays_within_its_budget():
    texts = [str(index) for index in range(11)]
    payoffs = CannedPayoffs({(text, stage): -1.0 for text in texts for stage in ("screen", "final")})
    result = LinearRefinement().respond(context(CannedModel(texts), payoffs, 11))
    assert len(result.attempts) == 11


def test_a_text_that_does_not_run_is_repaired_once():
    payoffs = CannedPayoffs({("a", "screen"): "line 3: boom", ("b", "screen"): "line 4: boom", ("c", "screen"): 9.0})
    model = CannedModel(["a", "b", "c"])
    LinearRefinement().respond(context(model, payoffs, 11))
    assert [request.task for request in model.requests] == ["propose", "repair", "propose"]
    assert model.requests[1].feedback[0].message == "line 3: boom"


def test_samples_differ_between_attempts():
    payoffs = CannedPayoffs({(t, s): 1.0 for t in "abc" for s in ("screen", "final")})
    model = CannedModel(list("abc"))
    BestOfN().respond(context(model, payoffs, 3))
    assert [request.sample for request in model.requests] == [1000, 1001, 1002]


def test_an_answer_without_a_program_is_an_attempt_and_a_missing_key_is_not():
    result = ZeroShot().respond(context(CannedModel(["(no answer)"]), CannedPayoffs({}), 1))
    assert result.attempts[0].screen.status == "no-answer"
    assert result.finalist is None

    def no_key(request):
        raise ModelError("needs-key", "give a key")

    with pytest.raises(ModelError, match="give a key"):
        ZeroShot().respond(context(no_key, CannedPayoffs({}), 1))


def test_unknown_names_list_the_known_ones():
    assert set(ORACLES) == {"zero-shot", "best-of-n", "linear-refinement", "alpha-evolve", "exact"}
    with pytest.raises(UsageError, match="zero-shot, best-of-n, linear-refinement, alpha-evolve"):
        make_oracle("magic")


@pytest.mark.parametrize("size", [3, 60, 100, 1000])
def test_there_are_opponents_in_a_population_of_any_size(size):
    # With 100 policies an even target gives each of them no more than the share that is otherwise left out.
    population = [Entry(f"h{i}", f"t{i}", f"x{i}", f"n{i}") for i in range(size)]
    chosen = choose_opponents(population, np.full(size, 1.0 / size), np.random.default_rng(1))
    assert len(chosen.entries) == min(size, MAX_OPPONENTS)
    assert chosen.weights.sum() == pytest.approx(1.0)


def test_a_screen_that_measured_nothing_never_leads():
    # Every opponent forfeited: the advantage is not a number, and must not win by making every comparison false.
    numbers = {"a": float("nan"), "b": -3.0, "c": 2.0}
    payoffs = CannedPayoffs({(text, stage): score for text, score in numbers.items() for stage in ("screen", "final")})
    result = BestOfN().respond(context(CannedModel(["a", "b", "c"]), payoffs, 3))
    assert result.finalist.source == "c"


def test_a_chain_hangs_on_what_still_leads_after_a_trial_and_not_on_a_lucky_screen():
    payoffs = CannedPayoffs({
        ("a", "screen"): -3.0, ("lucky", "screen"): 0.9, ("lucky", "trial"): -9.0, ("b", "screen"): -4.0,
        **{(text, "final"): -5.0 for text in ("a", "lucky", "b")},
    })  # fmt: skip
    model = CannedModel(["a", "lucky", "b"])
    result = LinearRefinement().respond(context(model, payoffs, 3))
    assert [stage for text, stage in payoffs.played if text == "lucky"] == ["screen", "trial", "final"]
    assert result.attempts[1].screen.score == Estimate(-9.0, 1.0, 4)
    assert result.attempts[2].parent == 0


def test_leaders_are_proven_until_those_who_lead_are_all_proven_and_each_only_once():
    screens = {"a": 5.0, "b": 4.0, "c": 3.0, "d": 2.0, "e": 1.0}
    trials = {"a": 0.0, "b": 4.0, "c": -1.0, "d": 2.5}
    payoffs = CannedPayoffs(
        {(t, "screen"): s for t, s in screens.items()} | {(t, "trial"): s for t, s in trials.items()}
    )
    made = context(CannedModel(list("abcde")), payoffs, 5)
    attempts = [make_attempt(made, index) for index in range(5)]
    proving = Proving(made, leaders=2)
    assert [attempt.source for attempt in proving.prove(attempts)] == ["a", "b", "c", "d"]
    assert [attempt.source for attempt in ranked(attempts)] == ["b", "d", "e", "a", "c"]
    assert proving.prove(attempts) == []
    assert [text for text, stage in payoffs.played if stage == "trial"] == ["a", "b", "c", "d"]


def test_there_is_nothing_to_prove_where_nobody_is_behind():
    payoffs = CannedPayoffs({("a", "screen"): 5.0, ("b", "screen"): "line 1: boom"})
    made = context(CannedModel(["a", "b"]), payoffs, 2)
    assert Proving(made, leaders=1).prove([make_attempt(made, index) for index in range(2)]) == []


def test_a_leader_that_breaks_in_its_trial_leads_no_more():
    payoffs = CannedPayoffs({("a", "screen"): 5.0, ("a", "trial"): "line 7: boom", ("b", "screen"): 1.0})
    made = context(CannedModel(["a", "b"]), payoffs, 2)
    attempts = [make_attempt(made, index) for index in range(2)]
    Proving(made, leaders=1).prove(attempts)
    assert [attempt.source for attempt in ranked(attempts)] == ["b"]
    assert attempts[0].screen.status == "failed"
