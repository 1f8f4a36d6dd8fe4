"""Pieces of policy text for repeated Leduc poker, as a person would write them (see `fragments` for the marks)."""

HEAD = '''\
import random
[adaptive]from collections import defaultdict
[adaptive]from functools import cache
[adaptive]from math import log

{CONSTANTS}
'''

STRENGTH = '''\
STRENGTH = {
    "J": 0, "Q": 1, "K": 2,
    "JQ": 0, "JK": 0, "QJ": 0, "QK": 1, "KJ": 1, "KQ": 1, "JJ": 2, "QQ": 2, "KK": 2,
}  # of the own card, in round 2 with the board: low, middle, pair
'''

USUAL = '''\
[adaptive]@cache
def usual(card, board, first, second):
    """Returns the chances to fold, call and raise in the usual style, after these actions of both rounds."""
[table]    row = TABLE[f"{first}/{second}" if board else first].split()
[table]    cell = row[HANDS.index(card + board) if board else "JQK".index(card)]
[table]    if cell in "fcr":
[table]        return tuple(float(cell == action) for action in "fcr")
[table]    fold, more = (int(part) / 100 for part in cell.split(":"))
[table]    return fold, 1 - fold - more, more
[-table]    stage, line = (1, second) if board else (0, first)
[-table]    hand = STRENGTH[card + board]
[-table]    if not line.endswith("r"):
[-table]        return 0.0, 1 - BET[stage][hand], BET[stage][hand]
[-table]    more = RAISE[stage][hand] if line.count("r") < 2 else 0.0
[-table]    stay = (1 - more) * CALL[stage][hand]
[-table]    return 1 - more - stay, stay, more


def letters(betting):
    """Returns the actions of round 1 and of round 2, such as "crc" (check, raise, call) and ""."""
    return ["".join(["fcr"[action] for action in line]) for line in betting]
'''

STATIC = '''\
class Policy:
    """{DOCSTRING}"""

    def act(self, obs):
        chances = usual(obs["my_card"], obs["board_card"] or "", *letters(obs["betting"]))
        return random.choices((0, 1, 2), chances)[0]
'''

TOOLS = '''\
@cache
def stakes(first, second):
    """Returns what each player has put in after these actions."""
    chips = [1, 1]
    for size, line in ((2, first), (4, second)):
        for turn, action in enumerate(line):
            if action != "f":
                chips[turn % 2] = max(chips) + (size if action == "r" else 0)
    return chips


def acts(player, board, first, second):
    """Gives every spot (board, round 1, round 2) in which a player acted in a hand, and what it did."""
    for turn in range(player, len(first), 2):
        yield ("", first[:turn], ""), first[turn]
    for turn in range(player, len(second), 2):
        yield (board, first, second[:turn]), second[turn]


def situation(board, first, second):
    """Returns what two spots must share for what was seen in one to count in the other."""
    line = second if board else first
    return board != "", line[-1:], line.count("r")


def rank(card, board):
    """Returns a number that is higher for the hand that wins a showdown."""
    return "JQK".index(card) + (3 if card == board else 0)
'''

