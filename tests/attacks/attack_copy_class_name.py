# goal: signal
import copy
def f(cls): pass
f.__name__ = "__base__"
class C: m = classmethod(f)
LEAK = copy.copy(C.m)
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
