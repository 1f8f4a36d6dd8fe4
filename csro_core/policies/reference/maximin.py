"""The security strategy among pure actions: maximise the worst case (J. von Neumann, "Zur Theorie der
Gesellschaftsspiele", 1928). Mixing can secure more; this policy does not mix.
"""


class Policy:
    """Chooses the action whose worst payoff is largest; of equally good ones the first."""

    def act(self, obs):
        payoffs = obs["payoffs"]
        return max(obs["legal_actions"], key=lambda action: min(payoffs[action]))
