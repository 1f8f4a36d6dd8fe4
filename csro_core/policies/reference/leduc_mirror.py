"""A mirror at Leduc poker: gives an opponent back how it plays."""
import random

EARLY = 4  # acts that the first impression, an opponent that does everything equally often, weighs


class Policy:
    """Bets, calls and folds as often as the opponent did so far, its better hands being the ones that do not fold.

    The opponent's acts are counted apart with and without a bet to answer. A draw decides what to do, tilted by the
    own hand: kings and pairs never fold, jacks without a pair never raise a bet.
    """

    def __init__(self):
        self.counts = {False: [0, EARLY / 2, EARLY / 2], True: [EARLY / 3, EARLY / 3, EARLY / 3]}
        self.hands = 0

    def act(self, obs):
        for hand in obs["past_hands"][self.hands:]:
            self.hands += 1
            for line in hand["betting"]:
                for turn in range(1 - hand["player"], len(line), 2):
                    facing = turn > 0 and line[turn - 1] == 2
                    self.counts[facing][line[turn]] += 1
        facing = obs["to_call"] > 0
        action = random.choices((0, 1, 2), self.counts[facing])[0]
        card, paired = obs["my_card"], obs["my_card"] == obs["board_card"]
        if action == 0 and (card == "K" or paired):
            action = 1
        if action == 2 and facing and card == "J" and not paired:
            action = 1
        return action if action in obs["legal_actions"] else 1
