import json

import numpy as np
import pytest

from csro_core.analysis.matrix_game import MAX_POLICIES, MatrixGame
from tests.analysis.matrices import BIASED, RPS
from tests.known_values import BATTLE_OF_THE_SEXES

SINGLE = MatrixGame(
    np.stack([BIASED, BIASED.T]), np.full((2, 3, 3), 0.01), True, (("a", "b", "c"), ("a", "b", "c")), "points",
    ((0, 0, 1), (0, 0, 1)),
)  # fmt: skip


@pytest.mark.parametrize(
    "game", [SINGLE, MatrixGame(BATTLE_OF_THE_SEXES), MatrixGame(np.stack([[[1.0, 2, 3]], [[-1.0, -2, -3]]]))]
)
def test_documents_go_round(game):
    back = MatrixGame.from_document(json.loads(json.dumps(game.to_document())))
    assert (back.payoffs == game.payoffs).all()
    assert (back.stderr is None) == (game.stderr is None)
    assert (back.symmetric, back.names, back.unit, back.iterations) == (
        game.symmetric, game.names, game.unit, game.iterations,
    )  # fmt: skip
    assert back.key == game.key


def test_the_key_is_that_of_the_content():
    payoffs = np.stack([RPS, -RPS])  # with negative zeros
    same = MatrixGame(payoffs + 0.0, None, True, (("r", "p", "s"),) * 2, "throws")
    assert MatrixGame(payoffs, symmetric=True).key == same.key
    others = (
        MatrixGame(payoffs),
        MatrixGame(payoffs * (1 + 1e-15), symmetric=True),
        MatrixGame(payoffs, np.zeros((2, 3, 3)), True),
        MatrixGame(payoffs, symmetric=True, iterations=((0, 0, 0), (0, 0, 0))),
    )
    assert len({same.key, *(game.key for game in others)}) == 5


def test_properties():
    assert SINGLE.antisymmetric
    assert (SINGLE.matrix == BIASED).all()
    battle = MatrixGame(BATTLE_OF_THE_SEXES)
    assert not battle.zero_sum
    assert not battle.antisymmetric
    pennies = MatrixGame(np.stack([[[1.0, -1], [-1, 1]], [[-1.0, 1], [1, -1]]]))
    assert pennies.zero_sum
    assert not pennies.antisymmetric


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: MatrixGame(np.full((2, 1, 1), np.nan)), "finite"),
        (lambda: MatrixGame(np.full((2, 1, 1), np.inf)), "finite"),
        (lambda: MatrixGame(np.zeros((2, 0, 3))), "shape"),
        (lambda: MatrixGame(np.full((2, 1, 1), 1e200)), "1e100"),
        (lambda: MatrixGame(np.zeros((2, 1, MAX_POLICIES + 1))), "at most 1000 policies"),
        (lambda: MatrixGame(np.zeros((2, 1, 1)), -np.ones((2, 1, 1))), "not negative"),
        (lambda: MatrixGame(BATTLE_OF_THE_SEXES * [[[1]], [[2]]], symmetric=True), "symmetric"),
        (lambda: MatrixGame(np.zeros((2, 2, 2)), names=(("a",), ("b",))), "names"),
        (lambda: MatrixGame(np.zeros((2, 2, 2)), iterations=((0, 1),)), "iterations"),
    ],
)
def test_what_is_no_game(make, words):
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize(
    "document",
    [
        None, [], "x", 3, {}, {"payoffs": None}, {"payoffs": []}, {"payoffs": [[]]}, {"payoffs": [[[]]]},
        {"payoffs": [[["a"]]]}, {"payoffs": [[[1, 2], [3]]]}, {"payoffs": [[[None]]]}, {"payoffs": [[[1]]] * 3},
        {"payoffs": [[1, 2]]}, {"payoffs": [[[1]]], "names": 3}, {"payoffs": [[[1]]], "names": [["a"]]},
        {"payoffs": [[[1]]], "names": [[1], [2]]}, {"payoffs": [[[1]]], "iterations": [["a"], ["b"]]},
        {"payoffs": [[[1]]], "stderr": [[[1, 2]]]}, {"payoffs": [[[{}]]]}, {"payoffs": {"a": 1}},
    ],
)  # fmt: skip
def test_odd_documents_are_refused(document):
    with pytest.raises(ValueError):  # noqa: PT011 - each has words of its own; what counts is that nothing else escapes
        MatrixGame.from_document(document)
