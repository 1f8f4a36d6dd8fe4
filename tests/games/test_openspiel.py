"""Games of OpenSpiel: what is served, what is said, what is refused, and that chance and forfeits are ours."""

import random
import re
import subprocess
import sys
from collections import Counter

import numpy as np
import pyspiel
import pytest

from csro_core.errors import UsageError
from csro_core.games import GAMES, catalogue, make_game, parse_game
from csro_core.games.base import GameSpec
from csro_core.games.length import mean_acts
from csro_core.games.openspiel import OpenSpielGame, load_openspiel
from csro_core.games.openspiel_catalogue import openspiel_catalogue
from csro_core.games.openspiel_episodes import Draws
from csro_core.games.openspiel_fitness import SEALED, catalogue_reason, reason_of_game, reason_of_type
from csro_core.games.openspiel_names import registered_types
from csro_core.games.openspiel_tree import Tree
from csro_core.seeds import derive
from csro_core.store.defaults import default_episodes, meta_solver_for, meta_solver_note


def play(game, seeds, choose):
    """Plays a batch; `choose(obs)` gives each action. Returns the episodes, and the observations of each."""
    episodes = game.new_episodes(seeds)
    seen = {}
    told = [[] for _ in seeds]
    while turns := episodes.pending():
        actions = []
        for turn in turns:
            obs = seen.setdefault((turn.episode, turn.player), {})
            obs.update(turn.assign)
            told[turn.episode].append({**obs})
            actions.append(choose(obs))
        episodes.apply(actions)
    return episodes, told


def at_random(seed):
    generator = random.Random(seed)
    return lambda obs: generator.choice(obs["legal_actions"])


class TestTheCatalogue:
    def test_it_is_openspiels_own_list_without_the_registered_games(self):
        names = [entry.name for entry in catalogue()]
        assert set(names) == set(pyspiel.registered_names()) - set(GAMES)
        assert names == sorted(names)

    def test_what_it_says_without_loading_is_what_loading_says(self):
        """In a process of its own: OpenSpiel writes to standard error, and may abort."""
        script = (
            "import pyspiel\n"
            "from csro_core.games.openspiel_fitness import *\n"
            "from csro_core.games.openspiel_names import registered_types\n"
            "for name, kind in registered_types().items():\n"
            "    if kind.default_loadable and not reason_of_type(kind):\n"
            "        print(name, reason_of_game(pyspiel.load_game(name)), sep='\\t')\n"
        )
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
        loaded = dict(line.split("\t") for line in done.stdout.splitlines())
        assert len(loaded) > 60
        assert loaded == {name: catalogue_reason(name) for name in loaded}

    def test_every_refusal_has_a_reason_on_one_line_and_is_what_making_the_game_says(self):
        for entry in openspiel_catalogue():
            assert "\n" not in entry.reason
            if entry.reason:
                with pytest.raises(UsageError, match=re.escape(entry.reason)):
                    make_game(GameSpec(entry.name))

    def test_most_two_player_games_are_served(self):
        assert sum(not entry.reason for entry in openspiel_catalogue()) >= 50

    def test_kinds_of_reasons(self):
        reasons = {entry.name: entry.reason for entry in openspiel_catalogue()}
        assert "one player" in reasons["catch"]
        assert "at least 3 players" in reasons["oh_hell"]
        assert "no text of the information state" in reasons["gin_rummy"]
        assert "13,689 distinct actions" in reasons["shogi"]
        assert "72,922 moves" in reasons["cursor_go"]
        assert "draws its chance moves by itself" in reasons["negotiation"]
        assert "reads the game from a file" in reasons["efg_game"]
        assert "repeated_game(stage_game=matrix_mp(),num_repetitions=10)" in reasons["repeated_game"]
        assert set(SEALED) <= set(reasons)


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("goofspiel(num_card=4)", "no parameter 'num_card' .did you mean num_cards"),
            ("goofspiel(num_cards=4.5)", "whole number, got 4.5"),
            ("goofspiel(num_cards=true)", "whole number, got True"),
            ("goofspiel(imp_info=1)", "true or false, got 1"),
            ("goofspiel(points_order=foo)", "OpenSpiel refuses it: Unrecognized points_order parameter: foo"),
            ("goofspiel(num_cards=0)", "cannot be played here"),
            ("leduc_poker(players=3)", "3 players as it stands; games here have two; players=2 may work"),
            # It reads beyond an array: mostly the end of the process that tries it, by signal 11, and luck otherwise.
            ("leduc_poker(starting_player=100000)", "OpenSpiel (breaks down on|refuses) it"),
            ("hex(board_size=100)", "10,000 distinct actions.*board_size"),
            ("bargaining(instances_file=/etc/passwd)", "names a file"),
            ("misere(game=misere(game=efg_game(filename=x)))", "names a file"),
            ("misere(game=tictac())", "unknown game 'tictac'; did you mean tic_tac_toe"),
            ("misere(game=)", "name=value"),
            ("misere(game=leduc_poker(foo=1))", "no parameter 'foo'"),
            ("misere(game=kuhn_poker(players=-))", "such as tic_tac_toe.., .*: - is no number"),
            ("misere(game=kuhn_poker(players=99999999999999999999))", "99999999999999999999 is no number"),
            ("repeated_game(stage_game=matrix_pd(name=blotto),num_repetitions=3)", "\"name\" is no parameter"),
            # What OpenSpiel itself says of the returns of these two is not so.
            ("bargaining(discount=-1.0)", "returns must be from 0 to 10, as it says, and are"),
            ("go_fish(most_books_wins=false)", "returns must add up to 0, as it says, and are"),
            ("kuhn_poker(tensor=1)", "tensor must be true or false, got 1"),
            ("repeated_game(stage_game=leduc_poker(),num_repetitions=5)", "MaxGameLength"),
        ],
    )
    def test_in_one_line_that_says_why(self, text, message, capfd):
        with pytest.raises(UsageError, match=message) as refused:
            parse_game(text)
        assert "\n" not in str(refused.value)
        assert capfd.readouterr().err == ""  # OpenSpiel's own words stay in the process that tried

    @pytest.mark.parametrize("spec", [GameSpec("x" * 100_000), GameSpec("goofspiel", {"x" * 100_000: 1})])
    def test_a_message_about_a_long_name_is_short(self, spec):
        with pytest.raises(UsageError, match=f"'{'x' * 80}'") as refused:
            make_game(spec)
        assert len(str(refused.value)) < 500

    def test_brackets_in_odd_places_are_no_game(self):
        with pytest.raises(UsageError, match="must be a game such as tic_tac_toe"):
            parse_game("misere(game=kuhn_poker(()))")

    def test_a_mandatory_parameter_is_kept_whatever_its_value(self):
        # OpenSpiel lists placeholders for them, which look like defaults: 1 for both of these.
        noisy = parse_game("add_noise(game=kuhn_poker(),epsilon=1,seed=1)")
        assert noisy.parameters == {"game": "kuhn_poker()", "epsilon": 1.0, "seed": 1}
        assert make_game(noisy).zero_sum

    def test_parameters_that_change_nothing_are_dropped(self):
        assert parse_game("kuhn_poker(players=2)") == GameSpec("kuhn_poker")
        assert parse_game("kuhn_poker(tensor=false)") == GameSpec("kuhn_poker")
        assert parse_game("bargaining(discount=1)") == GameSpec("bargaining")

    def test_a_number_may_stand_where_a_text_is_wanted(self):
        assert parse_game("nim(pile_sizes=3)").parameters == {"pile_sizes": "3"}
        assert parse_game("battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1])").parameters[
            "ship_sizes"
        ] == "[1]"


