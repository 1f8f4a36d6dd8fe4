"""Always the first action, for any game: the single policy from which PSRO grows in the classroom, as the double
oracle method does (H. B. McMahan, G. Gordon and A. Blum, "Planning in the presence of cost functions controlled by
an adversary", ICML 2003).
"""


class Policy:
    """Always chooses the first legal action (row or column 0)."""

    def act(self, obs):
        return obs["legal_actions"][0]
