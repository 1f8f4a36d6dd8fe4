# goal: signal
LEAK = [__builtins__ := {} for _ in range(1)]
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
