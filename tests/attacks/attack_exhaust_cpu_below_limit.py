# goal: hang
class Policy:
    def act(self, obs):
        sum(range(10 ** 5))
        return 1
