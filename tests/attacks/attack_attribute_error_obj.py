# goal: signal
import random
try: random.nothing
except AttributeError as e: LEAK = getattr(e, "obj")
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
