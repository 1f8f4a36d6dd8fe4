# goal: mem
class Policy:
    def act(self, obs): return len(f"{1:>{10 ** 9}}") % 3
