from importlib.resources import files

import pytest

from csro_core.errors import UsageError
from csro_core.games import GAMES
from csro_core.policies import library
from csro_core.policies.library import default_initial, reference_names, reference_text

KNOWN = (*GAMES, "leduc_poker", "kuhn_poker", "tic_tac_toe")


def test_every_game_has_references_and_a_start_among_them():
    for game in KNOWN:
        assert set(default_initial(game)) <= set(reference_names(game))
        assert len(set(reference_names(game))) == len(reference_names(game))


def test_the_tables_and_the_folder_agree():
    shipped = {
        entry.name.removesuffix(".py")
        for entry in files("csro_core.policies.reference").iterdir()
        if entry.name.endswith(".py") and entry.name != "__init__.py"
    }
    assert shipped == {name for game in KNOWN for name in reference_names(game)}


def test_a_run_of_rps_starts_from_nine_starters_without_uniform():
    assert default_initial("repeated_rps") == (
        "rock", "rotate", "biased", "beat_last", "copy_last", "beat_frequency", "win_stay_lose_shift", "sticky",
        "block",
    )
    assert "uniform" in reference_names("repeated_rps")


def test_a_run_of_matrix_starts_from_one_pure_action():
    assert default_initial("matrix") == ("first_action",)


def test_no_start_holds_uniform():
    assert all("uniform" not in default_initial(game) for game in KNOWN)


def test_the_note_on_uniform_is_the_sentence_of_the_product():
    assert library.UNIFORM_NOTE == (
        "uniform random: exploitability 0, PopReturn 0; the point is to win more without losing"
    )


@pytest.mark.parametrize("name", ["grandmaster", "", "../library", "__init__", "rock.py", "rock\n"])
def test_an_unknown_name_lists_the_known_ones(name):
    with pytest.raises(UsageError, match="unknown .*for repeated_rps: rock, .*for matrix: first_action"):
        reference_text(name)


def test_a_game_without_references_of_its_own_gets_those_for_any_game():
    assert reference_names("tic_tac_toe") == ("first_action", "uniform")
    assert default_initial("tic_tac_toe") == ("first_action",)


def test_no_start_of_poker_holds_an_equilibrium_or_an_opponent_of_the_benchmark():
    assert not {"leduc_cfr_plus", "always_call", "always_fold"} & set(default_initial("repeated_leduc"))
