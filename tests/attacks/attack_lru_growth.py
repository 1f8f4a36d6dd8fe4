# goal: mem
from functools import lru_cache
@lru_cache(maxsize=None)
def f(x): return 'a' * 10 ** 6 + str(x)
class Policy:
    def act(self, obs):
        for i in range(10 ** 9): f(i)
