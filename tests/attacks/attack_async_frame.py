# goal: signal
async def f(): pass
c = f()
LEAK = c.cr_frame
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
