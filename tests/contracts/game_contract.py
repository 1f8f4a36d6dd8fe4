"""What every `Game` must hold. `test_games_contract.py` runs it over every game; a new game adds one line there."""

import json
import random

import numpy as np
import pytest

from csro_core.games import make_game
from csro_core.games.base import Game, GameSpec
from csro_core.games.stage import step_rewards


class Seat:
    """What a policy's process does with the news: one dict that stays the same, lists that grow in place."""

    def __init__(self):
        self.obs = {}

    def hear(self, turn):
        self.obs.update(turn.assign)
        for key, items in turn.append.items():
            self.obs[key].extend(items)


def play(game, count, choose):
    """Plays a batch; `choose(obs, turn)` gives each action. Returns the episodes and every turn."""
    episodes = game.new_episodes(range(count))
    seats = {(episode, player): Seat() for episode in range(count) for player in (0, 1)}
    turns = []
    while pending := episodes.pending():
        actions = []
        for turn in pending:
            seats[turn.episode, turn.player].hear(turn)
            actions.append(choose(seats[turn.episode, turn.player].obs, turn))
        turns.extend(pending)
        episodes.apply(actions)
    return episodes, turns


def chooser(seed):
    """Legal actions at random, from a seed."""
    generator = random.Random(seed)
    return lambda obs, turn: generator.choice(obs["legal_actions"])


