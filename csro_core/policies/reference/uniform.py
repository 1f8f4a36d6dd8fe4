"""Uniform random, for any game. In rock-paper-scissors it is the equilibrium (J. von Neumann, "Zur Theorie der
Gesellschaftsspiele", 1928): exploitability 0, PopReturn 0. The point is to win more without losing.
"""
import random


class Policy:
    """Chooses among the legal actions with equal odds. In rock-paper-scissors nobody beats it and it beats nobody."""

    def act(self, obs):
        return random.choice(obs["legal_actions"])
