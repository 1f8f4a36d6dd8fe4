"""Beat the opponent's most frequent throw: fictitious play (G. W. Brown, "Iterative solution of games by fictitious
play", 1951) as a policy; "freqbot" of the test suite of the First International RoShamBo Programming Competition.
"""
import random


class Policy:
    """Counts the opponent's throws and beats the most frequent one; of equally frequent ones the lower number.

    The best answer to a biased die, and slow to notice a change.
    """

    def __init__(self):
        self.counts = [0, 0, 0]

    def act(self, obs):
        theirs = obs["opponent_history"]
        if not theirs:
            return random.randrange(3)
        self.counts[theirs[-1]] += 1
        favourite = self.counts.index(max(self.counts))
        return (favourite + 1) % 3
