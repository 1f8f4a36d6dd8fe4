# goal: crash
class Policy:
    def act(self, obs): return 1
del Policy
