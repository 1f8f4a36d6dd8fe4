# goal: legal
class Policy:
    def act(self, obs): return [0, 1, True, 2][min(obs['throw'], 3)]
