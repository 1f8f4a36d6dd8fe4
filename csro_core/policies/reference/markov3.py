"""What followed these three joint throws so far, or else these two, or else the last? A Markov model of order 3 that
backs off to shorter contexts, as language models on n-grams do (S. M. Katz, "Estimation of probabilities from sparse
data for the language model component of a speech recognizer", IEEE Transactions on Acoustics, Speech, and Signal
Processing 35(3), 1987).
"""
import random

ORDERS = (3, 2, 1)
ENOUGH = 2


class Policy:
    """Counts what the opponent threw after the last three, two and one joint throws; believes the longest context that
    has been met at least twice, and beats its most frequent follower. Random where no context has been.
    """

    def __init__(self):
        self.followers = {}
        self.contexts = []

    def act(self, obs):
        mine, theirs = obs["my_history"], obs["opponent_history"]
        for context in self.contexts:
            self.followers.setdefault(context, [0, 0, 0])[theirs[-1]] += 1
        self.contexts = [
            tuple(mine[-order:] + theirs[-order:]) for order in ORDERS if order <= len(theirs)
        ]
        for context in self.contexts:
            counts = self.followers.get(context)
            if counts is not None and sum(counts) >= ENOUGH:
                expected = counts.index(max(counts))
                return (expected + 1) % 3
        return random.randrange(3)
