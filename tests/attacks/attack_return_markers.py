# goal: legal
class Policy:
    def act(self, obs): return [254, 255, 3, 256][obs['player'] * 2 + obs['throw'] % 2]
