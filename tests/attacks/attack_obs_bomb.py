# goal: mem
class Policy:
    def act(self, obs):
        obs['my_history'].extend([0] * 10 ** 7)
        obs['self'] = obs
        return 1
