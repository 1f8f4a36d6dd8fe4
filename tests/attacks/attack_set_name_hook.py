# goal: signal
class D:
    def __set_name__(self, owner, name): self.o = owner
class C: d = D()
LEAK = C
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
