"""Calls whatever comes, and checks where there is nothing to call: the "calling station" of poker books, one of the
three opponents by which the CSRO paper scores Leduc (arXiv 2603.10098, section 4).
"""


class Policy:
    """Always plays action 1: it calls or checks in Leduc, bets or calls in Kuhn poker. Never folds, never raises."""

    def act(self, obs):
        legal = obs["legal_actions"]
        return 1 if 1 in legal else legal[0]
