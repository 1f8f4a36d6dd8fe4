"""What holds of every picture: the forms of the documents, refusals, progress, cancelling, invariance."""

import json

import numpy as np
import pytest

from csro_core.analysis.pictures import PICTURES, MatrixGame
from csro_core.analysis.refusals import MAX_PROFILES
from csro_core.errors import Cancelled
from tests.analysis.matrices import ROCK_TWICE, RPS, permuted, skill
from tests.known_values import BATTLE_OF_THE_SEXES

FORMS = {
    "solvers": {"rows"},
    "decomposition": {"ratings", "transitive_share", "cyclic_share", "transitive", "cyclic"},
    "disc": {"points", "weights", "share"},
    "gamescape": {"points", "hull", "shares"},
    "spinning-top": {"clusters", "strength", "win_rate", "cycles"},
    "alpha-rank": {"alphas", "stationary", "profiles", "chosen", "edges", "sinks"},
    "diversity": {"iterations", "effective", "cardinality", "sizes"},
    "dominance": {"players"},
    "replicator": {"field", "paths", "rest_points"},
}
GAMES = {
    "rps": MatrixGame(np.stack([RPS, RPS.T]), symmetric=True),
    "rock twice, later": MatrixGame(
        np.stack([ROCK_TWICE, ROCK_TWICE.T]), symmetric=True, iterations=((0, 0, 1, 4), (0, 0, 1, 4))
    ),
    "noisy": MatrixGame(np.stack([skill(7), skill(7).T]), np.full((2, 7, 7), 0.05), True),
    "zeros": MatrixGame(np.zeros((2, 4, 4)), symmetric=True),
    "1 x 1": MatrixGame(np.zeros((2, 1, 1)), symmetric=True),
    "tiny": MatrixGame(np.stack([RPS, RPS.T]) * 1e-9, symmetric=True),
    "huge": MatrixGame(np.stack([RPS, RPS.T]) * 1e99, symmetric=True),
    "battle": MatrixGame(BATTLE_OF_THE_SEXES),
    "2 x 3": MatrixGame(np.stack([[[1.0, -1, 0], [-1, 1, 0]], [[-1.0, 1, 0], [1, -1, 0]]])),
    "coordination": MatrixGame(np.stack([np.diag([1.0, 2, 3])] * 2), symmetric=True),
}


def silent(done, total):
    pass


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("game", GAMES)
def test_every_picture_of_every_game_is_drawn_or_refused(name, game):
    picture = PICTURES[name]
    refusal = picture.refusal(GAMES[game])
    if refusal:
        assert refusal.endswith(".")
        assert "\n" not in refusal
        return
    heard = []
    document = picture.compute(GAMES[game], {}, lambda done, total: heard.append((done, total)))
    assert document.keys() == FORMS[name]
    # Plain JSON: nothing of numpy, and no number that JSON has not.
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert all(0 <= done <= total for done, total in heard)
    assert [done for done, _ in heard] == sorted(done for done, _ in heard)


def test_what_is_refused():
    refused = {name: {game for game in GAMES if picture.refusal(GAMES[game])} for name, picture in PICTURES.items()}
    uneven = {"battle", "2 x 3", "coordination"}
    assert refused == {
        "solvers": set(),
        "decomposition": uneven,
        "disc": uneven,
        "gamescape": {"1 x 1"},
        "spinning-top": uneven,
        "alpha-rank": set(),
        "diversity": uneven,
        "dominance": set(),
        "replicator": {"battle", "2 x 3", "1 x 1"},
    }


def test_alpha_rank_of_too_many_profiles_is_refused_with_the_number():
    side = int(MAX_PROFILES**0.5) + 1
    refusal = PICTURES["alpha-rank"].refusal(MatrixGame(np.zeros((2, side, side))))
    assert f"{side**2:,}" in refusal
    assert PICTURES["alpha-rank"].refusal(MatrixGame(np.zeros((2, side, side)), symmetric=True)) == ""


def test_every_picture_says_how_to_read_it_in_one_sentence():
    for name, picture in PICTURES.items():
        assert picture.name == name
        assert picture.title
        assert picture.how_to_read.endswith(".")
        assert picture.how_to_read.count(". ") == 0


@pytest.mark.parametrize("name", ["solvers", "spinning-top", "alpha-rank", "diversity", "dominance"])
def test_slow_pictures_can_be_cancelled(name):
    def stop(done, total):
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        PICTURES[name].compute(GAMES["noisy"], {}, stop)


def test_names_and_units_change_no_key():
    game = GAMES["rps"]
    renamed = MatrixGame(game.payoffs, None, True, (("a", "b", "c"),) * 2, "throws")
    assert renamed.key == game.key


def test_pictures_follow_the_order_of_the_policies():
    matrix, order = skill(8), np.random.default_rng(3).permutation(8)
    one, two = (
        {
            name: PICTURES[name].compute(MatrixGame(np.stack([table, table.T]), symmetric=True), {}, silent)
            for name in ("decomposition", "spinning-top", "alpha-rank", "gamescape")
        }
        for table in (matrix, permuted(matrix, order))
    )
    assert np.allclose(np.array(one["decomposition"]["ratings"])[order], two["decomposition"]["ratings"])
    assert np.array(one["spinning-top"]["cycles"])[order].tolist() == two["spinning-top"]["cycles"]
    assert np.allclose(np.array(one["alpha-rank"]["stationary"])[:, order], two["alpha-rank"]["stationary"])
    assert {int(order[i]) for i in two["gamescape"]["hull"]} == set(one["gamescape"]["hull"])


@pytest.mark.parametrize(
    "policies",
    [None, "abc", [0, 1], [0, 1, 1], [0, 1, 7], [-1, 0, 1], [0, 1, 2, 3], [0.0, 1, 2], [True, 0, 2], [[0], 1, 2], {}],
)
def test_odd_choices_of_three_policies(policies):
    with pytest.raises(ValueError, match="three different indices from 0 to 6"):
        PICTURES["replicator"].compute(GAMES["noisy"], {"policies": policies}, silent)


@pytest.mark.parametrize("alpha", ["1", True, [], float("nan"), 0, -3, float("inf")])
def test_odd_alphas(alpha):
    with pytest.raises(ValueError, match="alpha must be"):
        PICTURES["alpha-rank"].compute(GAMES["rps"], {"alpha": alpha}, silent)


def test_dominance_of_two_populations_tells_both():
    document = PICTURES["dominance"].compute(GAMES["2 x 3"], {}, silent)
    assert [len(player) for player in document["players"]] == [0, 0]
    lopsided = MatrixGame(np.stack([[[1.0, 2], [0, 1]], [[5.0, 1], [5, 1]]]))
    players = PICTURES["dominance"].compute(lopsided, {}, silent)["players"]
    assert [[(one["policy"], one["strict"]) for one in player] for player in players] == [[(1, True)], [(1, True)]]