class TestWords:
    def test_own_rules_of_three_games_and_written_ones_of_others(self):
        assert "player 1 bet" in make_game(GameSpec("kuhn_poker")).rules_text()
        assert "pairs the board wins" in make_game(GameSpec("leduc_poker")).rules_text()
        assert "2 dice of 3 sides" in make_game(
            GameSpec("liars_dice", {"numdice": 2, "dice_sides": 3})
        ).rules_text()
        written = make_game(GameSpec("goofspiel", {"num_cards": 4})).rules_text()
        assert "choose at the same time" in written
        assert "Chance moves too" in written
        assert "between -1 and 1" in written

    @pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "liars_dice"])
    def test_bounds_in_our_words_are_those_of_the_game(self, name):
        game = make_game(GameSpec(name))
        assert f"{game.min_return:g}" in game.rules_text()
        assert f"{game.max_return:g}" in game.rules_text()

    def test_liars_dice_is_as_our_words_have_it(self):
        """Every roll, every bid, called at once: true where enough dice show the face or a 6."""
        game = load_openspiel(GameSpec("liars_dice"))
        for first in range(6):
            for second in range(6):
                for bid in range(12):
                    state = game.new_initial_state()
                    for action in (first, second, bid, 12):
                        state.apply_action(action)
                    quantity, face = bid // 6 + 1, bid % 6
                    there = sum(die in (face, 5) for die in (first, second))
                    assert state.returns()[0] == (1.0 if there >= quantity else -1.0)

    def test_kuhn_and_leduc_names(self):
        assert make_game(GameSpec("kuhn_poker")).action_names[0] == ("Pass", "Bet")
        assert make_game(GameSpec("leduc_poker")).action_names[1] == ("Fold", "Call", "Raise")

    def test_payoffs_of_a_matrix_are_told(self):
        rules = make_game(GameSpec("matrix_pd")).rules_text()
        assert "[5, 0]\n  [10, 1]" in rules
        assert "do not add up" in rules
        assert "payoff is common" in make_game(GameSpec("tiny_hanabi")).rules_text()

    def test_the_first_observation_of_each_player_is_shown(self):
        game = make_game(GameSpec("leduc_poker"))
        for player in (0, 1):
            assert repr(game.first_observation(player)) in game.observation_text()

    def test_a_tensor_only_where_it_is_asked_for(self):
        assert "tensor" not in make_game(GameSpec("leduc_poker")).first_observation(0)
        game = make_game(GameSpec("leduc_poker", {"tensor": True}))
        assert len(game.first_observation(0)["tensor"]) == 30
        assert 'obs["tensor"]' in game.observation_text()
        assert load_openspiel(game.spec) is load_openspiel(GameSpec("leduc_poker"))


