"""What the synthesiser writes for matrix games: known best responses, and PSRO to exploitability 0."""

import random
from dataclasses import replace

import numpy as np
import pytest
from model_requests import failed, load, opponent, parent, request, scored

from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.meta_solvers.nash import NashSolver
from csro_core.models.synthesiser import Synthesiser
from csro_core.models.synthesiser.matrix import read_opponent
from csro_core.policies.library import reference_names, reference_text
from csro_core.sandbox.guard import check

RPS = GameSpec("matrix")
BIASED = GameSpec("matrix", {"preset": "biased_rps"})
PENNIES = GameSpec("matrix", {"preset": "matching_pennies"})
MATRIX = make_game(RPS).lockstep.payoffs[0]


def write(sample, opponents, game=RPS, player=0, **more):
    views = [opponent(f"#{place}", weight, text) for place, (weight, text) in enumerate(opponents)]
    text = Synthesiser().write(request(sample, views, game=game, player=player, **more)).source
    assert check(text).problems == ()
    return text


def reference(name):
    return reference_text(name)


def act(text, game=RPS, player=0):
    return load(text).act(make_game(game).first_observation(player))


@pytest.mark.parametrize("name", reference_names("matrix"))
@pytest.mark.parametrize("game", [RPS, BIASED, PENNIES])
def test_reference_policies_are_read_as_they_play(name, game):
    payoffs = make_game(game).lockstep.payoffs[0]
    read = read_opponent(reference(name), payoffs)
    policy = load(reference(name))
    actions = [policy.act(make_game(game).first_observation(0)) for _ in range(3000)]
    played = np.bincount(actions, minlength=len(payoffs))
    assert read == pytest.approx(played / 3000, abs=0.04)


@pytest.mark.parametrize("text", [
    "", "class Policy:\n    def act(self, obs):\n        return obs[0]\n", "ACTION = 999\n", "ACTION = 7\n",
    "ACTIONS = (0, 1)\nWEIGHTS = (0, 0)\n", "ACTIONS = (0, 1)\nWEIGHTS = (1)\n", "ACTIONS = (5,)\nWEIGHTS = (1,)\n",
    "ACTIONS = (0, 0, 0,)\nWEIGHTS = (" + "9" * 60 + ")\n", "    return 99999999999999999999999\n",
    "    return 0\n    return 1\n",
])
def test_what_is_not_understood_is_said_to_be_unknown(text):
    assert read_opponent(text, MATRIX) is None


# Best responses by hand: rock 0, paper 1, scissors 2; biased payoffs as in csro_core.games.matrix.
@pytest.mark.parametrize(("game", "mixture", "best"), [
    (RPS, [(1.0, "first_action")], 1),
    (RPS, [(1.0, "pure_1")], 2),
    (RPS, [(1.0, "pure_2")], 0),
    (RPS, [(0.6, "first_action"), (0.4, "pure_1")], 1),
    (RPS, [(0.2, "first_action"), (0.8, "pure_1")], 2),
    (BIASED, [(1.0, "uniform")], 0),
    (BIASED, [(1.0, "first_action")], 1),
    (BIASED, [(0.5, "first_action"), (0.5, "pure_1")], 1),
])
def test_known_best_responses(game, mixture, best):
    text = write(1, [(weight, reference(name)) for weight, name in mixture], game)
    assert act(text, game) == best


def test_the_second_seat_answers_for_itself():
    # Matching pennies: the row player wants to match, the column player does not.
    heads = reference("first_action")
    assert act(write(1, [(1.0, heads)], PENNIES, player=0), PENNIES, 0) == 0
    assert act(write(1, [(1.0, heads)], PENNIES, player=1), PENNIES, 1) == 1


def test_it_reads_its_own_texts():
    paper = write(1, [(1.0, reference("first_action"))])
    assert act(write(2, [(1.0, paper)])) == 2


def test_what_was_tried_is_not_tried_again():
    opponents = [(1.0, reference("first_action"))]
    paper = write(1, opponents)
    second = write(2, opponents, feedback=[scored(paper, 1.0)], task="refine")
    assert second != paper
    pures = {act(write(s, opponents, feedback=[failed(paper)], task="refine")) for s in range(20)}
    assert len(pures) >= 2


def test_where_all_pure_actions_are_known_it_mixes_and_reads_the_mixture():
    members = [parent(f"#{i}", f"ACTION = {i}\n") for i in range(3)]
    text = write(5, [(1.0, reference("uniform"))], parents=members)
    assert "WEIGHTS" in text
    read = read_opponent(text, MATRIX)
    policy = load(text)
    played = np.bincount([policy.act({}) for _ in range(4000)], minlength=3) / 4000
    assert read == pytest.approx(played, abs=0.04)


@pytest.mark.parametrize(("game", "value"), [(RPS, 0.0), (BIASED, 0.0)])
def test_psro_from_one_pure_action_reaches_exploitability_zero(game, value):
    # The equilibria have full support (biased RPS: 1/16, 10/16, 5/16; Bosansky et al. 2016), so three members suffice.
    payoffs = make_game(game).lockstep.payoffs[0]
    population = [reference("first_action")]
    for iteration in range(6):
        mixtures = np.array([read_opponent(text, payoffs) for text in population])
        meta = mixtures @ payoffs @ mixtures.T
        sigma = NashSolver().solve(np.stack([meta, -meta]), symmetric=True).sigma[0]
        exploitability = (payoffs @ (sigma @ mixtures)).max() - value
        if exploitability < 1e-6:
            break
        views = [(weight, text) for weight, text in zip(sigma, population, strict=True) if weight > 1e-9]
        members = [parent("own", text) for text in population]
        population.append(write(iteration, views, game, parents=members))
    assert exploitability < 1e-6
    assert len(population) == 3


def test_the_docstring_gives_the_reasons():
    text = " ".join(write(1, [(0.75, reference("first_action")), (0.25, "nonsense")]).split())
    assert "#0 (weight 0.75) plays rock 100%" in text
    assert "#1 (weight 0.25) plays anything, for all its text tells" in text
    assert "paper earns 0.75" in text


def test_wide_matrices_are_answered_in_few_words():
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(40, 30)).round(2)
    game = GameSpec("matrix", {"payoffs": matrix.tolist()})
    text = write(1, [(1.0, reference("uniform"))], game)
    assert act(text, game) == int(matrix.mean(axis=1).argmax())
    assert len(text) < 2_000


def test_the_same_request_gives_the_same_text():
    random.seed(1)
    one = request(9, [opponent("#0", 1.0, reference("uniform"))], game=RPS)
    assert Synthesiser().write(one) == Synthesiser().write(replace(one))
