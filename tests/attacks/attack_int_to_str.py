# goal: hang
class Policy:
    def act(self, obs): return len(str(7 ** 10 ** 6)) % 3
