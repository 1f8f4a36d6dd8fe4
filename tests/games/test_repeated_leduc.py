import random
import re
from itertools import permutations
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csro_core import games
from csro_core.errors import UsageError
from csro_core.games import make_game, repeated_leduc, repeated_leduc_hands
from csro_core.games.base import GameSpec
from csro_core.games.repeated_leduc import build, deal_hands
from csro_core.games.repeated_leduc_hands import RANKS, leduc_rules, spots
from tests.contracts.game_contract import GameContract, Seat, chooser, play

pyspiel = pytest.importorskip("pyspiel", reason="no OpenSpiel on this platform")

PARAMETERS = ({}, {"num_hands": 1}, {"num_hands": 7}, {"num_hands": 3, "reveal": True})


@pytest.fixture(scope="module", params=PARAMETERS, ids=str)
def game(request):
    """The game as the registry would give it out."""
    with pytest.MonkeyPatch.context() as patch:
        known = MappingProxyType({**games.GAMES, repeated_leduc.NAME: repeated_leduc.build})
        patch.setattr(games, "GAMES", known)
        yield make_game(GameSpec(repeated_leduc.NAME, request.param))


class TestRepeatedLeduc(GameContract):
    """The contract, but where chance deals the cards."""

    def test_episodes_begin_with_the_first_observation(self, game):
        for turn in game.new_episodes([1, 2, 3]).pending():
            seat = Seat()
            seat.hear(turn)
            assert seat.obs["my_card"] in RANKS
            assert seat.obs | {"my_card": "Q"} == game.first_observation(turn.player)

    @pytest.mark.parametrize("offender", [0, 1])
    def test_a_forfeit_ends_the_asking_and_costs_the_offender(self, game, offender):
        """Against somebody who always bets: checking to the showdown alone may win."""

        def choose(obs, turn):
            return None if (turn.episode, turn.player) == (0, offender) else obs["legal_actions"][-1]

        episodes, turns = play(game, 2, choose)
        assert len([turn for turn in turns if turn.episode == 0 and turn.player == offender]) == 1
        assert len([turn for turn in turns if turn.episode == 1 and turn.player == offender]) >= game.num_hands
        # It folds to the first bet of every hand, and loses the ante.
        assert episodes.returns()[0, offender] == -game.num_hands
        assert episodes.returns()[0, 1 - offender] == game.num_hands


