# goal: signal
import operator
class C:
    def m(self): pass
LEAK = operator.attrgetter("m.__func__.__globals__")(C())
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