class GameContract:
    """Inherit, and give a fixture `game`."""

    def test_its_spec_makes_it_again(self, game: Game):
        assert make_game(game.spec) is game
        assert make_game(GameSpec.from_json(json.loads(json.dumps(game.spec.to_json())))) is game

    def test_screening_is_a_game_of_the_same_name_and_its_own_screening(self, game: Game):
        screening = make_game(game.screening)
        assert screening.spec.name == game.spec.name
        assert screening.screening == screening.spec
        assert screening.symmetric == game.symmetric

    def test_words_are_there(self, game: Game):
        assert game.title
        assert game.unit
        assert "forfeit" in game.rules_text()
        assert all(f'obs["{key}"]' in game.observation_text() for key in game.first_observation(0))
        assert repr(game.first_observation(0)) in game.observation_text()

    def test_first_observation_is_plain_data_and_a_fresh_copy(self, game: Game):
        for player in (0, 1):
            first = game.first_observation(player)
            assert json.loads(json.dumps(first)) == first
            assert first["player"] == player
            assert len(first["legal_actions"]) <= len(game.action_names[player])
            first["legal_actions"].clear()
            assert game.first_observation(player)["legal_actions"]

    def test_episodes_begin_with_the_first_observation(self, game: Game):
        for turn in game.new_episodes([1, 2]).pending():
            seat = Seat()
            seat.hear(turn)
            first = game.first_observation(turn.player)
            assert list(seat.obs) == list(first)
            assert {key: type(value) for key, value in seat.obs.items()} == {k: type(v) for k, v in first.items()}
            if game.lockstep is not None:  # elsewhere chance may have moved: the first observation is an example
                assert seat.obs == first

    def test_no_list_is_shared_between_turns_or_with_the_game(self, game: Game):
        """What one episode's policy does to its own lists must not reach another episode."""
        episodes = game.new_episodes(range(3))
        for _ in range(3):
            pending = episodes.pending()
            lists = [value for turn in pending for value in turn.assign.values() if isinstance(value, list)]
            assert len({id(value) for value in lists}) == len(lists)
            legal = [turn.assign.get("legal_actions") for turn in pending]
            if None in legal:
                return
            actions = [choice[-1] for choice in legal]
            for value in lists:
                value.append(99)
            episodes.apply(actions)
            if not episodes.pending():
                return

    def test_pending_is_ordered_and_does_not_move_the_game(self, game: Game):
        episodes = game.new_episodes(range(3))
        pending = episodes.pending()
        assert [(turn.episode, turn.player) for turn in pending] == sorted(
            (turn.episode, turn.player) for turn in pending
        )
        assert episodes.pending() == pending

    @pytest.mark.parametrize("seed", [0, 1, 2])
    def test_returns_are_within_bounds_and_zero_sum(self, game: Game, seed):
        episodes, _ = play(game, 4, chooser(seed))
        returns = episodes.returns()
        assert returns.shape == (4, 2)
        assert returns.dtype == np.float64
        assert (returns >= game.min_return).all()
        assert (returns <= game.max_return).all()
        if game.zero_sum:
            assert returns.sum(axis=1) == pytest.approx(np.zeros(4), abs=1e-9)

    def test_the_same_actions_give_the_same_episodes(self, game: Game):
        one, _ = play(game, 3, chooser(5))
        two, _ = play(game, 3, chooser(5))
        assert one.moves() == two.moves()
        assert (one.returns() == two.returns()).all()

    def test_swapped_seats_swap_the_returns_of_a_symmetric_game(self, game: Game):
        if not game.symmetric or game.lockstep is None:
            pytest.skip("only a symmetric game without chance can be compared episode by episode")
        stream = [random.Random(player) for player in (0, 1)]
        one, _ = play(game, 1, lambda obs, turn: stream[turn.player].choice(obs["legal_actions"]))
        stream = [random.Random(1 - player) for player in (0, 1)]
        two, _ = play(game, 1, lambda obs, turn: stream[turn.player].choice(obs["legal_actions"]))
        assert (one.returns() == two.returns()[:, ::-1]).all()

    def test_returns_are_refused_before_the_end(self, game: Game):
        with pytest.raises(ValueError, match="pending|not over"):
            game.new_episodes([1]).returns()

    def test_wrong_numbers_of_actions_and_illegal_actions_are_refused_and_move_nothing(self, game: Game):
        episodes = game.new_episodes([1])
        pending = episodes.pending()
        legal = [turn.assign["legal_actions"][0] for turn in pending]
        odd_actions = [[odd, *legal[1:]] for odd in (250, -1, True, 1.0)]
        for bad in ([*legal, 0], legal[:-1], *odd_actions):
            with pytest.raises(ValueError, match="action"):
                episodes.apply(bad)
            assert episodes.pending() == pending

    @pytest.mark.parametrize("offender", [0, 1])
    def test_a_forfeit_ends_the_asking_and_costs_the_offender(self, game: Game, offender):
        # The other one plays its last action: in poker it raises, so that folding costs something.
        def choose(obs, turn):
            return None if (turn.episode, turn.player) == (0, offender) else obs["legal_actions"][-1]

        episodes, turns = play(game, 2, choose)
        assert len([turn for turn in turns if turn.episode == 0 and turn.player == offender]) == 1
        assert len([turn for turn in turns if turn.episode == 1 and turn.player == offender]) >= 1
        returns = episodes.returns()
        assert returns[0, offender] <= returns[0, 1 - offender]
        assert returns[0, offender] < (game.min_return + game.max_return) / 2 or game.min_return == game.max_return
        if game.zero_sum:
            assert returns[0].sum() == pytest.approx(0.0)

    def test_actions_have_names_as_long_as_observations_tell(self, game: Game):
        episodes, turns = play(game, 4, chooser(9))
        for log in episodes.moves():
            assert len(log) % 2 == 0
            for place, action in enumerate(log):
                assert action == 255 or action < len(game.action_names[place % 2])

    def test_the_log_tells_the_returns(self, game: Game):
        if game.lockstep is None:
            pytest.skip("only lockstep games are scored from the log")
        episodes, _ = play(game, 3, chooser(7))
        logs = episodes.moves()
        assert [len(log) for log in logs] == [2 * game.lockstep.num_steps] * 3
        scored = [step_rewards(game.lockstep, log).sum(axis=0) for log in logs]
        assert scored == pytest.approx(episodes.returns())

    def test_lockstep_arrays_agree_with_the_game(self, game: Game):
        stage = game.lockstep
        if stage is None:
            pytest.skip("not a lockstep game")
        assert stage.payoffs.shape == (2, len(game.action_names[0]), len(game.action_names[1]))
        assert stage.forfeit_reward.shape == (2, 2)
        assert not stage.payoffs.flags.writeable
        assert not stage.forfeit_reward.flags.writeable
        if game.zero_sum:
            assert (stage.payoffs.sum(axis=0) == 0).all()
        if game.symmetric:
            assert (stage.payoffs[1] == stage.payoffs[0].T).all()
        keys = set(game.first_observation(0))
        assert {stage.step_key, stage.own_key, stage.opponent_key} - {None} <= keys

    def test_no_move_of_the_offender_is_better_than_forfeiting_is_bad(self, game: Game):
        """Nobody gains by forfeiting: it costs at least as much as the worst play of a step."""
        stage = game.lockstep
        if stage is None:
            pytest.skip("not a lockstep game")
        for player in (0, 1):
            assert stage.forfeit_reward[player, player] <= stage.payoffs[player].min()
