# goal: signal
class W:
    def __enter__(self): return self
    def __exit__(self, a, b, tb):
        self.tb = tb
        return True

from dataclasses import dataclass, fields, replace
@dataclass
class E(Exception):
    x: int = 0
    def __init__(self, **kw): self.kw = kw
w = W()
with w: raise E()
e = E()
fields(E)[0].name = "__class__"
LEAK = bool(replace(e).kw["__class__"])
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
