# goal: legal
class Policy:
    def act(self, obs): return -1
