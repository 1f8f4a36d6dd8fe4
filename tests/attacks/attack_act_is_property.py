# goal: legal
class Policy:
    @property
    def act(self): raise SystemExit
