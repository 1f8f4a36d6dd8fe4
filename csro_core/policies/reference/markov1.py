"""What followed this joint throw so far? A Markov model of order 1: the idea of the mind-reading machines of
C. E. Shannon ("A Mind-Reading (?) Machine", Bell Laboratories memorandum, 1953) and D. W. Hagelbarger ("SEER, a
sequence extrapolating robot", IRE Transactions on Electronic Computers, 1956), which played matching pennies.
"""
import random


class Policy:
    """Counts what the opponent threw after each joint throw (own, opponent's), expects the most frequent follower of
    the last joint throw, and beats it. Random where the joint throw is new.

    Beats whatever reacts to the last throw; knows nothing of longer patterns.
    """

    def __init__(self):
        self.followers = {}
        self.context = None

    def act(self, obs):
        mine, theirs = obs["my_history"], obs["opponent_history"]
        if not theirs:
            return random.randrange(3)
        if self.context is not None:
            self.followers.setdefault(self.context, [0, 0, 0])[theirs[-1]] += 1
        self.context = (mine[-1], theirs[-1])
        counts = self.followers.get(self.context)
        if counts is None:
            return random.randrange(3)
        expected = counts.index(max(counts))
        return (expected + 1) % 3
