# goal: signal
import random
LEAK = random.ƥ_os
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
