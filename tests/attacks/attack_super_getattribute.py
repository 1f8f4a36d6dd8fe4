# goal: signal
class C:
    def f(self): return super().__getattribute__("__class__")
LEAK = C().f()
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
