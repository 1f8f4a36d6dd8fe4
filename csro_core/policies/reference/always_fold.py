"""Gives up at the first bet, and checks until then: one of the three opponents by which the CSRO paper scores Leduc
(arXiv 2603.10098, section 4).
"""


class Policy:
    """Always plays action 0 (fold; in Kuhn poker pass) where it is legal, else action 1 (check). Never bets."""

    def act(self, obs):
        legal = obs["legal_actions"]
        return 0 if 0 in legal else legal[0]
