# goal: signal
class C:
    __match_args__ = ("__class__",)
match C():
    case C(k): LEAK = k
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
