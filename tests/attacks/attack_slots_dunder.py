# goal: signal
class C:
    __slots__ = ("x", *["__dict__"])
LEAK = 1
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
