# goal: mem
x = bytes(10 ** 11)
class Policy:
    def act(self, obs): return 1