class TestRules:
    def test_every_deal_and_betting_ends_as_in_openspiel(self):
        rules = leduc_rules()
        leduc = pyspiel.load_game("leduc_poker")
        ended = [spot for spot in spots(rules.first) if spot.over]
        for cards in permutations(range(6), 3):
            own, other, board = (card // 2 for card in cards)
            deal = rules.deals[9 * own + 3 * other + board]
            assert (deal.cards, deal.board) == ((RANKS[own], RANKS[other]), RANKS[board])
            for spot in ended:
                second = [cards[2], *spot.betting[1]] if spot.round == 2 else []
                state = leduc.new_initial_state()
                for action in [*cards[:2], *spot.betting[0], *second]:
                    state.apply_action(action)
                assert state.is_terminal()
                won = spot.chips * deal.sign if spot.shown_down else spot.chips
                assert state.returns() == [won, -won]

    def test_uniform_play_is_worth_what_the_literature_says(self):
        # -0.078125 a hand to player 0 when both play uniformly: sequence-form LP over OpenSpiel's leduc_poker.
        rules = leduc_rules()
        dealt = [[card // 2 for card in cards] for cards in permutations(range(6), 3)]

        def value(spot, sign):
            if spot.over:
                return spot.chips * sign if spot.shown_down else spot.chips
            return sum(value(after, sign) for after in spot.after.values()) / len(spot.after)

        values = [value(rules.first, rules.deals[9 * one + 3 * two + board].sign) for one, two, board in dealt]
        assert sum(values) / len(values) == pytest.approx(-0.078125, abs=1e-12)

    def test_antes_raises_and_pot(self):
        first = leduc_rules().first
        assert (first.pot, first.to_call, first.legal_actions) == (2, 0, [1, 2])
        raised = first.after[2]
        assert (raised.player, raised.pot, raised.to_call, raised.legal_actions) == (1, 4, 2, [0, 1, 2])
        assert raised.after[0].chips == 1
        twice = raised.after[2]
        assert (twice.pot, twice.to_call, twice.legal_actions) == (8, 2, [0, 1])
        second_round = twice.after[1]
        assert (second_round.round, second_round.player, second_round.pot) == (2, 0, 10)
        assert second_round.after[2].to_call == 4
        # 1 ante, two raises of 2, two of 4: the most that a hand can cost.
        assert second_round.after[2].after[2].after[1].chips == leduc_rules().most_chips == 13

    def test_a_missing_openspiel_is_named(self, monkeypatch):
        monkeypatch.setattr(repeated_leduc_hands, "pyspiel", None)
        leduc_rules.cache_clear()
        with pytest.raises(UsageError, match="install open-spiel") as refused:
            build({})
        assert "\n" not in str(refused.value)


STAKES = re.compile(r"\[Round (\d)\].*\[Pot: (\d+)\]\[Money: (\d+) (\d+)\]")


def told_by_openspiel(state, cards):
    """What the player on turn should see, from OpenSpiel's state alone."""
    player = state.current_player()
    in_round, pot, *money = (int(digits) for digits in STAKES.search(state.information_state_string(0)).groups())
    return {
        "player": player,
        "my_card": RANKS[cards[player] // 2],
        "board_card": RANKS[cards[2] // 2] if in_round == 2 else None,
        "round": in_round,
        "pot": pot,
        "to_call": max(money) - min(money),
        "legal_actions": state.legal_actions(),
    }


def cards_of(deal):
    """Cards of OpenSpiel's deck with the ranks of a deal."""
    used = []
    for rank in (*deal.cards, deal.board):
        used.append(next(card for card in range(6) if RANKS[card // 2] == rank and card not in used))
    return used


@given(seed=st.integers(0, 2**40), choices=st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_every_observation_of_random_play_is_what_openspiel_says(seed, choices):
    """3,000 random hands, beside OpenSpiel's states."""
    hands = 50
    leduc = pyspiel.load_game("leduc_poker")
    deals = deal_hands(seed, hands)
    episodes = build({"num_hands": hands}).new_episodes([seed])
    seats = Seat(), Seat()
    totals = [0, 0]
    for hand, deal in enumerate(deals):
        cards = cards_of(deal)
        state = leduc.new_initial_state()
        state.apply_action(cards[0])
        state.apply_action(cards[1])
        betting = [[], []]
        while not state.is_terminal():
            (turn,) = episodes.pending()
            seats[turn.player].hear(turn)
            obs = seats[turn.player].obs
            expected = told_by_openspiel(state, cards) | {
                "hand": hand, "num_hands": hands, "betting": betting, "my_total": totals[turn.player],
            }  # fmt: skip
            assert {key: obs[key] for key in expected} == expected
            assert set(obs) == {*expected, "past_hands"}
            assert sum(record["my_return"] for record in obs["past_hands"]) == totals[turn.player]
            action = choices.choice(obs["legal_actions"])
            betting[obs["round"] - 1].append(action)
            state.apply_action(action)
            episodes.apply([action])
            if state.is_chance_node():
                state.apply_action(cards[2])
        totals = [total + int(won) for total, won in zip(totals, state.returns(), strict=True)]
    assert episodes.pending() == []
    assert episodes.returns().tolist() == [totals]


class TestNews:
    @pytest.mark.parametrize("reveal", [False, True])
    def test_only_what_changed_is_told(self, reveal):
        choose = chooser(3)
        known = {}

        def watch(obs, turn):
            before = known.setdefault((turn.episode, turn.player), {})
            repeated = [key for key, value in turn.assign.items() if key in before and before[key] == value]
            assert not repeated, "told again"
            before.update({key: value for key, value in obs.items() if key != "past_hands"})
            return choose(obs, turn)

        play(build({"num_hands": 40, "reveal": reveal}), 6, watch)

    def test_no_two_messages_share_a_list(self):
        """marshal keeps shared lists shared: a policy could change what it is told in another episode."""
        _, turns = play(build({"num_hands": 20}), 4, chooser(1))
        lists = [turn.assign[key] for turn in turns for key in ("betting", "legal_actions") if key in turn.assign]
        lists += [record["betting"] for turn in turns for record in turn.append.get("past_hands", [])]
        inner = [one for pair in lists for one in pair if isinstance(one, list)]
        assert len({id(one) for one in lists + inner}) == len(lists) + len(inner)

    @pytest.mark.parametrize("reveal", [False, True])
    def test_cards_are_shown_at_a_showdown_or_when_revealed(self, reveal):
        hands = 60
        seen = [Seat(), Seat()]

        def choose(obs, turn):
            seen[turn.player] = obs
            return generator.choice(obs["legal_actions"])

        generator = random.Random(4)
        episodes = build({"num_hands": hands, "reveal": reveal})
        play(episodes, 1, choose)
        deals = deal_hands(0, hands)
        folded = 0
        for player in (0, 1):
            past = seen[player]["past_hands"]
            assert len(past) == hands - 1
            for record, deal in zip(past, deals, strict=False):
                first, second = record["betting"]
                fold = 0 in first + second
                folded += fold
                shown = deal.cards[1 - player] if reveal or not fold else None
                assert record["opponent_card"] == shown
                assert record["my_card"] == deal.cards[player]
                assert record["board_card"] == (None if 0 in first else deal.board)
                assert record["player"] == player
        assert folded > 10


class TestChance:
    def test_equal_seeds_deal_equal_hands_and_others_do_not(self):
        def cards(seed):
            return [(deal.cards, deal.board) for deal in deal_hands(seed, 50)]

        assert cards(7) == cards(7)
        assert cards(7) != cards(8)
        assert cards(7)[:20] != cards(7)[20:40]

    def test_all_deals_are_equally_likely(self):
        counts = {}
        hands = 60_000
        for deal in deal_hands(1, hands):
            key = (*deal.cards, deal.board)
            counts[key] = counts.get(key, 0) + 1
        # 120 ordered deals of a fresh deck: 8 for three ranks, 4 where a rank comes twice, none with three of a rank.
        assert len(counts) == 24
        for key, count in counts.items():
            share = (8 if len(set(key)) == 3 else 4) / 120
            assert abs(count - share * hands) < 5 * (share * (1 - share) * hands) ** 0.5

    def test_cards_belong_to_seats(self):
        """Both orders of a pair of policies meet the same cards, so that luck cancels."""
        game = build({"num_hands": 30})
        one, _ = play(game, 3, lambda obs, turn: obs["legal_actions"][turn.player % 2])
        two, _ = play(game, 3, lambda obs, turn: obs["legal_actions"][turn.player % 2])
        assert (one.returns() == two.returns()).all()


class TestForfeits:
    def test_it_checks_down_where_nobody_bets(self):
        game = build({"num_hands": 12})
        episodes, turns = play(game, 1, lambda obs, turn: None if turn.player == 0 else 1)
        assert len([turn for turn in turns if turn.player == 0]) == 1
        assert episodes.returns()[0, 0] == sum(deal.sign for deal in deal_hands(0, 12))
        # Two rounds of check and check in each hand; what the rule plays is logged as two 255.
        assert episodes.moves()[0] == bytes([255, 255, 255, 1]) * 24

    def test_who_forfeits_facing_a_bet_folds_at_once(self):
        game = build({"num_hands": 1})
        episodes, turns = play(game, 1, lambda obs, turn: None if turn.player == 1 else 2)
        assert len(turns) == 2
        assert episodes.returns().tolist() == [[1.0, -1.0]]
        assert episodes.moves() == [bytes([2, 255, 255, 255])]

    def test_two_forfeits_check_every_hand_down(self):
        episodes, turns = play(build({"num_hands": 9}), 1, lambda obs, turn: None)
        assert len(turns) == 2
        assert episodes.returns()[0, 0] == sum(deal.sign for deal in deal_hands(0, 9))


class TestParameters:
    def test_words_name_the_length(self):
        assert build({}).unit == "chips per 100 hands"
        assert build({"num_hands": 1}).title == "repeated Leduc poker (1 hand)"
        assert (build({}).min_return, build({}).max_return) == (-1300.0, 1300.0)
        assert build({"num_hands": 100, "reveal": False}).spec.key == "repeated_leduc"
        assert "showdown only" in build({}).rules_text()
        assert "showdown only" not in build({"reveal": True}).rules_text()

    @pytest.mark.parametrize("hands", [0, -1, 10_001, 1.5, True, "100"])
    def test_an_absurd_length_is_refused(self, hands):
        with pytest.raises(UsageError, match="num_hands must be a whole number from 1 to 10,000"):
            build({"num_hands": hands})

    @pytest.mark.parametrize("reveal", [0, 1, "yes", 1.0])
    def test_reveal_is_true_or_false(self, reveal):
        with pytest.raises(UsageError, match="reveal must be true or false"):
            build({"reveal": reveal})
