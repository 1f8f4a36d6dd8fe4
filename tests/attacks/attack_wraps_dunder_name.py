# goal: signal
import copy, functools
class N: pass
class Bait:
    __slots__ = ("__name__",)
b = Bait()
b.__name__ = "__class__"
LEAK = 1
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
