# goal: signal
LEAK = list(map(str.format, ["{0.__class__}"], [1]))
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
