# goal: hang
class Policy:
    def act(self, obs): return 9 ** 9 ** 9 % 3
