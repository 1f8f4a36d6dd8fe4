# goal: legal
class Policy:
    def act(self, obs): return float('nan')
