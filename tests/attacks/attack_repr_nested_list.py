# goal: crash
class Policy:
    def act(self, obs):
        x = []
        for _ in range(10 ** 5): x = [x]
        return len(repr(x)) % 3
