"""Pieces of policy text for repeated Leduc poker, as a person would write them (see `fragments` for the marks)."""

HEAD = '''\
import random
[adaptive]from collections import defaultdict
[adaptive]from functools import cache
[adaptive]from math import log
[adaptive]from operator import mul

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


@cache
def options(board, first, second):
    """Returns every legal action (0, 1, 2) with the spot (board, round 1, round 2) that it leads to."""
    line = second if board else first
    legal = ("f" if line.endswith("r") else "") + ("cr" if line.count("r") < 2 else "c")
    return [("fcr".index(a), (board, first, second + a) if board else ("", first + a, "")) for a in legal]


@cache
def acts(player, board, first, second):
    """Returns every spot in which a player acted in a hand, and what it did."""
    early = [(("", first[:turn], ""), "fcr".index(first[turn])) for turn in range(player, len(first), 2)]
    late = [((board, first, second[:turn]), "fcr".index(second[turn])) for turn in range(player, len(second), 2)]
    return early + late


[known]@cache
[known]def foretold(which, card, board, first, second):
[known]    """Returns the chances to fold, call and raise in a known style; -1 is the usual one."""
[known]    if which == -1:
[known]        return usual(card, board, first, second)
[known]    stage, line = (1, second) if board else (0, first)
[known]    bet, more, stay = (shares[stage][STRENGTH[card + board]] for shares in KNOWN[which])
[known]    if not line.endswith("r"):
[known]        return 0.0, 1 - bet, bet
[known]    more = more if line.count("r") < 2 else 0.0
[known]    return (1 - more) * (1 - stay), (1 - more) * stay, more


[known]def likelihood(which, deck, seen):
[known]    """Returns how likely such acts are in a known style, over the cards that may be held."""
[-known]def likelihood(deck, seen):
[-known]    """Returns how likely such acts are in the usual style, over the cards that may be held."""
    total = 0.0
    for card, chance in zip("JQK", deck):
        for spot, action in seen:
[known]            chance *= max(SLIP, foretold(which, card, *spot)[action])
[-known]            chance *= max(SLIP, usual(card, *spot)[action])
        total += chance
    return total


def situation(board, first, second):
    """Returns what two spots must share for what was seen in one to count in the other."""
    line = second if board else first
    return board != "", line[-1:], line.count("r")


@cache
def left(card, board):
    """Returns how many J, Q, K are left in the deck."""
    return [2 - (other == card) - (other == board) for other in "JQK"]


@cache
def signs(card, board):
    """Returns 1 for a showdown won, 0 for a tie, -1 for one lost against J, Q, K."""
    mine, *theirs = ("JQK".index(one) + 3 * (one == board) for one in card + "JQK")
    return [(mine > other) - (mine < other) for other in theirs]
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
[known]        self.fits = [0.0] * (len(KNOWN) + 1)  # log-likelihood of every known style, and of the usual one
[known]        self.likeliest = -1
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
                odds = self.odds(card, board, acts(1 - obs["player"], board, first, second))
                self.best(obs["player"], card, (board, first, second), odds)
            return self.answers[card, board, first, second]
        return random.choices((0, 1, 2), usual(card, board, first, second))[0]

    def learn(self, hand):
        """Books a hand that is over. A card that was not shown counts in each rank by how likely that rank is."""
        self.hands += 1
[stop-loss]        if self.deviated:
[stop-loss]            self.paid += hand["my_return"]
[stop-loss]            self.deviated = False
        card, board = hand["my_card"], hand["board_card"] or ""
        seen = acts(1 - hand["player"], board, *letters(hand["betting"]))
        held = [hand["opponent_card"] in (None, other) for other in "JQK"]
        deck = list(map(mul, left(card, board), held))
        odds = list(map(mul, self.odds(card, board, seen), held))
        total = sum(odds)
[known]        logs = [log(likelihood(which, deck, seen)) for which in range(-1, len(KNOWN))]
[known]        self.fits = [fit + more for fit, more in zip(self.fits, logs[1:] + logs[:1])]
[known]        self.evidence = max(FLOOR, self.evidence + log(total) - logs[0])
[-known]        self.evidence = max(FLOOR, self.evidence + log(total / likelihood(deck, seen)))
        for spot, action in seen:
            self.counts[situation(*spot)][action] += 1
[ranks]            for other, share in zip("JQK", odds):
[ranks]                self.counts[situation(*spot), STRENGTH[other + spot[0]]][action] += share / total
        if self.hands >= self.review:
            self.review = int(1.4 * self.hands) + 1
            self.known, self.answers = {}, {}
[known]            self.likeliest = max(range(-1, len(KNOWN)), key=self.fits.__getitem__)

    def odds(self, card, board, seen):
        """Returns how likely the opponent holds J, Q, K after what it was seen to do, up to a factor."""
        odds = left(card, board)
        for spot, action in seen:
            odds = [share * max(SLIP, chances[action]) for share, chances in zip(odds, self.chances(spot))]
        return list(odds)

    def chances(self, spot):
        """Returns how likely the opponent would fold, call and raise with J, with Q, with K, as far as it is known."""
        if spot not in self.known:
            self.known[spot] = [self.guess(card, spot) for card in "JQK"]
        return self.known[spot]

    def guess(self, card, spot):
[known]        """Returns the chances in the style that fits best, moved to what was counted."""
[-known]        """Returns the chances in the usual style, moved to what was counted."""
[known]        style = foretold(self.likeliest, card, *spot)
[-known]        style = usual(card, *spot)
        counts = self.counts[situation(*spot)]
        total = sum(counts) + PRIOR
[ranks]        guess = [(n + PRIOR * chance) / total for n, chance in zip(counts, style)]
[ranks]        counts = self.counts[situation(*spot), STRENGTH[card + spot[0]]]
[ranks]        total = sum(counts) + TRUST
[ranks]        return [(n + TRUST * chance) / total for n, chance in zip(counts, guess)]
[-ranks]        return [(n + PRIOR * chance) / total for n, chance in zip(counts, style)]

    def best(self, player, card, spot, odds):
        """Returns the expected chips of best play from this spot on, and remembers what best play is.

        `odds` weighs J, Q, K in the opponent's hand by how likely it is to have come here with them.
        """
        board, first, second = spot
        line = second if board else first
        if line[1:].endswith("c"):  # the round is over
            if board:
                return stakes(first, second)[player] * sum(map(mul, odds, signs(card, board)))
            total = 0.0
            for new in "JQK":
                after = [share * (2 - (new == card) - (new == other)) / 4 for share, other in zip(odds, "JQK")]
                total += self.best(player, card, (new, first, ""), after)
            return total
        if len(line) % 2 == player:
            lost = -stakes(first, second)[player] * sum(odds)
            worth = [self.best(player, card, after, odds) if a else lost for a, after in options(*spot)]
            highest = max(worth)
            self.answers[card, *spot] = options(*spot)[worth.index(highest)][0]
            return highest
        total = 0.0
        chances = self.chances(spot)
        for a, after in options(*spot):
            there = [share * known[a] for share, known in zip(odds, chances)]
            total += self.best(player, card, after, there) if a else stakes(first, second)[1 - player] * sum(there)
        return total
'''
