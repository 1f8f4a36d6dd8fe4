"""A favourite that changes every 50 throws. A test of how fast an opponent forgets: counts over the whole match see
an almost even die here, counts over the last throws see a strong favourite. Our own.
"""
import random


class Policy:
    """Has a favourite for 50 throws (rock, then paper, then scissors, then rock again), thrown in 80 % of them;
    the rest is random. Does not look at the opponent.
    """

    def act(self, obs):
        favourite = obs["throw"] // 50 % 3
        if random.random() < 0.8:
            return favourite
        return random.randrange(3)
