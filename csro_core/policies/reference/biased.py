"""A biased die: independent throws with fixed, unequal odds. The test suite of the First International RoShamBo
Programming Competition has such a die too ("r226bot": 20 %, 20 %, 60 %); these odds are our own.
"""
import random


class Policy:
    """Throws rock in 50 %, paper in 30 % and scissors in 20 % of all throws, without memory.

    Nobody can foresee a single throw, but always throwing paper wins 0.3 net throws a throw against it.
    """

    def act(self, obs):
        chance = random.random()
        if chance < 0.5:
            return 0
        return 1 if chance < 0.8 else 2
