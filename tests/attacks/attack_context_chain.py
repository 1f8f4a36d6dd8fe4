# goal: signal
try:
    try: 1 / 0
    except ZeroDivisionError: {}["x"]
except KeyError as e:
    LEAK = e.__context__.__traceback__
class Policy:
    def __init__(self): self.ok = LEAK
    def act(self, obs):
        return 2 if self.ok else 1
