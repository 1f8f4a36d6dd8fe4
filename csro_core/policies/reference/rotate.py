"""Rock, paper, scissors, and again. The same idea as "rotatebot" of the test suite of the First International RoShamBo
Programming Competition (D. Billings, ICGA Journal 23(1), 2000).
"""


class Policy:
    """Goes round: rock, paper, scissors, rock, ... whatever the opponent does. Loses every throw to pattern finders."""

    def act(self, obs):
        return obs["throw"] % 3
