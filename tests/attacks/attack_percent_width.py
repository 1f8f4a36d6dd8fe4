# goal: mem
class Policy:
    def act(self, obs): return len('%*d' % (2 ** 30, 1)) % 3
