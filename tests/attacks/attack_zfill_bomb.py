# goal: mem
class Policy:
    def act(self, obs): return len('1'.zfill(10 ** 12)) % 3
