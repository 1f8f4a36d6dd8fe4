"""A tight player of Leduc poker, as every book on poker warns of: easily believed, easily bluffed away."""


class Policy:
    """Raises kings and pairs, checks and calls queens, and folds jacks to any bet."""

    def act(self, obs):
        card, legal = obs["my_card"], obs["legal_actions"]
        if card == "K" or card == obs["board_card"]:
            return legal[-1]
        return 1 if card == "Q" else legal[0]
