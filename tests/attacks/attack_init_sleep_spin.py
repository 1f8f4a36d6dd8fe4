# goal: hang
class Policy:
    def __init__(self):
        for _ in iter(int, 1): pass
    def act(self, obs): return 1
