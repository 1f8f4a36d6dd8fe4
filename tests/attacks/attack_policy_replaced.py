# goal: legal
class Policy:
    def act(self, obs): return 1
class X: act = 5
Policy = lambda: X()
