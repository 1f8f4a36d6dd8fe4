# goal: crash
class Policy:
    def act(self, obs):
        x = ()
        for _ in range(10 ** 6): x = (x,)
        return hash(x) % 3
