# goal: crash
class R:
    def __repr__(self): return repr(self)
    __eq__ = lambda self, o: self == o
    __hash__ = lambda self: hash(self)
class Policy:
    def act(self, obs): return len({R(): repr(R())})
