# goal: legal
class Policy:
    def act(self, obs): yield 1
