# goal: signal
LEAK = (lambda x=0: x).__globals__
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
