"""The best answer to somebody who chooses at random: level 1 of level-k thinking (R. Nagel, "Unraveling in guessing
games: an experimental study", American Economic Review 85(5), 1995).
"""


class Policy:
    """Chooses the action with the largest average payoff over the opponent's actions; of equals the first."""

    def act(self, obs):
        payoffs = obs["payoffs"]
        return max(obs["legal_actions"], key=lambda action: sum(payoffs[action]))
