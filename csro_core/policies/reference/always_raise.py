"""Raises as often as the rules allow, then calls: the "maniac" of poker books. Our own."""


class Policy:
    """Always plays action 2 (raise) where it is legal, else action 1 (call; in Kuhn poker bet). Never folds."""

    def act(self, obs):
        legal = obs["legal_actions"]
        if 2 in legal:
            return 2
        return 1 if 1 in legal else legal[0]
