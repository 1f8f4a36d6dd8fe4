"""A loose player of Leduc poker: too curious to fold."""
import random


class Policy:
    """Bets kings and pairs, calls nearly everything else, and gives up only jacks, and those only now and then."""

    def act(self, obs):
        card, legal = obs["my_card"], obs["legal_actions"]
        good = card == obs["board_card"] or (card == "K" and obs["board_card"] is None)
        if good and not obs["to_call"]:
            return 2
        if card == obs["board_card"] and 2 in legal:
            return 2
        if obs["to_call"] and card == "J" and random.random() < 0.2:
            return 0
        return 1
