# goal: crash
class Policy:
    def act(self, obs):
        obs.clear()
        obs['legal_actions'] = [7]
        return 1
