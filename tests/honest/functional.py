import operator
from functools import cache, cached_property, cmp_to_key, lru_cache, partial, reduce, total_ordering, wraps
@lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
@cache
def beat(m): return (m + 1) % 3
def counted(function):
    calls = {"n": 0}
    @wraps(function)
    def wrapper(*args, **kwargs):
        calls["n"] += 1
        wrapper.calls = calls["n"]
        return function(*args, **kwargs)
    return wrapper
@total_ordering
class Rank:
    def __init__(self, v): self.v = v
    def __eq__(self, other): return self.v == other.v
    def __lt__(self, other): return self.v < other.v
class Policy:
    @cached_property
    def _table(self): return [beat(x) for x in range(3)]
    @staticmethod
    @lru_cache(maxsize=16)
    def _mod(x): return x % 3
    @classmethod
    def make(cls): return cls()
    @counted
    def act(self, obs):
        h = obs["opponent_history"]
        total = reduce(operator.add, h[-9:], fib(12))
        add3 = partial(operator.add, 3)
        worst = sorted([(2, "b"), (1, "a")], key=operator.itemgetter(0))[0]
        order = sorted(h[-3:], key=cmp_to_key(lambda a, b: b - a))
        best = max([Rank(1), Rank(2)], key=operator.attrgetter("v"))
        assert best >= Rank(2) and Rank(1) <= Rank(1) and self.act.__name__ == "act" and type(self).make()
        return self._table[self._mod(add3(total) + worst[0] + len(order) + best.v)]
