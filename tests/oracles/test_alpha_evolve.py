"""AlphaEvolve on canned models and payoffs: no process, no store."""

import itertools
import math
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from csro_core.errors import ModelError
from csro_core.estimates import Estimate
from csro_core.evaluation.admission import Trial, admit
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.metagame.matchups import Matchup
from csro_core.metagame.population import Entry, Populations
from csro_core.models.base import Completion, OpponentView, ParentView, Request
from csro_core.oracles.alpha_evolve import GENERATION, PATIENCE, STAGNATION, AlphaEvolve
from csro_core.oracles.base import Evaluation, OpponentScore, OracleContext
from csro_core.seeds import derive, generator

OPPONENTS = (OpponentView("#0 rock", "h0", 0.75, "x = 0"), OpponentView("#1 paper", "h1", 0.25, "x = 1"))
PARENTS = (ParentView("#2 own", "p2", "level = 0 #own", None), ParentView("#3 other", "p3", "level = 0 #other", None))
REQUEST = Request(GameSpec("repeated_rps"), "rules", "observation", "contract", 0, OPPONENTS, PARENTS, (), "propose", 0)


@dataclass
class Climber:
    """Writes "level = L #N"; a variation may add up to `step` to the level of what it varies, or lose as much."""

    start: float = -900.0
    step: float = 20.0
    requests: list[Request] = field(default_factory=list)

    def __call__(self, request: Request) -> Completion:
        self.requests.append(request)
        rng = generator("climber", request.sample)
        scored = [item.source for item in request.feedback if item.score is not None]
        level = float(scored[-1].split()[2]) if scored and request.task != "propose" else self.start
        text = f"level = {level + rng.uniform(-self.step, self.step):.3f} #{request.sample}"
        return Completion(text, f"{request.task} to {text}", text)


@dataclass
class Payoffs:
    """Scores "level = L …" as L, with noise of `stderr`; "bad" texts fail, "flat" scores everything alike."""

    stderr: float = 1.0
    flat: bool = False
    played: list[str] = field(default_factory=list)
    proven: list[str] = field(default_factory=list)

    def __call__(self, text: str, stage: str) -> Evaluation:
        (self.proven if stage == "trial" else self.played).append(text)
        if "bad" in text:
            return Evaluation("failed", "line 3: IndexError: list index out of range", 3)
        level = 0.0 if self.flat else float(text.split()[2])
        advantage = Estimate(level, self.stderr, 4)
        scores = tuple(OpponentScore(view.hash, Estimate(level + place, self.stderr, 4))
                       for place, view in enumerate(OPPONENTS))  # fmt: skip
        return Evaluation("scored", "", None, advantage, advantage, scores)


def evolve(model, payoffs, budget=40, seed=0, refine_all=False, ask_many=None):
    recorded = []
    context = OracleContext(
        REQUEST, model, payoffs, lambda index: derive(seed, index), recorded.append, budget, refine_all, ask_many
    )
    result = AlphaEvolve().respond(context)
    assert list(dict.fromkeys(attempt.index for attempt in recorded)) == list(range(len(result.attempts)))
    return result


def levels(result):
    return [attempt.screen.advantage.mean for attempt in result.attempts if attempt.screen.advantage]


def test_an_all_losing_population_still_improves():
    gains = []
    for seed in range(8):
        found = levels(evolve(Climber(), Payoffs(), seed=seed, refine_all=True))
        assert max(found) < 0
        gains.append(max(found[8:]) - max(found[:8]))
    # Eight draws from [-920, -880] reach about -884; only selection among losers gets far beyond -880.
    assert min(gains) > 0
    assert np.mean(gains) > 40


@pytest.mark.parametrize("budget", [1, 2, 3, 12, 15, 16, 40, 80])
def test_the_budget_is_spent_exactly_when_all_of_it_shall_be(budget):
    model = Climber()
    result = evolve(model, Payoffs(), budget, refine_all=True)
    assert len(result.attempts) == len(model.requests) == budget
    assert result.finalist is not None
    assert {attempt.island for attempt in result.attempts} == set(range(1 if budget < 16 else 2 if budget < 80 else 4))


def test_equal_seeds_give_equal_attempts_and_others_do_not():
    one, again, other = (evolve(Climber(), Payoffs(), seed=seed) for seed in (3, 3, 4))
    assert one == again
    assert [attempt.source for attempt in one.attempts] != [attempt.source for attempt in other.attempts]


def test_proposals_see_earlier_generations_only_so_that_they_may_be_in_flight_at_once():
    batches = []

    def ask_many(requests):
        batches.append(len(requests))
        answers = [Climber()(request) for request in reversed(requests)]  # whoever comes back first
        return list(reversed(answers))

    def never(request):
        raise AssertionError("asked one by one")

    together = evolve(never, Payoffs(), seed=5, refine_all=True, ask_many=ask_many)
    assert together == evolve(Climber(), Payoffs(), seed=5, refine_all=True)
    assert batches == [10] + [GENERATION] * 7 + [2]


