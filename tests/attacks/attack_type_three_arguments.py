# goal: signal
T = type("T", (), {"__reduce_ex__": 1})
LEAK = T
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
