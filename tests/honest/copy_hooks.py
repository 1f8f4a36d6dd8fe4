import copy
class State:
    def __init__(self, data): self.data = data
    def __copy__(self): return State(self.data)
    def __deepcopy__(self, memo): return State([*self.data])
class Single:
    _instance = None
    def __new__(cls, *args):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance
class Vec(tuple):
    __slots__ = ()
    def __new__(cls, *xs): return super().__new__(cls, xs)
    def __mul__(self, k): return Vec(*[x * k for x in self])
    __rmul__ = __mul__
class Policy:
    def act(self, obs):
        s = State(obs["opponent_history"][-6:])
        deep, flat = copy.deepcopy(s), copy.copy(s)
        deep.data.append(1)
        assert flat.data is s.data and Single() is Single() and 2 * Vec(1, 2) == (2, 4)
        return sum(deep.data) % 3