class TestEpisodes:
    @pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "liars_dice", "tic_tac_toe", "phantom_ttt"])
    def test_they_are_openspiels(self, name):
        """Observations, legal actions and returns of random episodes, replayed on OpenSpiel's own states."""
        game, raw = make_game(GameSpec(name)), load_openspiel(GameSpec(name))
        seeds = range(20)
        episodes, told = play(game, seeds, at_random(3))
        for seed, log, seen, returns in zip(seeds, episodes.moves(), told, episodes.returns(), strict=True):
            state = raw.new_initial_state()
            acts = [action for action in log if action != 255]
            draws = Draws(_chance_seed(seed))
            for action, obs in zip(acts, seen, strict=True):
                _chance(state, draws)
                player = state.current_player()
                assert obs["player"] == player
                assert obs["legal_actions"] == state.legal_actions()
                assert obs["action_names"] == [state.action_to_string(player, one) for one in state.legal_actions()]
                assert obs["information_state"] == state.information_state_string(player)
                state.apply_action(action)
            _chance(state, draws)
            assert state.is_terminal()
            assert tuple(state.returns()) == tuple(returns)

    def test_equal_seeds_deal_equal_cards_whatever_is_played(self):
        game = make_game(GameSpec("leduc_poker"))
        cards = []
        for chooser in (at_random(1), lambda obs: obs["legal_actions"][0], lambda obs: obs["legal_actions"][-1]):
            _, told = play(game, range(30), chooser)
            cards.append([re.search(r"Private: (\d)", seen[0]["information_state"])[1] for seen in told])
        assert cards[0] == cards[1] == cards[2]

    def test_deals_are_fair(self):
        _, told = play(make_game(GameSpec("kuhn_poker")), range(6000), lambda obs: 0)
        pairs = Counter((seen[0]["information_state"][0], seen[1]["information_state"][0]) for seen in told)
        assert len(pairs) == 6
        # Six deals of probability 1/6: standard deviation 28.9 of 1000.
        assert max(abs(count - 1000) for count in pairs.values()) < 145

    def test_draws_are_even(self):
        draws = Draws(5)
        shares = np.array([draws.share() for _ in range(20_000)])
        assert ((shares >= 0) & (shares < 1)).all()
        assert abs(shares.mean() - 0.5) < 5 * (1 / 12) ** 0.5 / 20_000**0.5
        assert abs(np.corrcoef(shares[:-1], shares[1:])[0, 1]) < 5 / 20_000**0.5

    def test_the_value_of_uniform_play_is_openspiels(self):
        """Leduc, both uniform: the exact value is -0.0781 chips to player 0 (OpenSpiel's expected_returns)."""
        raw = load_openspiel(GameSpec("leduc_poker"))
        uniform = pyspiel.UniformRandomPolicy(raw)
        exact = pyspiel.expected_returns(raw.new_initial_state(), uniform, -1, False, -1)[0]
        episodes, _ = play(make_game(GameSpec("leduc_poker")), range(4000), at_random(0))
        returns = episodes.returns()[:, 0]
        assert abs(returns.mean() - exact) < 4.5 * returns.std() / 4000**0.5

    def test_lists_of_choices_are_news_only_where_they_change(self):
        episodes = make_game(GameSpec("liars_dice")).new_episodes([1])
        assert {"legal_actions", "action_names"} <= set(episodes.pending()[0].assign)
        game = make_game(GameSpec("repeated_game", {"stage_game": "matrix_mp()", "num_repetitions": 3}))
        episodes = game.new_episodes([1])
        episodes.apply([0, 1])
        assert [set(turn.assign) for turn in episodes.pending()] == [{"information_state", "move_number"}] * 2
        assert episodes.pending()[0].assign["information_state"] == "Heads Tails ;"

    def test_memory_is_bounded_and_results_do_not_depend_on_it(self, monkeypatch):
        game = make_game(GameSpec("connect_four"))
        whole, _ = play(game, range(5), at_random(2))
        monkeypatch.setattr("csro_core.games.openspiel_tree._MEMORY_BYTES", 30_000)
        monkeypatch.setattr("csro_core.games.openspiel._tree", lambda asked: _fresh_tree(asked.spec))
        bounded, _ = play(game, range(5), at_random(2))
        assert bounded.moves() == whole.moves()
        assert (bounded.returns() == whole.returns()).all()


