# goal: signal
try:
    raise ExceptionGroup("x", [ValueError()])
except* ValueError as group:
    LEAK = group
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