def test_the_first_attempt_is_what_best_of_n_asks_for():
    model = Climber()
    evolve(model, Payoffs())
    assert model.requests[0] == replace(REQUEST, sample=derive(0, 0))
    assert model.requests[1].parents == PARENTS[::-1]


def test_the_selected_parent_is_the_only_scored_item_that_a_request_shows():
    model = Climber()
    result = evolve(model, Payoffs(), refine_all=True)
    for request, attempt in zip(model.requests, result.attempts, strict=True):
        scored = [item.source for item in request.feedback if item.score is not None]
        expected = [] if attempt.parent is None else [result.attempts[attempt.parent].source]
        assert scored == expected
        assert (attempt.mate is not None) == (attempt.operator == "crossover")
        if attempt.mate is not None:
            assert request.parents[0].source == result.attempts[attempt.mate].source != expected[0]
        founding = attempt.operator == "propose"
        assert founding or request.wording


def test_every_operator_and_every_wording_is_used():
    model = Climber()
    for seed in range(4):
        evolve(model, Payoffs(), seed=seed, refine_all=True)
    assert {request.task for request in model.requests} == {"propose", "refine", "edit", "crossover"}
    words = {request.wording for request in model.requests if request.task == "refine"}
    assert len(words) == 4
    assert any("#0 rock" in wording for wording in words)  # earns least against it


def test_ties_are_not_duplicated_and_none_of_them_is_lost():
    model = Climber()
    result = evolve(model, Payoffs(flat=True), refine_all=True)
    assert all(attempt.screen.status == "scored" for attempt in result.attempts)
    parents = {attempt.parent for attempt in result.attempts if attempt.parent is not None}
    assert len(parents) > 8
    assert len({attempt.source for attempt in result.attempts}) == 40


def test_an_answer_that_repeats_a_text_is_named_and_not_played_again():
    payoffs = Payoffs()
    result = evolve(lambda request: Completion("level = 5", "", "level = 5"), payoffs, 20)
    assert [attempt.screen.status for attempt in result.attempts] == ["scored"] + ["duplicate"] * 19
    assert payoffs.played == ["level = 5"]
    assert result.finalist.index == 0


def test_patience_ends_a_search_without_gain_and_refine_all_does_not():
    assert len(evolve(Climber(), Payoffs(flat=True)).attempts) in range(PATIENCE + 1, PATIENCE + 1 + GENERATION)
    assert len(evolve(Climber(), Payoffs(flat=True), refine_all=True).attempts) == 40


def test_a_stagnating_island_is_refilled_from_the_leading_one():
    def model(request):
        index = index_of(request)
        # Island 1 finds nothing better than its founders at -500; island 0 goes on gaining.
        level = index if index % 2 == 0 else -500 - index
        return Completion(f"level = {level} #{index}", "", "")

    result = evolve(model, Payoffs(), refine_all=True)
    first = next(a.index for a in result.attempts if a.island == 1 and a.parent is not None and a.parent % 2 == 0)
    own = [a for a in result.attempts if a.island == 1 and a.index < first]
    assert len(own) >= STAGNATION


def index_of(request):
    return next(index for index in itertools.count() if derive(0, index) == request.sample)


def test_one_failed_answer_does_not_stop_it_and_a_dead_model_does():
    climber = Climber()

    def sometimes(request):
        if index_of(request) % 3 == 0:
            raise ModelError("empty", "the model's answer held no program")
        return climber(request)

    result = evolve(sometimes, Payoffs(), refine_all=True)
    assert [a.screen.status for a in result.attempts[:4]] == ["no-answer", "scored", "scored", "no-answer"]
    assert len(result.attempts) == 40

    def dead(request):
        if index_of(request) >= 6:
            raise ModelError("quota", "no more today")
        return climber(request)

    with pytest.raises(ModelError, match="no more today"):
        evolve(dead, Payoffs())


def test_an_answer_without_a_program_is_no_answer_and_is_not_played():
    payoffs = Payoffs()
    result = evolve(lambda request: Completion("", "", "Sorry.", problem="no code in it"), payoffs, 5)
    assert [attempt.screen.message for attempt in result.attempts] == ["no code in it"] * 5
    assert payoffs.played == []
    assert result.finalist is None


def test_a_program_that_fails_is_repaired_once_and_never_selected():
    climber = Climber()

    def model(request):
        index = index_of(request)
        good = climber(request)
        return replace(good, source=f"{good.source} bad") if index in {9, 11} else good

    result = evolve(model, Payoffs(), refine_all=True)
    repairs = [attempt for attempt in result.attempts if attempt.operator == "repair"]
    assert [attempt.parent for attempt in repairs] == [9]
    assert repairs[0].index == 11
    selected = {a.parent for a in result.attempts if a.operator != "repair"}
    assert not selected & {9, 11}


def edit_model(answer):
    climber = Climber()

    def model(request):
        written = climber(request)
        return Completion("", "an edit", answer(request)) if request.task == "edit" else written

    return model


