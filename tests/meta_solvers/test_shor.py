from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csro_core.meta_solvers.shor import (
    ShorEvalSolver,
    ShorSolver,
    ShorTrueRegretSolver,
    evaluation_parameters,
    hybrid,
    training_parameters,
)
from csro_core.meta_solvers.verify import nash_conv
from tests.known_values import ZERO_SUM_GAMES
from tests.strategies import general_sum_payoffs

RPS, BIASED, TWO = (ZERO_SUM_GAMES[place].payoffs for place in (0, 1, 3))
TRANSITIVE = ZERO_SUM_GAMES[6].payoffs

# A separate implementation of listing 6 of arXiv 2602.16928, to five digits: what the published solver gives, in the
# payoffs' own unit, for the first call, the 75th, and in evaluation.
VECTORS = {
    "rps, call 1": (RPS, training_parameters(3, 1), (1 / 3, 1 / 3, 1 / 3), (1 / 3, 1 / 3, 1 / 3)),
    "rps, evaluation": (RPS, evaluation_parameters(3), (1 / 3, 1 / 3, 1 / 3), (1 / 3, 1 / 3, 1 / 3)),
    "transitive, call 1": (
        TRANSITIVE, training_parameters(3, 1), (0.02895, 0.03287, 0.93818), (0.02896, 0.03283, 0.93821),
    ),
    "transitive, call 75": (TRANSITIVE, training_parameters(3, 75), (0, 0, 1), (0, 0, 1)),
    "transitive, evaluation": (TRANSITIVE, evaluation_parameters(3), (0, 0, 1), (0, 0, 1)),
    "biased, call 1": (BIASED, training_parameters(3, 1), (0.16244, 0.63428, 0.20328), (0.16251, 0.63412, 0.20337)),
    "biased, evaluation": (BIASED, evaluation_parameters(3), (0.03062, 0.49756, 0.47182), (0.60048, 0.2633, 0.13622)),
    "2 x 2, evaluation": (TWO, evaluation_parameters(2), (0, 1), (1, 0)),
}  # fmt: skip


@pytest.mark.parametrize("name", VECTORS)
def test_published_vectors(name):
    payoffs, parameters, row, column = VECTORS[name]
    sigma = hybrid(payoffs, parameters)
    assert sigma[0] == pytest.approx(row, abs=1e-5)
    assert sigma[1] == pytest.approx(column, abs=1e-5)


def test_the_chaotic_vector():
    # Call 75 on biased rps is chaotic: a rounding of 1e-16 anywhere moves the third digit, so other processors differ.
    row, column = hybrid(BIASED, training_parameters(3, 75))
    assert row == pytest.approx([0.0868, 0.63701, 0.2762], abs=0.02)
    assert column == pytest.approx([0.11151, 0.56288, 0.32561], abs=0.02)
    assert nash_conv(BIASED, (row, column)) == pytest.approx(0.03, abs=0.015)


def test_how_far_from_an_equilibrium():
    assert nash_conv(BIASED, hybrid(BIASED, training_parameters(3, 1))) == pytest.approx(0.0609, abs=1e-4)
    assert nash_conv(BIASED, hybrid(BIASED, evaluation_parameters(3))) == pytest.approx(0.2548, abs=1e-4)
    assert nash_conv(TWO, hybrid(TWO, evaluation_parameters(2))) == pytest.approx(4.0, abs=1e-6)


def test_published_parameters():
    first, later, last = training_parameters(1, 0), training_parameters(101, 75), training_parameters(1_000, 400)
    assert (first.steps, first.blend, first.temperature, first.diversity) == (1_000, 0.30, 0.50, 0.05)
    assert (later.steps, later.blend, later.temperature, later.diversity) == (3_000, 0.05, 0.01, 0.001)
    assert (last.steps, last.momentum, last.averaged) == (5_000, 0.5, True)
    assert training_parameters(1, 1).blend == pytest.approx(0.30 - 0.25 / 75)
    evaluation = evaluation_parameters(41)
    assert (evaluation.steps, evaluation.momentum, evaluation.averaged) == (10_000, 0.2, False)
    assert evaluation_parameters(400).steps == 15_000


def test_without_softmax_it_plays_the_positive_part_of_mean_centred_payoffs():
    # The fixed point of regret matching+ with gains centred by the plain mean (not a regret).
    rng = np.random.default_rng(2)
    matrix = rng.uniform(-1, 1, size=(6, 6))
    payoffs = np.stack([matrix, -matrix])
    bare = replace(evaluation_parameters(6), steps=20_000, blend=0.0, momentum=0.0, averaged=True)
    row, column = hybrid(payoffs, bare)
    gain = np.maximum(matrix @ column - (matrix @ column).mean(), 0)
    assert row == pytest.approx(gain / gain.sum(), abs=0.03)


def test_true_regrets_come_near_an_equilibrium_and_published_ones_do_not():
    # Mean NashConv of random games of 20 x 20 in U(-1, 1): published .196 to .082, the same loop with true regrets,
    # without blend and averaged .0003 (recomputed).
    rng = np.random.default_rng(5)
    matrix = rng.uniform(-1, 1, size=(20, 20))
    payoffs = np.stack([matrix, -matrix])
    published = replace(training_parameters(20, 75), steps=5_000)
    honest = replace(published, blend=0.0, diversity=0.0, true_regret=True)
    assert nash_conv(payoffs, hybrid(payoffs, honest)) < 0.005
    assert nash_conv(payoffs, hybrid(payoffs, published)) > 0.02


@settings(max_examples=30, deadline=None)
@given(general_sum_payoffs(), st.integers(1, 100), st.booleans())
def test_outputs_are_distributions(payoffs, call, averaged):
    parameters = replace(training_parameters(3, call), steps=200, averaged=averaged)
    for sigma in hybrid(payoffs, parameters):
        assert (sigma >= 0).all()
        assert sigma.sum() == pytest.approx(1.0)


def test_the_annealing_follows_the_size_of_the_population():
    assert ShorSolver().parameters(75) == training_parameters(75, 75)
    assert ShorEvalSolver().parameters(9) == evaluation_parameters(9)
    assert ShorTrueRegretSolver().parameters(9) == replace(training_parameters(9, 9), true_regret=True)


def test_one_population_gets_the_mean_of_both_players():
    row, column = hybrid(BIASED * 2, training_parameters(3, 3))  # twice: payoffs up to 1
    solution = ShorSolver().solve(BIASED, symmetric=True)
    assert solution.sigma[0] == pytest.approx((row + column) / 2, abs=1e-9)


def test_a_large_meta_game_gets_fewer_steps_and_says_so(monkeypatch):
    monkeypatch.setattr("csro_core.meta_solvers.scaling._WORK", 900.0)
    solution = ShorSolver().solve(RPS)
    assert "100 steps instead of 1,040" in solution.note


def test_fewer_steps_can_be_asked_for():
    assert ShorEvalSolver(50).solve(BIASED).sigma[0] == pytest.approx(
        hybrid(BIASED * 2, replace(evaluation_parameters(3), steps=50))[0]
    )
