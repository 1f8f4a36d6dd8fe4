# goal: crash
class Policy:
    def act(self, obs):
        obs['my_history'] = obs['opponent_history'] = None
        return 1