ADAPTIVE = '''\
class Policy:
    """{DOCSTRING}"""

    def __init__(self):
[ranks]        # How often the opponent folded, called and raised, by situation and by (situation, strength of hand).
[-ranks]        # How often the opponent folded, called and raised, by situation.
        self.counts = defaultdict(lambda: [0.0, 0.0, 0.0])
        self.known = {}  # the opponent's chances by spot, since the last review
        self.answers = {}  # the best answers to them
        self.evidence = 0.0  # log of how much likelier its acts are by the counts than by the usual style
        self.hands = 0
        self.review = 1  # when to think again; thinking after every hand would only cost time
[stop-loss]        self.paid = 0  # chips won in hands that deviated from the usual style
[stop-loss]        self.deviated = False

    def act(self, obs):
        for hand in obs["past_hands"][self.hands:]:
            self.learn(hand)
        card, board = obs["my_card"], obs["board_card"] or ""
        first, second = letters(obs["betting"])
[-stop-loss]        if self.evidence > CONFIDENCE:
[stop-loss]        if self.evidence > CONFIDENCE and self.paid > -STOP_LOSS:
[stop-loss]            self.deviated = True
            if (card, board, first, second) not in self.answers:
                odds = {other: 2.0 - (other == card) for other in "JQK"}
                self.best(obs["player"], card, ("", "", ""), odds)
            if (card, board, first, second) in self.answers:
                return self.answers[card, board, first, second]
        return random.choices((0, 1, 2), usual(card, board, first, second))[0]

    def learn(self, hand):
        """Books a hand that is over. A card that was not shown counts in each rank by how likely that rank is."""
        self.hands += 1
[stop-loss]        if self.deviated:
[stop-loss]            self.paid += hand["my_return"]
[stop-loss]            self.deviated = False
        card, board = hand["my_card"], hand["board_card"] or ""
        seen = list(acts(1 - hand["player"], board, *letters(hand["betting"])))
        odds, usual_odds = {}, 0.0
        for other in hand["opponent_card"] or "JQK":
            odds[other] = by_style = max(0.0, 2.0 - (other == card) - (other == board))
            for spot, action in seen:
                place = "fcr".index(action)
                odds[other] *= max(SLIP, self.chances(other, *spot)[place])
                by_style *= max(SLIP, usual(other, *spot)[place])
            usual_odds += by_style
        total = sum(odds.values())
        self.evidence = max(FLOOR, self.evidence + log(total / usual_odds))
        for spot, action in seen:
            place = "fcr".index(action)
            self.counts[situation(*spot)][place] += 1
[ranks]            for other, share in odds.items():
[ranks]                self.counts[situation(*spot), STRENGTH[other + spot[0]]][place] += share / total
        if self.hands >= self.review:
            self.review = int(1.25 * self.hands) + 1
            self.known, self.answers = {}, {}

    def chances(self, card, board, first, second):
        """Returns how likely the opponent would fold, call and raise with this card, as far as it is known."""
        spot = (card, board, first, second)
        if spot not in self.known:
            guess = usual(*spot)
            counts = self.counts[situation(board, first, second)]
            guess = [(n + PRIOR * chance) / (sum(counts) + PRIOR) for n, chance in zip(counts, guess)]
[ranks]            counts = self.counts[situation(board, first, second), STRENGTH[card + board]]
[ranks]            guess = [(n + TRUST * chance) / (sum(counts) + TRUST) for n, chance in zip(counts, guess)]
            self.known[spot] = guess
        return self.known[spot]

    def best(self, player, card, spot, odds):
        """Returns the expected chips of best play from this spot on, and remembers what best play is.

        `odds` weighs the opponent's cards by how likely it is to have come here with them.
        """
        board, first, second = spot
        line = second if board else first
        chips = stakes(first, second)
        if line[1:].endswith("c"):  # the round is over
            if board:
                mine = rank(card, board)
                signs = {other: (mine > rank(other, board)) - (mine < rank(other, board)) for other in odds}
                return chips[player] * sum(share * signs[other] for other, share in odds.items())
            return sum(self.best(player, card, (new, first, ""), dealt(card, new, odds)) for new in "JQK")
        after = {a: (board, first, second + a) if board else ("", first + a, "") for a in "fcr"}
        legal = ("f" if line.endswith("r") else "") + ("cr" if line.count("r") < 2 else "c")
        if len(line) % 2 == player:
            lost = -chips[player] * sum(odds.values())
            worth = {a: lost if a == "f" else self.best(player, card, after[a], odds) for a in legal}
            action = max(worth, key=worth.get)
            self.answers[card, *spot] = "fcr".index(action)
            return worth[action]
        total = 0.0
        chances = {other: self.chances(other, *spot) for other in odds}
        for a in legal:
            there = {other: share * chances[other]["fcr".index(a)] for other, share in odds.items()}
            won = chips[1 - player] * sum(there.values())
            total += won if a == "f" else self.best(player, card, after[a], there)
        return total


def dealt(card, board, odds):
    """Returns the odds of the opponent's cards once this board is dealt."""
    after = {other: share * (2 - (board == card) - (board == other)) / 4 for other, share in odds.items()}
    return {other: share for other, share in after.items() if share > 0}
'''
