"""The command `games`: the registered ones, the catalogue, and the search in it."""


def test_it_lists_the_registered_games_and_says_that_there_are_more(csro):
    done = csro("games")
    assert done.code == 0
    for name in ("repeated_rps", "matrix", "repeated_leduc", "leduc_poker", "kuhn_poker", "liars_dice"):
        assert f"\n{name} " in done.out
    assert "more of OpenSpiel: `games --all`" in done.out
    assert "tic_tac_toe" not in done.out


def test_all_of_them_with_reasons(csro):
    document = csro("games", "--all", "--json").json
    by_name = {one["name"]: one for one in document}
    assert len(by_name) == len(document) > 100
    assert by_name["tic_tac_toe"]["playable"]
    assert not by_name["chess"]["playable"]
    assert "4,674 distinct actions" in by_name["chess"]["reason"]
    assert by_name["kuhn_poker"]["unit"] == "chips per hand"


def test_a_search_looks_in_names_and_titles(csro):
    done = csro("games", "--all", "--search", "Connect")
    assert "connect_four" in done.out
    assert "kuhn_poker" not in done.out
    nothing = csro("games", "--all", "--search", "zzz")
    assert nothing.code == 1
    assert "no game has 'zzz'" in nothing.out


def test_a_run_of_a_game_that_is_not_constant_sum_says_which_meta_solver_it_uses(csro):
    done = csro("run", "--game", "matrix_pd", "--iterations", "0")
    assert done.code == 0
    assert "not constant-sum, so sigma comes from the meta-solver uniform" in done.err
    assert csro("runs", "--json").json[0]["meta_solver"] == "uniform"


def test_a_run_has_an_evaluation_solver_of_its_own(csro):
    solvers = ("--meta-solver", "uniform", "--eval-solver", "nash")
    done = csro("run", "--game", "matrix", "--iterations", "1", *solvers, "--json")
    assert done.code == 0
    assert done.json["evaluation"]["solver"] == "nash"
    listed = csro("runs", "--json").json[0]
    assert (listed["meta_solver"], listed["eval_solver"]) == ("uniform", "nash")
    assert "uniform (evaluated by nash)" in csro("show", listed["run"]).out
    assert csro("run", "--eval-solver", "nsh").code == 2
