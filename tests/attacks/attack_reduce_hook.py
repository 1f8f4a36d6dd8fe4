# goal: signal
import copy
class C:
    def __reduce_ex__(self, p): return getattr, (self, "__class__")
LEAK = copy.copy(C())
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