def test_an_edit_that_applies_makes_a_child_of_the_selected_parent():
    def answer(request):
        source = next(item.source for item in request.feedback if item.score is not None)
        return f"<<<<<<< SEARCH\n{source}\n=======\nlevel = 7 #{request.sample}\n>>>>>>> REPLACE"

    result = evolve(edit_model(answer), Payoffs(), refine_all=True)
    edits = [attempt for attempt in result.attempts if attempt.operator == "edit"]
    assert edits
    assert all(attempt.source.startswith("level = 7 #") for attempt in edits)


@pytest.mark.parametrize("replacement", ["{source}", "x"], ids=["no-op", "miss"])
def test_an_edit_that_changes_nothing_never_yields_an_unchanged_child(replacement):
    def answer(request):
        source = next(item.source for item in request.feedback if item.score is not None)
        search = source if "source" in replacement else "level = nowhere"
        return f"<<<<<<< SEARCH\n{search}\n=======\n{replacement.format(source=source)}\n>>>>>>> REPLACE"

    payoffs = Payoffs()
    result = evolve(edit_model(answer), payoffs, refine_all=True)
    edits = [attempt for attempt in result.attempts if attempt.operator == "edit"]
    assert edits
    assert all(attempt.source == "" and attempt.screen.status == "no-answer" for attempt in edits)
    assert all("SEARCH" in a.screen.message or "change something" in a.screen.message for a in edits)
    played = [attempt.source for attempt in result.attempts if attempt.source]
    assert payoffs.played[: len(played)] == played
    # The second try at the same parent is told why the first one missed; there is no third.
    pairs = [(one, two) for one, two in itertools.combinations(edits, 2) if two.index - one.index <= 2 * GENERATION]
    assert any(one.parent == two.parent for one, two in pairs)


def test_lessons_say_what_helped_what_hurt_and_what_failed():
    climber = Climber()

    def model(request):
        good = climber(request)
        return replace(good, source="level = x bad") if index_of(request) % 5 == 4 else good

    evolve(model, Payoffs(), refine_all=True)
    last = [item.message for item in climber.requests[-1].feedback if item.status == "lesson"]
    assert 1 <= len(last) <= 5
    assert last[0].startswith("helped (+")
    assert any(sentence.startswith("hurt (-") for sentence in last)
    assert any("IndexError" in sentence for request in climber.requests for sentence in
               (item.message for item in request.feedback if item.status == "lesson"))  # fmt: skip


def test_a_screen_that_measured_nothing_is_never_a_parent():
    climber = Climber()

    def payoffs(text, stage):
        seen = Payoffs()(text, stage)
        unknown = Estimate(math.nan, math.nan, 0)
        return replace(seen, score=unknown, advantage=unknown) if derived_odd(text) else seen

    def derived_odd(text):
        return int(text.split("#")[1]) % 2 == 1

    result = evolve(climber, payoffs, refine_all=True)
    parents = [result.attempts[a.parent].source for a in result.attempts if a.parent is not None]
    assert parents
    assert not any(derived_odd(text) for text in parents)


class NullBench:
    """Plays as if every text were as strong as every other: returns are noise around 0."""

    is_one_step = False

    def __init__(self, seed, episodes):
        self.episodes = episodes
        self.game = make_game(GameSpec("repeated_rps"))
        self._rng = np.random.default_rng(seed)

    def meet(self, sources, opponents, player, episodes, screening=False):
        shape = (len(opponents), episodes.count)
        return [self._matchup(opponents, self._rng.normal(0.0, 30.0, shape)) for _ in sources]

    @staticmethod
    def _matchup(opponents, returns):
        nothing = tuple(() for _ in opponents)
        return Matchup(tuple(opponents), returns, returns, np.zeros(returns.shape, bool), nothing, nothing)


@pytest.mark.parametrize("episodes", [8, 20])
def test_a_null_model_is_admitted_about_as_often_as_the_rule_promises(episodes):
    # 5 % one-sided over all looks; 7.1 % leaves three standard errors of 1,000 draws (0.05 * 0.95 / 1000) ** 0.5.
    population = tuple(Entry(f"h{i}", f"t{i}", f"x{i}", f"n{i}") for i in range(2))
    populations = Populations(True, (population,))
    sigma = np.array([0.75, 0.25])
    admitted = 0
    for iteration in range(1000):
        rng = np.random.default_rng(iteration)

        def paraphrase(request):
            return Completion(f"policy #{request.sample}", "another wording", "")

        def screen(text, stage, rng=rng):
            noise = Estimate(float(rng.normal(0.0, 15.0)), 15.0, 4)
            return Evaluation("scored", "", None, noise, noise)

        finalist = evolve(paraphrase, screen, 6, seed=iteration).finalist
        bench = NullBench(10_000 + iteration, episodes)
        trial = Trial(finalist.source, 0, (sigma, sigma), None, population[0], iteration)
        admitted += admit(bench, populations, trial, always=False).admitted
    assert 0.005 <= admitted / 1000 <= 0.071
