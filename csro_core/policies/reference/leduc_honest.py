"""An honest player of Leduc poker: never bluffs, so its bets can be believed and its checks invite a bet."""


class Policy:
    """Bets what is good, calls with what may be good, and folds what is not. Never bluffs.

    Good is a king in round 1 and a pair in round 2; hands that may be good are queens in round 1 and the higher
    unpaired rank in round 2.
    """

    def act(self, obs):
        card, board = obs["my_card"], obs["board_card"]
        if board is None:
            good, fair = card == "K", card == "Q"
        else:
            good = card == board
            fair = card == "K" or (card == "Q" and board == "K")
        if good:
            return obs["legal_actions"][-1]
        return 1 if fair or not obs["to_call"] else 0
