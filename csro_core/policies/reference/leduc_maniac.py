"""A maniac at Leduc poker: raises first and asks no questions."""
import random


class Policy:
    """Raises seven times out of ten whatever it holds, calls otherwise, and never folds."""

    def act(self, obs):
        if 2 in obs["legal_actions"] and random.random() < 0.7:
            return 2
        return 1
