"""What our matches are compared with: loops over two policies in one process, without protection.

They do what any honest loop must: the observations of the contract, with lists that grow in place; a check that an
action is legal; the score. `acts` is always (player 0, player 1), and a result is the return of player 0.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from csro_core.bench.contestants import Act
from csro_core.games.repeated_leduc import deal_hands
from csro_core.games.repeated_leduc_episode import LeducEpisode
from csro_core.games.repeated_leduc_hands import RANKS, Deal, leduc_rules

try:
    import pyspiel
except ImportError:  # No wheel on this platform (requirements.txt says where); everything else works without it.
    pyspiel = None

Acts: TypeAlias = tuple[Act, Act]

_REWARD = ((0, -1, 1), (1, 0, -1), (-1, 1, 0))
_RAISE_CHIPS = (2, 4)


def openspiel_is_here() -> bool:
    """Returns True where OpenSpiel is installed."""
    return pyspiel is not None


def play_throws(acts: Acts, num_throws: int) -> float:
    """Plays repeated rock-paper-scissors in a bare loop; no such loop in Python can do less.

    Returns:
        The return of player 0.

    Raises:
        ValueError: a policy has answered what is not legal.
    """
    first, second = (_throws_observation(num_throws, player) for player in (0, 1))
    first_act, second_act = acts
    total = 0
    for throw in range(num_throws):
        one = first_act(first)
        two = second_act(second)
        if type(one) is not int or type(two) is not int or not 0 <= one < 3 or not 0 <= two < 3:
            raise ValueError(f"a throw is an int from 0 to 2, got {one!r} and {two!r}")
        total += _REWARD[one][two]
        first["my_history"].append(one)
        first["opponent_history"].append(two)
        second["my_history"].append(two)
        second["opponent_history"].append(one)
        first["throw"] = second["throw"] = throw + 1
    return total


def play_openspiel_throws(acts: Acts, num_throws: int) -> float:
    """Plays the same on a state of OpenSpiel, which keeps the score.

    Returns:
        The return of player 0.

    Raises:
        ValueError: a policy has answered what is not legal.
    """
    game = pyspiel.create_repeated_game("matrix_rps", {"num_repetitions": num_throws, "recall": 1})
    state = game.new_initial_state()
    first, second = (_throws_observation(num_throws, player) for player in (0, 1))
    throw = 0
    while not state.is_terminal():
        one = acts[0](first)
        two = acts[1](second)
        if type(one) is not int or type(two) is not int or not 0 <= one < 3 or not 0 <= two < 3:
            raise ValueError(f"a throw is an int from 0 to 2, got {one!r} and {two!r}")
        state.apply_actions([one, two])
        first["my_history"].append(one)
        first["opponent_history"].append(two)
        second["my_history"].append(two)
        second["opponent_history"].append(one)
        throw += 1
        first["throw"] = second["throw"] = throw
    return float(state.returns()[0])


def _throws_observation(num_throws: int, player: int) -> dict[str, Any]:
    return {
        "throw": 0,
        "num_throws": num_throws,
        "my_history": [],
        "opponent_history": [],
        "player": player,
        "legal_actions": [0, 1, 2],
    }


def play_hands(acts: Acts, num_hands: int, seed: int) -> float:
    """Plays repeated Leduc poker in a bare loop over one episode of our own game.

    Returns:
        The return of player 0.

    Raises:
        ValueError: a policy has answered what is not legal.
    """
    episode = LeducEpisode(leduc_rules(), deal_hands(seed, num_hands), 0, reveal=False)
    seen: tuple[dict[str, Any], dict[str, Any]] = {}, {}
    turn = episode.turn
    while turn is not None:
        obs = seen[turn.player]
        obs.update(turn.assign)
        for key, items in turn.append.items():
            obs[key].extend(items)
        action = acts[turn.player](obs)
        if type(action) is not int or action not in obs["legal_actions"]:
            raise ValueError(f"an action is one of {obs['legal_actions']}, got {action!r}")
        turn = episode.act(action)
    return float(episode.total)


def play_openspiel_hands(acts: Acts, num_hands: int, seed: int) -> float:
    """Plays the same on states of OpenSpiel's `leduc_poker`, which say what is legal and who has won.

    Returns:
        The return of player 0.
    """
    game = pyspiel.load_game("leduc_poker")
    seen = tuple(_hands_observation(num_hands, player) for player in (0, 1))
    for hand, deal in enumerate(deal_hands(seed, num_hands)):
        for obs in seen:
            player = obs["player"]
            obs.update(hand=hand, my_card=deal.cards[player], board_card=None, round=1)
        shown_betting, won = _play_openspiel_hand(game, acts, seen, deal)
        shown_down = 0 not in shown_betting[0] + shown_betting[1]
        for obs in seen:
            own = won if obs["player"] == 0 else -won
            obs["my_total"] += own
            obs["past_hands"].append(
                {
                    "my_card": obs["my_card"],
                    "opponent_card": deal.cards[1 - obs["player"]] if shown_down else None,
                    "board_card": deal.board if 0 not in shown_betting[0] else None,
                    "betting": [list(shown_betting[0]), list(shown_betting[1])],
                    "player": obs["player"],
                    "my_return": own,
                }
            )
    return float(seen[0]["my_total"])


def _play_openspiel_hand(
    game: Any, acts: Acts, seen: Sequence[dict[str, Any]], deal: Deal
) -> tuple[list[list[int]], int]:
    """Returns the betting of one hand and what player 0 has won.

    Raises:
        ValueError: a policy has answered what is not legal.
    """
    state = game.new_initial_state()
    cards = _cards(deal)
    state.apply_action(cards[0])
    state.apply_action(cards[1])
    betting: list[list[int]] = [[], []]
    paid = [1, 1]
    in_round = 1
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(cards[2])
            in_round = 2
        player = state.current_player()
        obs = seen[player]
        legal = state.legal_actions()
        obs["round"] = in_round
        obs["board_card"] = deal.board if in_round == 2 else None
        obs["pot"] = paid[0] + paid[1]
        obs["to_call"] = paid[1 - player] - paid[player]
        obs["betting"] = [list(betting[0]), list(betting[1])]
        obs["legal_actions"] = legal
        action = acts[player](obs)
        if type(action) is not int or action not in legal:
            raise ValueError(f"an action is one of {legal}, got {action!r}")
        if action:
            paid[player] = paid[1 - player] + (_RAISE_CHIPS[in_round - 1] if action == 2 else 0)
        betting[in_round - 1].append(action)
        state.apply_action(action)
    return betting, int(state.returns()[0])


def _hands_observation(num_hands: int, player: int) -> dict[str, Any]:
    return {"num_hands": num_hands, "player": player, "my_total": 0, "past_hands": []}


def _cards(deal: Deal) -> list[int]:
    """Returns cards of OpenSpiel's deck with the ranks of a deal."""
    cards: list[int] = []
    for rank in (*deal.cards, deal.board):
        card = 2 * RANKS.index(rank)
        while card in cards:
            card += 1
        cards.append(card)
    return cards
