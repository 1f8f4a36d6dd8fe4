"""Always rock. The first dummy of every rock-paper-scissors test suite: a response that does not beat it by a
landslide is broken.
"""


class Policy:
    """Throws rock at every throw. Loses every throw to anybody who notices."""

    def act(self, obs):
        return 0
