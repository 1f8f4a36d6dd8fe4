import ast

import pytest

pyspiel = pytest.importorskip("pyspiel")

from csro_core.errors import UsageError  # noqa: E402 - after the check that OpenSpiel is there
from csro_core.evaluation.cfr_policies import is_solver, solver_policy  # noqa: E402
from csro_core.games import make_game  # noqa: E402
from csro_core.games.base import GameSpec  # noqa: E402
from csro_core.sandbox.guard import check  # noqa: E402


def constants(text):
    """The tables of a policy, read without running it."""
    assigned = [node for node in ast.parse(text).body if isinstance(node, ast.Assign)]
    return {node.targets[0].id: ast.literal_eval(node.value) for node in assigned}


def act(text, obs):
    """Our own text, so that this test may run it."""
    names = {}
    exec(text, names)
    return names["Policy"]().act(obs)


@pytest.mark.parametrize(
    "game",
    [
        GameSpec("kuhn_poker"), GameSpec("leduc_poker"), GameSpec("repeated_leduc"),
        GameSpec("leduc_poker", {"suit_isomorphism": True}), GameSpec("liars_dice", {"dice_sides": 2}),
        GameSpec("goofspiel", {"num_cards": 3, "imp_info": True}),
    ],
    ids=lambda spec: spec.key,
)  # fmt: skip
@pytest.mark.parametrize("solver", ["cfr:3", "vad-cfr:3"])
def test_the_text_passes_the_check_and_plays(game, solver):
    text = solver_policy(solver, game)
    assert check(text).problems == ()
    for player in (0, 1):
        obs = make_game(game).first_observation(player)
        assert act(text, obs) in obs["legal_actions"]


def test_kuhn_is_the_known_equilibrium():
    """Kuhn 1950: with the king call a bet, with the jack fold to one; bluff with the jack a third as often as the king
    is bet.
    """
    first, second = constants(solver_policy("vad-cfr:1000", GameSpec("kuhn_poker")))["TABLES"]
    assert second["0b"] == (1, 0)
    assert second["2b"] == (0, 1)
    assert first["0"][1] == pytest.approx(first["2"][1] / 3, abs=0.001)
    assert second["0p"] == (0.6667, 0.3333)
    assert list(first)[:3] == ["0", "1", "2"]  # short states first


def test_both_forms_of_leduc_share_a_table():
    single, repeated = (solver_policy("cfr:5", GameSpec(name)) for name in ("leduc_poker", "repeated_leduc"))
    assert constants(single) == constants(repeated)
    assert len(constants(single)["TABLE"]) == 288


def test_leduc_reads_the_card_of_either_suit():
    text = solver_policy("cfr:300", GameSpec("leduc_poker"))
    state = "[Observer: 1][Private: {}][Round 2][Player: 1][Pot: 6][Money: 97 97][Public: {}][Round1: 1 2 1][Round2: 2]"
    for card, board in ((4, 5), (5, 4)):  # a pair of kings is never folded
        obs = {"information_state": state.format(card, board), "legal_actions": [0, 1, 2]}
        assert {act(text, obs) for _ in range(50)} <= {1, 2}
    obs = {"information_state": state.format(0, 4), "legal_actions": [0, 1, 2]}
    assert 0 in {act(text, obs) for _ in range(50)}


@pytest.mark.parametrize(
    ("text", "game", "words"),
    [
        ("cfr:0", GameSpec("kuhn_poker"), "1 to 100,000 iterations"),
        ("cfr:many", GameSpec("kuhn_poker"), "cfr:ITERATIONS"),
        ("cfr:10", GameSpec("repeated_rps"), "too long"),
        ("cfr:10", GameSpec("matrix"), "see `solve`"),
        ("cfr:10", GameSpec("liars_dice", {"dice_sides": 4}), "must fit into a policy"),
        ("cfr:10", GameSpec("bargaining"), "information states|histories|zero-sum"),
    ],
)
def test_what_cannot_be_solved_says_why(text, game, words):
    with pytest.raises(UsageError, match=words):
        solver_policy(text, game)


def test_names_of_solvers():
    assert is_solver("cfr:10")
    assert is_solver("vad-cfr:10")
    assert not is_solver("cfr")
    assert not is_solver("reference:rock")
