"""Beat the opponent's last throw. The same idea as "copybot" of the test suite of the First International RoShamBo
Programming Competition (D. Billings, ICGA Journal 23(1), 2000): the naive answer to somebody who repeats himself.
"""
import random


class Policy:
    """Throws what would have beaten the opponent's last throw; starts at random.

    Crushes whoever repeats a throw, and is crushed by whoever stays one step ahead of it.
    """

    def act(self, obs):
        theirs = obs["opponent_history"]
        if not theirs:
            return random.randrange(3)
        return (theirs[-1] + 1) % 3
