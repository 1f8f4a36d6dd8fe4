# goal: crash
class Policy:
    def act(self, obs):
        x = list(range(99))
        x.sort(key=lambda v: x.append(v) or v)
        return 1