def _fresh_tree(spec):
    return Tree(load_openspiel(spec), False)


def _chance_seed(seed):
    return derive(seed, "openspiel chance")


def _chance(state, draws):
    while state.is_chance_node():
        share, total = draws.share(), 0.0
        for chance in state.chance_outcomes():
            total += chance[1]
            if share < total:
                break
        state.apply_action(chance[0])


class TestForfeits:
    def test_in_poker_the_offender_folds_or_checks_and_the_other_goes_on(self):
        game = make_game(GameSpec("leduc_poker"))
        episodes = game.new_episodes([4])
        episodes.apply([None])  # player 0 forfeits where it can only check
        asked = []
        while turns := episodes.pending():
            asked.append(turns[0].player)
            episodes.apply([1])  # the other one calls and checks
        assert asked == [1, 1]
        assert abs(episodes.returns()).max() <= 1  # antes only
        assert episodes.moves()[0] == bytes([255, 255, 255, 1, 255, 255, 255, 1])
        raised = game.new_episodes([4])
        raised.apply([None])
        raised.apply([2])
        assert raised.returns().tolist() == [[-1.0, 1.0]]

    def test_elsewhere_the_offender_gets_the_least_and_the_other_the_most(self):
        episodes = make_game(GameSpec("tic_tac_toe")).new_episodes([1])
        episodes.apply([4])
        episodes.apply([None])
        assert episodes.returns().tolist() == [[1.0, -1.0]]

    def test_common_payoff_and_general_sum(self):
        hanabi = make_game(GameSpec("tiny_hanabi")).new_episodes([1])
        hanabi.apply([None])
        assert hanabi.returns().tolist() == [[0.0, 0.0]]
        bidders = make_game(GameSpec("first_sealed_auction")).new_episodes([1])
        bidders.apply([None])
        assert bidders.returns().tolist() == [[0.0, 0.0]]

    def test_both_at_once(self):
        both = make_game(GameSpec("goofspiel", {"num_cards": 3})).new_episodes([1, 2])
        both.apply([None, None, None, 0])
        assert both.returns().tolist() == [[0.0, 0.0], [-1.0, 1.0]]


class TestKinds:
    def test_one_step_games_are_stages(self):
        game = make_game(GameSpec("matrix_rps"))
        assert game.symmetric
        assert game.lockstep.payoffs[0].tolist() == [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
        assert not make_game(GameSpec("matrix_mp")).symmetric
        dilemma = make_game(GameSpec("matrix_pd"))
        assert (dilemma.symmetric, dilemma.zero_sum) == (False, False)
        assert dilemma.lockstep.payoffs[1].tolist() == [[5, 10], [0, 1]]

    def test_games_that_are_not_constant_sum_get_the_uniform_solver(self):
        for name in ("matrix_pd", "tiny_hanabi", "bargaining"):
            game = make_game(GameSpec(name))
            assert meta_solver_for(game, "nash") == "uniform"
            assert "not constant-sum" in meta_solver_note(game)
        zero = make_game(GameSpec("kuhn_poker"))
        assert (meta_solver_for(zero, "nash"), meta_solver_note(zero)) == ("nash", "")

    def test_every_served_game_has_bounds_kind_and_length(self):
        for name in ("kuhn_poker", "sheriff", "oshi_zumo", "pig", "dots_and_boxes"):
            game = make_game(GameSpec(name))
            assert isinstance(game, OpenSpielGame)
            assert game.min_return < game.max_return
            assert game.zero_sum == (game.min_return == -game.max_return and name != "sheriff")
            assert 1 <= mean_acts(game) <= 5000


def test_a_cell_of_a_short_game_has_many_episodes_and_one_of_a_long_game_few():
    episodes = {name: default_episodes(make_game(GameSpec(name))) for name in (*GAMES, "tic_tac_toe", "pig")}
    assert (episodes["repeated_rps"], episodes["matrix"], episodes["repeated_leduc"]) == (8, 64, 32)
    assert 128 <= episodes["leduc_poker"] <= episodes["kuhn_poker"] <= 192
    assert episodes["pig"] < episodes["tic_tac_toe"] < episodes["kuhn_poker"]
    assert all(count % 2 == 0 for count in episodes.values())


def test_types_are_those_of_the_installed_version():
    assert len(registered_types()) == len(pyspiel.registered_names())
    assert reason_of_type(registered_types()["kuhn_poker"]) == ""
    assert reason_of_game(load_openspiel(GameSpec("kuhn_poker"))) == ""
