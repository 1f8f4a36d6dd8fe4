# goal: signal
import operator
class C: pass
LEAK = "class" in operator.methodcaller("format", C())("{0.__class__}")
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
