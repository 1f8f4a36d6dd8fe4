import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csro_core.errors import UsageError
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.games.matrix import PRESETS, spec_from_csv_text, spec_from_rows

ENTRIES = st.integers(-8, 8).map(lambda quarters: quarters / 4)
MATRICES = st.tuples(st.integers(1, 4), st.integers(1, 4)).flatmap(
    lambda shape: st.lists(
        st.lists(ENTRIES, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
    )
)


def matrix(**parameters):
    return make_game(GameSpec("matrix", parameters))


def test_biased_rps_has_the_equilibrium_of_the_paper():
    # Bosansky et al. 2016, section 6.2: (1/16, 10/16, 5/16) for both players, value 0. At an equilibrium with full
    # support every action earns the value.
    payoffs = matrix(preset="biased_rps").lockstep.payoffs
    sigma = np.array([1, 10, 5]) / 16
    assert payoffs[0] @ sigma == pytest.approx(np.zeros(3), abs=1e-12)
    assert sigma @ payoffs[0] == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize(
    ("rows", "symmetric"),
    [
        ([[0, 1], [-1, 0]], True),
        ([[0.0]], True),
        ([[1]], False),
        ([[0, 1], [1, 0]], False),
        ([[1, -1], [-1, 1]], False),
        ([[0, 1, 2], [-1, 0, 3]], False),
        ([[0, -0.25, 0.5], [0.25, 0, -0.05], [-0.5, 0.05, 0]], True),
    ],
)
def test_symmetric_means_square_and_antisymmetric(rows, symmetric):
    assert make_game(spec_from_rows(rows)).symmetric is symmetric


def test_each_player_sees_its_own_payoffs_with_its_own_actions_as_rows():
    game = matrix(payoffs=[[1, 2, 3], [4, 5, 6]])
    assert game.first_observation(0) == {"player": 0, "legal_actions": [0, 1], "payoffs": [[1, 2, 3], [4, 5, 6]]}
    assert game.first_observation(1) == {
        "player": 1,
        "legal_actions": [0, 1, 2],
        "payoffs": [[-1, -4], [-2, -5], [-3, -6]],
    }


@given(MATRICES)
def test_the_observation_tells_exactly_what_the_referee_pays(rows):
    game = make_game(spec_from_rows(rows))
    for player in (0, 1):
        seen = np.array(game.first_observation(player)["payoffs"])
        paid = game.lockstep.payoffs[player]
        assert (seen == (paid if player == 0 else paid.T)).all()
    assert game.min_return == min(game.lockstep.payoffs.min(), -game.lockstep.payoffs.max())
    assert game.max_return == -game.min_return


@given(MATRICES)
def test_equal_games_have_equal_keys(rows):
    spec = spec_from_rows(rows)
    assert spec_from_rows([[-entry * -1.0 for entry in row] for row in rows]).key == spec.key
    assert spec_from_csv_text("\n".join(",".join(str(entry) for entry in row) for row in rows)).key == spec.key
    assert make_game(GameSpec.from_json(json.loads(json.dumps(spec.to_json())))).spec.key == spec.key


@pytest.mark.parametrize("preset", PRESETS)
def test_a_matrix_that_equals_a_preset_is_that_preset(preset):
    assert spec_from_rows(PRESETS[preset]).key == matrix(preset=preset).spec.key


def test_the_forfeit_of_each_player_is_its_own_worst_payoff():
    game = matrix(payoffs=[[3, -1], [0, 2]])
    assert game.lockstep.forfeit_reward.tolist() == [[-1.0, 1.0], [3.0, -3.0]]


def test_presets_name_their_actions_and_others_count():
    assert matrix(preset="matching_pennies").action_names == (("heads", "tails"),) * 2
    assert matrix(payoffs=[[1, 2]]).action_names == (("0",), ("0", "1"))


def test_a_large_matrix_is_not_written_out():
    game = make_game(spec_from_rows([[row * column for column in range(200)] for row in range(200)]))
    assert len(game.rules_text()) + len(game.observation_text()) < 4000
    assert len(game.first_observation(0)["payoffs"]) == 200


def test_the_rules_show_every_payoff_of_a_small_matrix():
    assert "  [0.123456789, -1000000]\n" in matrix(payoffs=[[0.123456789, -1e6]]).rules_text()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"preset": "chess"}, "unknown preset 'chess'.*known presets: rps, biased_rps, matching_pennies"),
        ({"preset": 3}, "unknown preset 3"),
        ({"preset": "rps", "payoffs": [[1]]}, "not both"),
        ({"rows": 3}, "no parameter 'rows'; it has: preset, payoffs"),
        ({"payoffs": "rps"}, "list of rows"),
        ({"payoffs": None}, "list of rows"),
        ({"payoffs": [1, 2]}, "list of rows"),
        ({"payoffs": []}, "at least one row"),
        ({"payoffs": [[]]}, "at least one row"),
        ({"payoffs": [[1, 2], [3]]}, "row 1 has 2, row 2 has 1"),
        ({"payoffs": [[1, 2], []]}, "row 1 has 2, row 2 has 0"),
        ({"payoffs": [[1, float("nan")]]}, "row 1, column 2: .*finite.*nan"),
        ({"payoffs": [[1], [float("-inf")]]}, "row 2, column 1: .*finite.*-inf"),
        ({"payoffs": [[10**400]]}, "row 1, column 1: .*finite"),
        ({"payoffs": [[1, "2"]]}, "row 1, column 2: .*a number, got '2'"),
        ({"payoffs": [[1, None]]}, "row 1, column 2: .*a number, got None"),
        ({"payoffs": [[True]]}, "row 1, column 1: .*a number, got True"),
        ({"payoffs": [[0.0]] * 201}, "at most 200 rows and columns, got 201 x 1"),
        ({"payoffs": [[0.0] * 201]}, "at most 200 rows and columns, got 1 x 201"),
    ],
)
def test_a_bad_matrix_is_refused_in_one_line(parameters, message):
    with pytest.raises(UsageError, match=message) as refused:
        make_game(GameSpec("matrix", parameters))
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 200
